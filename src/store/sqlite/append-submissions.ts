/**
 * Appends submissions, many with each statement. A statement for each would cost two and a half times as much: mostly
 * for reading and writing the highest id, which SQLite does once per statement.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Arrival } from '../acceptance/arrival.ts'

/** How many rows the statements append. Every number is a sum of these. */
const SIZES = [32, 16, 8, 4, 2, 1]

/**
 * Makes the function that stores arrivals in their order, inside a transaction of the caller. It returns the id of the
 * first arrival; the ids of the others follow without a gap.
 */
export function appendingTo(db: DatabaseSync): (arrivals: readonly Arrival[]) => number {
  const statements = SIZES.map(size => ({ size, statement: db.prepare(insertOf(size)) }))
  return arrivals => {
    let done = 0
    let last = 0
    for (const { size, statement } of statements) {
      for (; arrivals.length - done >= size; done += size) {
        const values = arrivals.slice(done, done + size).flatMap(valuesOf)
        last = Number(statement.run(...values).lastInsertRowid)
      }
    }
    return last - done + 1
  }
}

const insertOf = (rows: number): string => `insert into submissions
  (kind, received_at, key, fingerprint, email, answer, body, form, client_address)
  values ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`

const valuesOf = (one: Arrival) => [
  one.kind,
  one.receivedAt,
  one.key,
  one.fingerprint,
  one.email,
  one.answer,
  one.body,
  one.form,
  one.clientAddress,
]
