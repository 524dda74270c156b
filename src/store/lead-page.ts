/** Queries for the page of a lead: what one look at it needs, however much it holds. */
import { type Kysely, sql } from 'kysely'
import type { Cadence } from '../follow-up/cadence.ts'
import type { Lead } from '../leads/lead.ts'
import type { Submission } from '../leads/submission.ts'
import type { TimelineEntry } from '../leads/timeline.ts'
import { readCadenceOf } from './cadence-versions.ts'
import { findEarlierLeads } from './find-leads.ts'
import { findLead } from './leads.ts'
import { type MergedLead, readMergedLeads } from './merged-leads.ts'
import type { Schema } from './schema.ts'
import { asSubmission } from './submission-row.ts'
import type { Task } from './tasks.ts'
import { asEntry, readTimeline } from './timeline.ts'

/** Which submissions and entries to read; `before` are ids of entries, to continue below them. */
export type LeadPageRange = {
  submissions: { before?: number | undefined; limit: number }
  entries: { before?: number | undefined; limit: number }
}

export type HistoryCounts = {
  submissionCount: number
  entryCount: number
  /** The id of the newest entry: it changes with everything that happens to the lead. */
  version: number
}

export type LeadPage = HistoryCounts & {
  lead: Lead
  /** Newest first, each with the id of its entry. */
  submissions: { entry: number; submission: Submission }[]
  /** The submission before the last of these; undefined if that was the first. */
  submissionBefore: Submission | undefined
  /** Newest first. */
  timeline: TimelineEntry[]
  /** The steps that it follows, by which the timeline names its emails. */
  cadence: Cadence
  /** The emails about these entries and submissions, and the steps that have begun or ended. */
  mails: Task[]
  /** The leads that were merged into it, in the order in which they were. */
  merged: MergedLead[]
  /** Newest first. */
  earlier: Awaited<ReturnType<typeof findEarlierLeads>>
}

/**
 * Everything that the page of a lead shows; for one that was merged into another, of that one. Undefined if there is
 * no such lead.
 */
export async function readLeadPage(
  db: Kysely<Schema>,
  leadId: number,
  range: LeadPageRange,
): Promise<LeadPage | undefined> {
  const lead = await findLead(db, leadId)
  if (lead === undefined) return undefined
  const { id } = lead
  const counts = await countHistory(db, id)
  const submissions = await readSubmissions(db, id, range.submissions)
  const timeline = await readTimeline(db, id, range.entries)
  return {
    lead,
    submissions: submissions.slice(0, range.submissions.limit),
    submissionBefore: submissions[range.submissions.limit]?.submission,
    timeline,
    cadence: await readCadenceOf(db, id),
    ...counts,
    mails: await readMails(db, id, timeline),
    merged: await readMergedLeads(db, id),
    earlier: await findEarlierLeads(db, id),
  }
}

/** How long the history of a lead is; of one that was merged into another, that is empty. */
export async function countHistory(db: Kysely<Schema>, leadId: number): Promise<HistoryCounts> {
  const row = await db
    .selectFrom('timeline')
    .select(eb => [
      eb.fn.countAll<number>().as('entries'),
      eb.fn.max('id').as('newest'),
      sql<number>`sum(case when kind = 'submission' then 1 else 0 end)`.as('submissions'),
    ])
    .where('lead_id', '=', leadId)
    .executeTakeFirstOrThrow()
  return {
    entryCount: Number(row.entries),
    submissionCount: Number(row.submissions ?? 0),
    version: Number(row.newest ?? 0),
  }
}

/** One more than the limit, if there is one: what the last is compared with. */
async function readSubmissions(
  db: Kysely<Schema>,
  leadId: number,
  { before, limit }: LeadPageRange['submissions'],
) {
  let query = db
    .selectFrom('timeline as e')
    .innerJoin('submissions as s', 's.id', 'e.submission_id')
    .select(['s.id', 's.kind', 's.received_at', 's.answer', 's.body', 's.form', 'e.id as entry'])
    .where('e.lead_id', '=', leadId)
    .where('e.kind', '=', sql.lit('submission'))
  if (before !== undefined) query = query.where('e.id', '<', before)
  const rows = await query
    .orderBy('e.id', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map(row => ({ entry: row.entry, submission: asSubmission(row) }))
}

async function readMails(
  db: Kysely<Schema>,
  leadId: number,
  timeline: readonly TimelineEntry[],
): Promise<Task[]> {
  const submissions = timeline.flatMap(({ kind, submissionId }) =>
    kind === 'submission' && submissionId !== null ? [submissionId] : [],
  )
  const entries = timeline.map(({ id }) => id)
  return db
    .selectFrom('tasks')
    .selectAll()
    .where(eb =>
      eb.or([
        eb.and([
          eb('kind', 'in', ['notify', 'receipt', 'account']),
          eb('subject', 'in', [NONE, ...submissions]),
        ]),
        eb.and([eb('kind', 'in', ['message', 'news']), eb('subject', 'in', [NONE, ...entries])]),
        eb.and([eb('kind', '=', sql.lit('step')), eb('subject', '=', leadId)]),
      ]),
    )
    .orderBy('id')
    .execute()
}

/** An id that nothing has: a list for `in` must not be empty. */
const NONE = 0

/** What others did to a lead since the entry `seen`, oldest first: for a person who still sees it as it was. */
export async function readChangesSince(
  db: Kysely<Schema>,
  leadId: number,
  { seen, actor }: { seen: number; actor: string },
): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('timeline')
    .selectAll()
    .where('lead_id', '=', leadId)
    .where('id', '>', seen)
    .where(eb => eb.or([eb('actor', 'is', null), eb('actor', '<>', actor)]))
    .where('kind', 'not in', ['email', 'fresh-link', 'note', 'labeled', 'unlabeled'])
    .orderBy('id')
    .limit(MOST_CHANGES)
    .execute()
  return rows.map(asEntry)
}

const MOST_CHANGES = 10

/** The newest entry of a lead that someone made; undefined if there is none. */
export async function readLatestEntryBy(
  db: Kysely<Schema>,
  leadId: number,
  actor: string,
): Promise<TimelineEntry | undefined> {
  const row = await db
    .selectFrom('timeline')
    .selectAll()
    .where('lead_id', '=', leadId)
    .where('actor', '=', actor)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && asEntry(row)
}
