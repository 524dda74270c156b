/** What a report says about the present, whatever its week, from one snapshot, so that names and numbers agree. */
import type { Kysely } from 'kysely'
import type { Lead } from '../../leads/lead/lead.ts'
import { countToDo, type ToDo } from '../insight/report-queries.ts'
import { type DueCallback, listDueCallbacks, listUnanswered } from '../lists/due-leads.ts'
import type { Schema } from '../tables/schema.ts'
import { inSnapshot } from '../tables/snapshot.ts'

export type WaitingNow = {
  toDo: ToDo
  /** The people who wrote back and wait for an answer, the longest wait first. */
  unanswered: Lead[]
  /** The overdue callbacks, the most overdue first. */
  overdue: DueCallback[]
}

/** `limit`: the maximum number of people in each list. */
export const readWaitingNow = (
  db: Kysely<Schema>,
  { now, limit }: { now: number; limit: number },
): Promise<WaitingNow> =>
  inSnapshot(db, async tx => ({
    toDo: await countToDo(tx),
    unanswered: await listUnanswered(tx, { limit }),
    overdue: await listDueCallbacks(tx, { until: now, limit }),
  }))
