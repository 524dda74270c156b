/** The steps of a lead as a merge or a hand-over records them, to put them back as they were. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Schema } from '../tables/schema.ts'

// By name, so that what was recorded can still be compared and put back when the table has more columns.
export const stepColumns = [
  ...(['lane', 'kind', 'subject', 'step', 'through', 'due_at', 'scheduled_at', 'state'] as const),
  ...(['attempts', 'note', 'created_at', 'begun_at', 'finished_at', 'acknowledged_at'] as const),
]

/** A step of a lead, without the claim of the worker that carries it out just now. */
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

/** Puts steps in the place of those that the lead has. */
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
