/** How often people saw, began and sent each form of the school on a day, without saying who they were. */
import type { Kysely } from 'kysely'
import type { Schema } from '../tables/schema.ts'

export type FormCount = Schema['form_counts']

/** The prefix `rest_` marks events of the second step of a form in two steps. */
export const formEvents = ['seen', 'begun', 'sent', 'rest_begun', 'rest_sent'] as const

export type FormEvent = (typeof formEvents)[number]

export async function addFormCounts(db: Kysely<Schema>, counts: readonly FormCount[]): Promise<void> {
  if (counts.length === 0) return
  const places = counts.map(row => [`${row.form} ${row.day}`, row] as const)
  await db
    .insertInto('form_counts')
    // The rows are always in the same order, so that processes that add to the same rows do not deadlock.
    .values(places.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row))
    .onConflict(oc =>
      oc
        .columns(['form', 'day'])
        .doUpdateSet(eb =>
          Object.fromEntries(formEvents.map(one => [one, eb(`form_counts.${one}`, '+', eb.ref(`excluded.${one}`))])),
        ),
    )
    .execute()
}

/** The sums of each form since a day, as yyyy-mm-dd. */
export async function readFormCounts(db: Kysely<Schema>, since: string): Promise<Omit<FormCount, 'day'>[]> {
  const rows = await db
    .selectFrom('form_counts')
    .select('form')
    .select(eb => formEvents.map(one => eb.fn.sum<number>(one).as(one)))
    .where('day', '>=', since)
    .groupBy('form')
    .execute()
  return rows.map(row => ({
    ...row,
    ...(Object.fromEntries(formEvents.map(one => [one, Number(row[one])])) as Record<FormEvent, number>),
  }))
}
