/** Deciding about a quarantined submission: releasing or dismissing it, and undoing that. */
import { type Kysely, sql } from 'kysely'
import { audited, changeAudited } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'
import { hasNoClaim, refile } from '../tasks/tasks.ts'
import type { ActionContext } from './change-lead.ts'

export type Decider = Pick<ActionContext, 'now' | 'audit'> & Partial<Pick<ActionContext, 'actor'>>

/**
 * Releases a submission, even one that was dismissed: it is filed again at `dueAt`, by default now, without screening.
 * Returns false if there is none with that id or it was already released.
 */
export const releaseQuarantined = (
  db: Kysely<Schema>,
  id: number,
  { now, actor = null, audit, dueAt = 0 }: Decider & { dueAt?: number | undefined },
): Promise<boolean> =>
  audited(db, audit, async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('quarantine')
      .set({ state: 'released', decided_at: now, decided_by: actor })
      .where('submission_id', '=', id)
      .where('state', '<>', 'released')
      .executeTakeFirst()
    if (numUpdatedRows > 0n) await refile(tx, id, { dueAt, note: null, now })
    return numUpdatedRows > 0n
  })

/** Undoes a release that waits to be filed. Returns false if it was filed, is being filed, or was not released. */
export const undoRelease = (db: Kysely<Schema>, id: number, { now, audit }: Decider): Promise<boolean> =>
  audited(db, audit, async tx => {
    const { numDeletedRows } = await tx
      .deleteFrom('tasks')
      .where('kind', '=', sql.lit('refile'))
      .where('subject', '=', id)
      .where('state', '=', sql.lit('due'))
      .where(hasNoClaim(now))
      .executeTakeFirst()
    if (numDeletedRows === 0n) return false
    await tx
      .updateTable('quarantine')
      .set(HELD)
      .where('submission_id', '=', id)
      .where('state', '=', 'released')
      .execute()
    return true
  })

const HELD = { state: 'held', decided_at: null, decided_by: null } as const

/** Dismisses a submission as not worth following up. Returns false if none with that id waits for a decision. */
export const dismissQuarantined = (
  db: Kysely<Schema>,
  id: number,
  { now, actor = null, audit }: Decider,
): Promise<boolean> =>
  changeAudited(db, audit, tx =>
    tx
      .updateTable('quarantine')
      .set({ state: 'dismissed', decided_at: now, decided_by: actor })
      .where('submission_id', '=', id)
      .where('state', '=', 'held'),
  )

/**
 * Undoes a dismissal: the submission waits for a decision again. Returns false if it was not dismissed by
 * someone after the moment `since`.
 */
export const undoDismissal = (
  db: Kysely<Schema>,
  id: number,
  { since, audit }: Pick<Decider, 'audit'> & { since: number },
): Promise<boolean> =>
  changeAudited(db, audit, tx =>
    tx
      .updateTable('quarantine')
      .set(HELD)
      .where('submission_id', '=', id)
      .where('state', '=', 'dismissed')
      .where('decided_by', 'is not', null)
      .where('decided_at', '>=', since),
  )
