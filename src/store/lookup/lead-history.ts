/** The history of a lead, in pages, so that a page costs the same however much one person sends. */
import type { Kysely } from 'kysely'
import type { Cadence } from '../../follow-up/cadence.ts'
import type { Submission } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import { readCadenceOf } from '../follow-up/cadence-versions.ts'
import { findLead, submissionsOf } from '../leads/leads.ts'
import { asSubmission } from '../leads/submission-row.ts'
import { readTimeline } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'

export type LeadHistory = {
  lead: Lead
  /** Oldest first: the submissions of this page of the timeline or, if it has none, the latest one before it. */
  submissions: Submission[]
  /** Oldest first. */
  timeline: TimelineEntry[]
  /** The steps that it follows, by which the timeline names its emails. */
  cadence: Cadence
  /** The oldest entry of this page, if there are older ones; the next page ends before it. */
  older: number | null
}

/** A page ends after this many entries, or after this many submissions. */
const ENTRIES = 100
const SUBMISSIONS = 20

/**
 * A lead with the newest page of its history, or with the page before an entry; undefined if it does not exist. If the
 * lead was merged into another, the kept lead.
 */
export async function readLead(
  db: Kysely<Schema>,
  id: number,
  { before }: { before?: number | undefined } = {},
): Promise<LeadHistory | undefined> {
  const lead = await findLead(db, id)
  if (lead === undefined) return undefined
  const { submissions, timeline, cadence } = await readHistory(db, lead.id, {
    submissions: { before, limit: SUBMISSIONS + 1 },
    entries: { before, limit: ENTRIES + 1 },
  })
  const tooMany = submissions[SUBMISSIONS]?.entry ?? 0
  const page = timeline.filter(entry => entry.id > tooMany).slice(0, ENTRIES)
  const oldest = page.at(-1)?.id ?? 0
  const within = submissions.filter(({ entry }) => entry >= oldest)
  const shown = within.length > 0 ? within : submissions.slice(0, 1)
  return {
    lead,
    submissions: shown.map(({ submission }) => submission).toSorted((one, other) => one.id - other.id),
    timeline: page.toReversed(),
    cadence,
    older: timeline.length > page.length ? oldest : null,
  }
}

/** Which submissions and entries to read: up to `limit` of each; with `before`, only those before that entry. */
export type HistoryRange = Record<'submissions' | 'entries', { before?: number | undefined; limit: number }>

export type HistoryPart = {
  /** Newest first, each with the id of its entry. */
  submissions: { entry: number; submission: Submission }[]
  /** Newest first. */
  timeline: TimelineEntry[]
  /** The steps that the lead follows, by which the timeline names its emails. */
  cadence: Cadence
}

export const readHistory = async (db: Kysely<Schema>, leadId: number, range: HistoryRange): Promise<HistoryPart> => ({
  submissions: await readSubmissions(db, leadId, range.submissions),
  timeline: await readTimeline(db, leadId, range.entries),
  cadence: await readCadenceOf(db, leadId),
})

/** The submissions of a lead, newest first, each with the id of its entry. */
export async function readSubmissions(
  db: Kysely<Schema>,
  leadId: number,
  { before, limit }: HistoryRange['submissions'],
): Promise<HistoryPart['submissions']> {
  const rows = await submissionsOf(db, [leadId])
    .$if(before !== undefined, query => query.where('e.id', '<', before as number))
    .orderBy('e.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(row => ({ entry: row.entry, submission: asSubmission(row) }))
}
