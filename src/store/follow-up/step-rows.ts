/** The steps of a lead as rows, which a merge or a hand-over saves so that it can restore them. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Schema } from '../tables/schema.ts'

// Listed by name, so that saved rows can still be compared and restored after the table gets more columns.
export const stepColumns = [
  ...(['lane', 'kind', 'subject', 'step', 'through', 'due_at', 'scheduled_at', 'state'] as const),
  ...(['attempts', 'note', 'created_at', 'begun_at', 'finished_at', 'acknowledged_at'] as const),
]

/** A step of a lead, without the claim of the worker that is carrying it out. */
export type StepRow = Record<string, string | number | null>

/** The steps of a lead, in order. */
export const readSteps = (db: Kysely<Schema>, leadId: number): Promise<StepRow[]> =>
  db
    .selectFrom('tasks')
    .select(stepColumns)
    .where('kind', '=', sql.lit('step'))
    .where('subject', '=', leadId)
    .orderBy('step')
    .execute()

export const sameSteps = (some: readonly StepRow[], others: readonly StepRow[]): boolean =>
  some.length === others.length &&
  some.every((step, i) => stepColumns.every(column => (step[column] ?? null) === (others[i]?.[column] ?? null)))

/** Replaces the steps of a lead with these. */
export async function restoreSteps(tx: Transaction<Schema>, leadId: number, steps: readonly StepRow[]): Promise<void> {
  await tx.deleteFrom('tasks').where('kind', '=', 'step').where('subject', '=', leadId).execute()
  for (const step of steps) {
    const row = Object.fromEntries(stepColumns.map(column => [column, step[column] ?? null]))
    await tx
      .insertInto('tasks')
      .values(row as never)
      .execute()
  }
}
