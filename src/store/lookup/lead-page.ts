/** Queries for the page of a lead in the console: what one look at it needs, however much it holds. */

import { type Kysely, sql } from 'kysely'
import type { Submission } from '../../leads/body/submission.ts'
import { type Answers, lastGiven } from '../../leads/lead/last-given.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { TimelineEntry } from '../../leads/lead/timeline.ts'
import { LATEST, readLatestInquiries } from '../leads/latest-inquiries.ts'
import { findLead } from '../leads/leads.ts'
import { type MergedLead, readMergedLeads } from '../leads/merged-leads.ts'
import { asEntry } from '../leads/timeline.ts'
import { readTried } from '../leads/tried-to-reach.ts'
import type { Schema } from '../tables/schema.ts'
import { kindsAbout } from '../tasks/kinds.ts'
import type { Task } from '../tasks/tasks.ts'
import { findEarlierLeads } from './find-leads.ts'
import { type HistoryPart, type HistoryRange, readHistory } from './lead-history.ts'

export type HistoryCounts = {
  submissionCount: number
  entryCount: number
  /** The id of the newest entry: it changes with everything that happens to the lead. */
  version: number
}

export type LeadPage = HistoryPart &
  HistoryCounts & {
    lead: Lead
    /** Whether someone has tried to reach the person. */
    tried: boolean
    /** Submissions before the last of these, newest first; none if that was the first. */
    submissionsBefore: Submission[]
    /** The last answers that the person gave in their latest inquiries. */
    answers: Answers
    /** The emails about these entries and submissions, and the steps that have begun or ended. */
    mails: Task[]
    /** The leads that were merged into it, in the order in which they were. */
    merged: MergedLead[]
    /** Newest first. */
    earlier: Awaited<ReturnType<typeof findEarlierLeads>>
  }

/**
 * Everything that the page of a lead in the console shows; for one that was merged into another, of that one. Undefined
 * if it does not exist. Its submissions and its entries are paged apart.
 */
export async function readLeadPage(
  db: Kysely<Schema>,
  leadId: number,
  { submissions: { before, limit }, entries }: HistoryRange,
): Promise<LeadPage | undefined> {
  const lead = await findLead(db, leadId)
  if (lead === undefined) return undefined
  const { id } = lead
  // First, so that what happens meanwhile counts as not seen.
  const counts = await countHistory(db, id)
  const more = { before, limit: limit + LATEST }
  const history = await readHistory(db, id, { submissions: more, entries })
  return {
    lead,
    ...history,
    submissions: history.submissions.slice(0, limit),
    submissionsBefore: history.submissions.slice(limit).map(({ submission }) => submission),
    answers: lastGiven((await readLatestInquiries(db, [id])).get(id) ?? []),
    ...counts,
    tried: await readTried(db, id),
    mails: await readMails(db, id, history.timeline),
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

async function readMails(db: Kysely<Schema>, leadId: number, timeline: readonly TimelineEntry[]): Promise<Task[]> {
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
          eb('kind', 'in', kindsAbout('submission', { to: 'anyone' })),
          eb('subject', 'in', [NONE, ...submissions]),
        ]),
        eb.and([eb('kind', 'in', kindsAbout('entry', { to: 'anyone' })), eb('subject', 'in', [NONE, ...entries])]),
        eb.and([eb('kind', 'in', kindsAbout('lead', { to: 'anyone' })), eb('subject', '=', leadId)]),
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
