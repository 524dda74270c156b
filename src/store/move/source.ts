/** The SQLite file that a move reads. During the move, no one else has it open, and no row in it changes. */
import { existsSync } from 'node:fs'
import type { SQLInputValue } from 'node:sqlite'
import { openSqlite } from '../sqlite/database.ts'
import { lockOut } from '../sqlite/locks.ts'
import { markMoved } from '../sqlite/moved-marker.ts'
import { MoveRefused } from './refused.ts'
import { batchOf, keyOf, type Row, type Table } from './tables.ts'

export type Source = Awaited<ReturnType<typeof openSource>>

/**
 * Opens the file, with its schema up to date. `complete`: it must contain the secret that signs links. `batch`: how
 * many rows are read at once. Throws with a plain reason.
 */
export async function openSource(
  file: string,
  { complete, batch: most }: { complete: boolean; batch?: number | undefined },
  now: number,
) {
  if (!existsSync(file)) throw new Error('the file does not exist')
  const { raw, db } = await openSqlite(file, now, { moved: true })
  const own = raw.prepare(`select 1 from secrets where name = 'links'`).get()
  if (complete && own === undefined) {
    await db.destroy()
    throw new Error('the secret that signs its links is missing: set SECRET_KEY to the value that the service uses')
  }

  return {
    file,

    /** Locks everyone else out until the file is closed. Throws MoveRefused when someone has it open. */
    lock(): void {
      if (!lockOut(raw)) throw new MoveRefused(`The service is still running on ${file}: stop it first.`)
    },

    columns(table: Table): string[] {
      return raw
        .prepare(rowsOf(table))
        .columns()
        .map(({ name }) => name)
    },

    count(table: Table): number {
      return Number(raw.prepare(`select count(*) as n from (${rowsOf(table)})`).get()?.['n'])
    },

    /** The rows in the order of their key, starting after the row `after`. */
    *batches(table: Table, after?: Row): Generator<Row[]> {
      const key = keyOf(table)
      const values = after ? table.key.map(({ column }) => after[column] as SQLInputValue) : []
      const behind = after ? `where (${key}) > (${values.map(() => '?')})` : ''
      const statement = raw.prepare(`select * from (${rowsOf(table)}) ${behind} order by ${key}`)
      const size = batchOf(table, most)
      let batch: Row[] = []
      for (const row of statement.iterate(...values)) {
        if (batch.push(row) < size) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    },

    /** The highest id that each table with generated ids has ever had, even if that row was deleted. */
    highestIds(): { table: string; id: number }[] {
      const sequences = raw.prepare('select name, seq from sqlite_sequence where seq > 0').all()
      return sequences.map(({ name, seq }) => ({ table: String(name), id: Number(seq) }))
    },

    /** From now on, no service can start on the file. */
    finish: (target: string): void => markMoved(raw, target, now),

    close: () => db.destroy(),
  }
}

/** The rows of a table, in the form that the target needs. */
const rowsOf = ({ name }: Table): string => special[name] ?? `select * from ${name}`

const special: { [name in Table['name']]?: string } = {
  // The form in which PostgreSQL writes and reads bytes.
  attachment_parts: `select attachment_id, number, '\\x' || lower(hex(bytes)) as bytes from attachment_parts`,
  school_files: `select name, '\\x' || lower(hex(bytes)) as bytes, created_at from school_files`,
  // The newest keys may not be in the index yet. A key belongs to the last submission that has it.
  idempotency_keys: `
    select key, submission_id from idempotency_keys where key not in
      (select key from submissions where id > (select through from indexed_keys))
    union all
    select key, id from submissions where id in
      (select max(id) from submissions where id > (select through from indexed_keys) group by key)`,
}
