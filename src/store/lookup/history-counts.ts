/** How long the history of a lead is, and what others have added to it since someone looked. */
import { type Kysely, sql } from 'kysely'
import { COMPLETED } from '../../leads/lead/timeline-details.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import { asEntry } from '../leads/entry-row.ts'
import type { Schema } from '../tables/schema.ts'

export type HistoryCounts = {
  submissionCount: number
  entryCount: number
  /** The id of the newest entry: it changes with everything that happens to the lead. */
  version: number
}

/** How long the history of a lead is; the history of a merged lead is empty. */
export async function countHistory(db: Kysely<Schema>, leadId: number): Promise<HistoryCounts> {
  const row = await db
    .selectFrom('timeline')
    .select(eb => [
      eb.fn.countAll<number>().as('entries'),
      eb.fn.max('id').as('newest'),
      sql<number>`sum(case when kind = 'submission' and detail not like ${`${COMPLETED}%`} then 1 else 0 end)`.as(
        'submissions',
      ),
    ])
    .where('lead_id', '=', leadId)
    .executeTakeFirstOrThrow()
  return {
    entryCount: Number(row.entries),
    submissionCount: Number(row.submissions ?? 0),
    version: Number(row.newest ?? 0),
  }
}

/** What others did to a lead since the entry `seen`, oldest first, for someone whose page is out of date. */
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
