/** Fills an SQLite file, without a journal. Its indexes are created at the end. */
import { DatabaseSync } from 'node:sqlite'
import { type Dialect, fillStatements } from './rows.ts'

const dialect: Dialect = {
  series: (from, to) => `select ${from} union all select n + 1 from s where n < ${to}`,
  digest: 'lower(hex(randomblob(11)))',
  inOrder: '',
  batch: 'null',
}

/** `analyzed`: with statistics, which the service itself never gathers. */
export function fillSqlite(file: string, leads: number, analyzed: boolean): void {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false, defensive: false })
  db.exec('pragma journal_mode = delete; pragma journal_mode = off; pragma synchronous = off')
  db.exec('pragma cache_size = -1000000')
  configureSearch(db, BULK)
  // Indexes that a constraint has created have no statement, and stay.
  const indexes = db.prepare("select name, sql from sqlite_schema where type = 'index' and sql is not null").all()
  db.exec('begin')
  for (const { name } of indexes) db.exec(`drop index ${name}`)
  for (const statement of fillStatements(leads, Date.now(), dialect)) db.exec(statement)
  for (const { sql } of indexes) db.exec(String(sql))
  db.exec('update indexed_keys set through = (select max(id) from submissions)')
  configureSearch(db, USUAL)
  if (analyzed) db.exec('pragma analysis_limit = 1000; analyze')
  db.exec('commit; pragma journal_mode = wal')
  db.close()
}

/** What FTS5 holds in memory before it writes, in bytes: its default, and much more. */
const USUAL = 1024 * 1024
const BULK = 256 * USUAL

function configureSearch(db: DatabaseSync, hashSize: number): void {
  db.exec(`insert into lead_search (lead_search, rank) values ('hashsize', ${hashSize})`)
}
