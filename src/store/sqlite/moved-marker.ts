/**
 * The marker of a database that was moved to PostgreSQL: a table with one row. A service that started on
 * the file again would follow up the same people as the one on PostgreSQL.
 */
import type { DatabaseSync } from 'node:sqlite'
import { utcDay } from '../../platform/time.ts'

/** Marks the file as moved to a database, which messages call `name`. Safe to do twice. */
export function markMoved(db: DatabaseSync, name: string, now: number): void {
  db.exec('create table if not exists moved (name text not null, at integer not null) strict')
  db.exec('delete from moved')
  db.prepare('insert into moved values (?, ?)').run(name, now)
}

/** Removes the marker, if there is one. */
export function unmarkMoved(db: DatabaseSync): void {
  db.exec('drop table if exists moved')
}

/** Throws when the file was moved, and says where and what to do. Closes it then. */
export function requireNotMoved(db: DatabaseSync, file: string): void {
  const marked = db.prepare(`select 1 from sqlite_schema where name = 'moved'`).get()
  const row = marked && db.prepare('select name, at from moved').get()
  if (row === undefined) return
  db.close()
  const day = utcDay(Number(row['at']))
  throw new Error(
    `it was moved to ${row['name']} on ${day}. Set DATABASE_URL to that database, with its password. ` +
      `To go back to the file, without what has come since, run: npx frontdesk restore ${file} --replace`,
  )
}
