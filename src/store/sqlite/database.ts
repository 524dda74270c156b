/**
 * SQLite: opening a connection that keeps its promises, and what its dialect does otherwise. Runs in
 * the store's own thread, because every call here blocks until the disk has answered.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { migrate } from '../migrations/migrate.ts'
import type { Ddl } from '../migrations/migration.ts'
import type { Schema } from '../schema.ts'
import { rebuildTable } from './rebuild-table.ts'

/** How long a statement waits for another process's write to end, in milliseconds. */
const BUSY_TIMEOUT = 10_000

const ddl: Ddl = {
  bigint: 'integer',
  identity: column => column.primaryKey().autoIncrement(),
  table: sql`strict`,
  keyedTable: sql`strict, without rowid`,
  changeConstraints: rebuildTable,
}

/**
 * Opens the file, made if need be, with its schema up to date. Commits are durable when they
 * return: write-ahead log, and an fsync for each (`synchronous=FULL`, which is per connection and
 * lost on a default one). What is deleted is overwritten.
 *
 * Throws when the file cannot be opened, is no database, or is newer than this program.
 */
export async function openSqlite(file: string, now: number) {
  const raw = new DatabaseSync(file, { timeout: BUSY_TIMEOUT, enableForeignKeyConstraints: false })
  raw.exec('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on')
  const { synchronous } = raw.prepare('pragma synchronous').get() as { synchronous: number }
  if (synchronous !== 2) throw new Error('SQLite refuses synchronous=FULL')
  const db = new Kysely<Schema>({ dialect: new ThreadDialect({ database: adapt(raw) }) })
  await db.transaction().execute(async tx => {
    if (await migrate(tx as never, ddl, now)) requireWholeReferences(raw)
    raw.exec(`
      create table if not exists indexed_keys (through integer not null) strict;
      insert into indexed_keys select 0 where not exists (select 1 from indexed_keys)`)
  })
  // On only now: a step of the schema may make a table anew that others refer to.
  raw.exec('pragma foreign_keys = on')
  return { raw, db }
}

function requireWholeReferences(raw: DatabaseSync): void {
  const broken = raw.prepare('pragma foreign_key_check').get()
  if (broken) throw new Error(`A row of ${broken['table']} refers to one that is not there`)
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
      const known = prepared.get(text)
      if (known !== undefined) return known
      if (prepared.size >= 200) prepared.clear()
      const fresh = prepare(text)
      prepared.set(text, fresh)
      return fresh
    },
  } as never
}

/** Transactions take the write lock when they begin: one begun for reading may not be let write. */
class ThreadDialect extends SqliteDialect {
  #config: ConstructorParameters<typeof SqliteDialect>[0]
  constructor(config: ConstructorParameters<typeof SqliteDialect>[0]) {
    super(config)
    this.#config = config
  }
  override createDriver() {
    return new ImmediateDriver(this.#config)
  }
  override createQueryCompiler() {
    return new LocklessCompiler()
  }
}

class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/** Leaves out `for update` and the like: there is one writer at a time, and nothing else to lock. */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier() {}
}
