/** How often each form of the school was seen, begun and sent on a day. Nothing says who it was. */
import type { Kysely } from 'kysely'
import type { Schema } from '../tables/schema.ts'

export type FormCount = Schema['form_counts']

/** Adds to the counts of days. */
export async function addFormCounts(db: Kysely<Schema>, counts: readonly FormCount[]): Promise<void> {
  if (counts.length === 0) return
  const places = counts.map(row => [`${row.form} ${row.day}`, row] as const)
  await db
    .insertInto('form_counts')
    // In one order, since other processes add to the same rows.
    .values(places.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row))
    .onConflict(oc =>
      oc
        .columns(['form', 'day'])
        .doUpdateSet(eb => ({
          seen: eb('form_counts.seen', '+', eb.ref('excluded.seen')),
          begun: eb('form_counts.begun', '+', eb.ref('excluded.begun')),
          sent: eb('form_counts.sent', '+', eb.ref('excluded.sent')),
        })),
    )
    .execute()
}

/** The sums of each form since a day, as yyyy-mm-dd. */
export async function readFormCounts(db: Kysely<Schema>, since: string): Promise<Omit<FormCount, 'day'>[]> {
  const rows = await db
    .selectFrom('form_counts')
    .select(eb => [
      'form',
      eb.fn.sum<number>('seen').as('seen'),
      eb.fn.sum<number>('begun').as('begun'),
      eb.fn.sum<number>('sent').as('sent'),
    ])
    .where('day', '>=', since)
    .groupBy('form')
    .execute()
  return rows.map(({ form, seen, begun, sent }) => ({
    form,
    seen: Number(seen),
    begun: Number(begun),
    sent: Number(sent),
  }))
}
