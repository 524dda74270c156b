/**
 * SQLite: opening a connection whose commits are durable, and its dialect. It runs in the store's own
 * thread, because every call here blocks until the disk has responded.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type SelectModifierNode,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { migrate } from '../migrations/migrate.ts'
import type { Ddl, Migration } from '../migrations/migration.ts'
import type { Schema } from '../tables/schema.ts'
import { indexWords } from './index-words.ts'
import { BUSY_TIMEOUT } from './locks.ts'
import { requireNotMoved } from './moved-marker.ts'
import { orDamaged, requireOwnLog } from './moved-over.ts'
import { isBusy } from './result-codes.ts'
import { widenChecks } from './widen-checks.ts'

const ddlFor = (raw: DatabaseSync): Ddl => ({
  bigint: 'integer',
  bytes: 'blob',
  id: 'integer primary key autoincrement',
  table: 'strict',
  keyedTable: 'strict, without rowid',
  widenChecks: (db, table, changes) => widenChecks(raw, db, table, changes),
  indexWords,
  markChangedLeads: async db => {
    for (const [event, row] of [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ])
      await sql
        .raw(`create trigger leads_marked_on_${event} after ${event} on leads begin
          insert into changed_leads (lead_id) values (${row}.id); end`)
        .execute(db)
  },
})

/**
 * Opens the file, created if necessary, with its schema up to date. Commits are durable when they
 * return: write-ahead log, and an fsync for each (`synchronous=FULL`, which is set per connection and
 * is not the default). Deleted data is overwritten.
 *
 * Throws when the file cannot be opened, is not a database, is damaged, is newer than this program, was moved over
 * another database, or was moved to PostgreSQL, unless `moved` says that the latter does not matter. Tests give
 * migrations of their own (`steps`).
 */
export async function openSqlite(file: string, now: number, options: OpenOptions = {}) {
  requireOwnLog(file)
  try {
    return await opened(file, now, options)
  } catch (error) {
    throw orDamaged(error)
  }
}

type OpenOptions = { moved?: boolean; steps?: readonly Migration[] }

async function opened(file: string, now: number, { moved = false, steps }: OpenOptions) {
  const raw = new DatabaseSync(file, { timeout: BUSY_TIMEOUT, enableForeignKeyConstraints: false })
  if (!moved) requireNotMoved(raw, file)
  await useWriteAheadLog(raw)
  raw.exec('pragma synchronous = full; pragma secure_delete = on')
  const { synchronous } = raw.prepare('pragma synchronous').get() as { synchronous: number }
  if (synchronous !== 2) throw new Error('SQLite does not accept synchronous=FULL')
  const db = new Kysely<Schema>({ dialect: new ThreadDialect(raw) })
  await db.transaction().execute(async tx => {
    if (await migrate(tx as never, ddlFor(raw), { now, steps })) requireWholeReferences(raw)
    raw.exec(`
      create table if not exists indexed_keys (through integer not null) strict;
      insert into indexed_keys select 0 where not exists (select 1 from indexed_keys);
      create table if not exists write_probe (bytes blob not null) strict;
      insert into write_probe select x'' where not exists (select 1 from write_probe)`)
  })
  // Switched on only now: a migration may recreate a table that others refer to.
  raw.exec('pragma foreign_keys = on')
  return { raw, db }
}

/** How long to wait before trying again to switch to the write-ahead log, in milliseconds. */
const INTERVAL = 20

/**
 * A new file, or one from a backup, has no write-ahead log yet. To switch to it, SQLite first reads and then asks for
 * the lock to write. It does not wait for that lock, whatever its timeout is, because its holder may wait for the
 * reader. So we try again.
 */
async function useWriteAheadLog(raw: DatabaseSync): Promise<void> {
  for (const end = performance.now() + BUSY_TIMEOUT; ; await sleep(INTERVAL)) {
    try {
      return raw.exec('pragma journal_mode = wal')
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error
    }
  }
}

function requireWholeReferences(raw: DatabaseSync): void {
  const broken = raw.prepare('pragma foreign_key_check').get()
  if (broken) throw new Error(`A row of ${broken['table']} refers to a row that does not exist`)
}

/** The shape that Kysely's dialect expects of a driver, with the statements kept prepared. */
function adapt(raw: DatabaseSync) {
  const prepared = new Map<string, ReturnType<typeof prepare>>()
  const prepare = (text: string) => {
    const statement = raw.prepare(text)
    return {
      reader: statement.columns().length > 0,
      all: (values: readonly unknown[]) => statement.all(...(values as SQLInputValue[])),
      run: (values: readonly unknown[]) => statement.run(...(values as SQLInputValue[])),
      iterate: (values: readonly unknown[]) => statement.iterate(...(values as SQLInputValue[])),
    }
  }
  return {
    close: () => raw.close(),
    prepare: (text: string) => {
      const existing = prepared.get(text)
      if (existing !== undefined) return existing
      if (prepared.size >= 200) prepared.clear()
      const statement = prepare(text)
      prepared.set(text, statement)
      return statement
    },
  } as never
}

class ThreadDialect extends SqliteDialect {
  readonly #raw: DatabaseSync
  constructor(raw: DatabaseSync) {
    super({ database: adapt(raw) })
    this.#raw = raw
  }
  override createDriver() {
    return new ImmediateDriver(this.#raw)
  }
  override createQueryCompiler() {
    return new LocklessCompiler()
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #raw: DatabaseSync
  /** Whether the transaction is part of one that several calls share (`turns.ts`). */
  #shared = false
  constructor(raw: DatabaseSync) {
    super({ database: adapt(raw) })
    this.#raw = raw
  }

  /** Takes the write lock right away: a transaction that begins by reading may later be refused the write lock. */
  override async beginTransaction(connection: DatabaseConnection) {
    this.#shared = this.#raw.isTransaction
    await connection.executeQuery(CompiledQuery.raw(this.#shared ? 'savepoint part' : 'begin immediate'))
  }

  override async commitTransaction(connection: DatabaseConnection) {
    if (this.#shared) this.#raw.exec('release part')
    else await super.commitTransaction(connection)
  }

  /** After a full disk, SQLite has rolled back on its own; another rollback would hide that error. */
  override async rollbackTransaction(connection: DatabaseConnection) {
    if (!this.#raw.isTransaction) return
    if (this.#shared) this.#raw.exec('rollback to part; release part')
    else await super.rollbackTransaction(connection)
  }
}

/** Leaves out `for update` and the like: there is one writer at a time, and nothing else to lock. */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode) {
    if (node.modifier === 'Distinct') super.visitSelectModifier(node)
  }
}
