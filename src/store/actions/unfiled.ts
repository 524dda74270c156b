/** What staff can do with a submission that was accepted but cannot be filed: have it tried again, or dismiss it. */
import type { Kysely } from 'kysely'
import { changeAudited } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'
import { hasNoClaim, NO_LEASE } from '../tasks/tasks.ts'
import { isDismissed, isUnfileable } from '../tasks/unfileable.ts'
import type { Decider } from './decide-quarantined.ts'

/**
 * Has a submission filed now, even if it was dismissed. Returns false if it was filed meanwhile, or is being filed, or
 * there is none with that id.
 */
export const fileAgain = (db: Kysely<Schema>, id: number, { now, audit }: Decider): Promise<boolean> =>
  changeAudited(db, audit, tx =>
    tx
      .updateTable('tasks')
      .set({ state: 'due', due_at: 0, note: 'is tried again', scheduled_at: now, finished_at: null, ...NO_LEASE })
      .where('subject', '=', id)
      .where(eb => eb.or([isUnfileable(eb), isDismissed(eb)]))
      .where(hasNoClaim(now)),
  )

/**
 * Dismisses a submission: it is not tried again automatically, but stays stored, with the reason. Returns false if it
 * was filed meanwhile, or is being filed, or there is none with that id.
 */
export const dismissUnfiled = (
  db: Kysely<Schema>,
  id: number,
  { now, actor, audit, reason }: Decider & { reason: string },
): Promise<boolean> =>
  changeAudited(db, audit, tx =>
    tx
      .updateTable('tasks')
      .set({ state: 'skipped', note: `${actor}: ${reason}`, finished_at: now, ...NO_LEASE })
      .where('subject', '=', id)
      .where(isUnfileable)
      .where(hasNoClaim(now)),
  )
