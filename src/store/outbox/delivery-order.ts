/** Queries that change when unsent messages of the outbox are due. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'
import { kindOfTeamMail, stepOfTeam } from './mail-steps.ts'
import type { DigestOfDay } from './outbox.ts'

/** Makes the unsent notifications of a lead due immediately, before everything else. Returns whether there are any. */
export async function hurryNotifications(db: Kysely<Schema>, leadId: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set({ due_at: 0 })
    .where('kind', '=', sql.lit('notify'))
    .where('state', '=', sql.lit('due'))
    .where('subject', 'in', eb =>
      eb
        .selectFrom('timeline')
        .select('submission_id')
        .where('lead_id', '=', leadId)
        .where('kind', '=', sql.lit('submission'))
        .$castTo<{ submission_id: number }>(),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The digests that wait for their hour. */
export async function readWaitingDigests(db: Kysely<Schema>): Promise<DigestOfDay[]> {
  const rows = await db
    .selectFrom('tasks')
    .select(['step', 'subject as day', 'due_at as dueAt'])
    .where('lane', '=', sql.lit('mail'))
    .where('state', '=', sql.lit('due'))
    .where('kind', '=', sql.lit('digest'))
    .where('begun_at', 'is', null)
    .execute()
  return rows.map(({ step, ...digest }) => ({ kind: kindOfTeamMail('digest', step), ...digest }))
}

/** Reschedules a digest that still waits for its hour. */
export async function rescheduleDigest(
  db: Kysely<Schema>,
  { kind, day, dueAt, now }: DigestOfDay & { now: number },
): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ due_at: dueAt, scheduled_at: now })
    .where('kind', '=', sql.lit('digest'))
    .where('subject', '=', day)
    .where('step', '=', stepOfTeam('digest', kind))
    .where('state', '=', sql.lit('due'))
    .where('begun_at', 'is', null)
    .execute()
}
