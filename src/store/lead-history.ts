/** What happened to a lead, page by page: however much one person sends, a page costs the same. */
import type { Kysely } from 'kysely'
import type { Cadence } from '../follow-up/cadence.ts'
import type { Lead } from '../leads/lead.ts'
import type { Submission } from '../leads/submission.ts'
import type { TimelineEntry } from '../leads/timeline.ts'
import { readCadenceOf } from './cadence-versions.ts'
import { findLead } from './leads.ts'
import type { Schema } from './schema.ts'
import { asSubmission } from './submission-row.ts'
import { latestSubmission, readTimeline } from './timeline.ts'

export type LeadHistory = {
  lead: Lead
  /** Oldest first; those of the timeline's page or, if it has none, the one before it. */
  submissions: Submission[]
  /** Oldest first. */
  timeline: TimelineEntry[]
  /** The steps that it follows, by which the timeline names its emails. */
  cadence: Cadence
  /** The oldest entry of this page, if there are older ones: the page before it is the next. */
  older: number | null
}

/** A page ends after this many entries, or after this many submissions. */
const ENTRIES = 100
const SUBMISSIONS = 20

/** A lead with the newest page of its history, or the page before an entry; undefined if there is no such lead. For one
 * that was merged into another, that one. */
export async function readLead(
  db: Kysely<Schema>,
  id: number,
  { before }: { before?: number | undefined } = {},
): Promise<LeadHistory | undefined> {
  const lead = await findLead(db, id)
  if (lead === undefined) return undefined
  const newest = await readTimeline(db, lead.id, { before, limit: ENTRIES + 1 })
  const page = newest.slice(0, lengthOfPage(newest))
  const named = page.flatMap(entry =>
    entry.kind === 'submission' ? (entry.submissionId ?? []) : [],
  )
  const known = named.length > 0 ? named : await latestSubmission(db, lead.id, before)
  return {
    lead,
    submissions: await readSubmissions(db, [known ?? []].flat()),
    timeline: page.toReversed(),
    cadence: await readCadenceOf(db, lead.id),
    older: newest.length > page.length ? (page.at(-1)?.id ?? null) : null,
  }
}

function lengthOfPage(newest: readonly TimelineEntry[]): number {
  const submissions = newest.flatMap(({ kind }, index) => (kind === 'submission' ? index : []))
  return Math.min(submissions[SUBMISSIONS] ?? ENTRIES, ENTRIES)
}

async function readSubmissions(db: Kysely<Schema>, ids: number[]): Promise<Submission[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('submissions')
    .select(['id', 'kind', 'received_at', 'answer', 'body', 'form'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  return rows.map(asSubmission)
}
