/**
 * A program that fills an SQLite file, without a journal. Its indexes are created at the end. It is a process of its
 * own (`fillSqlite`), because a statement that creates millions of rows would keep ours from noticing a signal.
 */
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { spawnNode } from '../processes.ts'
import { type Dialect, fillStatements } from './rows.ts'

const dialect: Dialect = {
  series: (from, to) => `select ${from} union all select n + 1 from s where n < ${to}`,
  digest: 'lower(hex(randomblob(11)))',
  inOrder: '',
  batch: 'null',
}

/**
 * Checking each row against the schema takes as long as creating the rows. With more leads than this, it is left out:
 * each benchmark also fills a smaller database with the same statements.
 */
const CHECKED = 10_000

/**
 * What is created when the rows are there. Indexes that a constraint has created have no statement, and stay. The
 * triggers would mark each lead as changed since it was counted.
 */
const LATER = `select type, name, sql from sqlite_schema
  where type = 'index' and sql is not null or type = 'trigger' and tbl_name = 'leads'`

/**
 * Fills a file whose schema is up to date with this many leads. `analyzed`: with statistics, which the service itself
 * never gathers.
 */
export async function fillSqlite(file: string, leads: number, analyzed: boolean): Promise<void> {
  const args = [import.meta.filename, file, String(leads), String(analyzed)]
  const [exitCode] = await once(spawnNode('anywhere', args, { stdio: 'inherit' }), 'exit')
  if (exitCode !== 0) throw new Error(`${file} was not filled`)
}

function fill(file: string, leads: number, analyzed: boolean): void {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false, defensive: false })
  db.exec('pragma journal_mode = delete; pragma journal_mode = off; pragma synchronous = off')
  db.exec(`pragma cache_size = -1000000; pragma ignore_check_constraints = ${leads > CHECKED}`)
  configureSearch(db, BULK)
  const later = db.prepare(LATER).all()
  db.exec('begin')
  for (const { type, name } of later) db.exec(`drop ${type} ${name}`)
  for (const statement of fillStatements(leads, Date.now(), dialect)) db.exec(statement)
  for (const { sql } of later) db.exec(String(sql))
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

if (import.meta.main) {
  const [file = '', leads, analyzed] = process.argv.slice(2)
  fill(file, Number(leads), analyzed === 'true')
}
