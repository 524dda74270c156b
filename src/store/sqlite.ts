/**
 * SQLite: opening a connection that keeps its promises, and acceptance the way SQLite likes it.
 * Runs in the store's own thread, because every call here blocks until the disk has answered.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteDialect,
  SqliteDriver,
  sql,
} from 'kysely'
import type { Arrival, Outcome } from './acceptance.ts'
import { type Ddl, migrate } from './migrations.ts'
import type { Schema } from './schema.ts'

/** How long a statement waits for another process's write to end, in milliseconds. */
const BUSY_TIMEOUT = 10_000

const ddl: Ddl = {
  bigint: 'integer',
  identity: column => column.primaryKey().autoIncrement(),
  table: sql`strict`,
  keyedTable: sql`strict, without rowid`,
}

/**
 * Opens the file, made if need be, with its schema up to date. Commits are durable when they
 * return: write-ahead log, and an fsync for each (`synchronous=FULL`, which is per connection and
 * lost on a default one).
 *
 * Throws when the file cannot be opened, is no database, or is newer than this program.
 */
export async function openSqlite(file: string, now: number) {
  const raw = new DatabaseSync(file, { timeout: BUSY_TIMEOUT, enableForeignKeyConstraints: true })
  raw.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  const { synchronous } = raw.prepare('pragma synchronous').get() as { synchronous: number }
  if (synchronous !== 2) throw new Error('SQLite refuses synchronous=FULL')
  const db = new Kysely<Schema>({ dialect: new ThreadDialect({ database: adapt(raw) }) })
  await db.transaction().execute(async tx => {
    await migrate(tx as never, ddl, now)
    raw.exec(`
      create table if not exists indexed_keys (through integer not null) strict;
      insert into indexed_keys select 0 where not exists (select 1 from indexed_keys)`)
  })
  return { raw, db }
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
}

class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/**
 * Accepts batches of arrivals, each batch in one transaction with one fsync, appending only.
 *
 * The index on the idempotency keys is the one place where a commit would touch a random page for
 * each row. It is therefore written a little later (`indexKeys`), many keys at a time; until then
 * the newest keys are looked up in memory. Nothing hangs on that memory: `submissions` holds every
 * key, `indexed_keys` says up to which id the index has them, and the rest is read anew at start and
 * whenever another process has written.
 */
export class SqliteAcceptance {
  readonly #db: DatabaseSync
  readonly #statements: ReturnType<typeof statementsOf>
  /** Keys of submissions above `#indexed`, oldest first. */
  readonly #recent = new Map<string, number>()
  #indexed = 0
  #version = -1

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = statementsOf(db)
  }

  /** Stores what is new of a batch, all or nothing, and says what became of each, in order. */
  accept(arrivals: Arrival[]): Outcome[] {
    return this.#transaction(() => {
      const fresh = new Map<string, number>()
      const outcomes = arrivals.map(arrival => this.#acceptOne(arrival, fresh))
      this.#addTask([...fresh.values()], arrivals)
      return { result: outcomes, commit: () => this.#remember(fresh) }
    })
  }

  #acceptOne(arrival: Arrival, fresh: Map<string, number>): Outcome {
    const known = fresh.get(arrival.key) ?? this.#find(arrival.key)
    const held = known === undefined ? undefined : this.#statements.submission.get(known)
    const { keyLifetime, receivedAt } = arrival
    const expired =
      keyLifetime !== null && held && receivedAt - Number(held['received_at']) >= keyLifetime
    if (held && !expired)
      return held['fingerprint'] === arrival.fingerprint ? 'replayed' : 'conflict'
    const { kind, key, fingerprint, email, answer, body, clientAddress } = arrival
    const { lastInsertRowid } = this.#statements.append.run(
      kind,
      receivedAt,
      key,
      fingerprint,
      email,
      answer,
      body,
      clientAddress,
    )
    fresh.set(key, Number(lastInsertRowid))
    return 'accepted'
  }

  /** The duty to file what a batch has stored. The ids of one transaction follow one another. */
  #addTask(ids: number[], [arrival]: Arrival[]) {
    const [first, last] = [ids.at(0), ids.at(-1)]
    if (first === undefined || last === undefined || arrival === undefined) return
    this.#statements.addTask.run(first, last, arrival.receivedAt)
  }

  /** The fingerprint of the submission that a key stands for; stores nothing. */
  lookUp(key: string): string | undefined {
    this.#refresh()
    const id = this.#find(key)
    const held = id === undefined ? undefined : this.#statements.submission.get(id)
    return held && String(held['fingerprint'])
  }

  #find(key: string): number | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const row = this.#statements.indexed.get(key)
    return row && Number(row['submission_id'])
  }

  #remember(fresh: Map<string, number>) {
    for (const [key, id] of fresh) {
      // Deleted first, so that the order of the map stays the order of the ids.
      this.#recent.delete(key)
      this.#recent.set(key, id)
    }
  }

  /** How many keys wait for the index. */
  get unindexed(): number {
    return this.#recent.size
  }

  /** Writes the oldest `limit` of the waiting keys into the index, in its own order. */
  indexKeys(limit: number): void {
    this.#transaction(() => {
      const oldest = this.#recent.entries().take(limit).toArray()
      const through = oldest.at(-1)?.[1] ?? this.#indexed
      const inOrder = oldest.toSorted(([one], [other]) => (one < other ? -1 : 1))
      for (const [key, id] of inOrder) this.#statements.index.run(key, id)
      this.#statements.moveIndexed.run(through)
      return {
        result: undefined,
        commit: () => {
          for (const [key] of oldest) this.#recent.delete(key)
          this.#indexed = through
        },
      }
    })
  }

  #transaction<T>(work: () => { result: T; commit: () => void }): T {
    this.#db.exec('begin immediate')
    try {
      this.#refresh()
      const { result, commit } = work()
      this.#db.exec('commit')
      commit()
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback')
      throw error
    }
  }

  /** Reads the waiting keys anew when another connection has written since the last look. */
  #refresh() {
    const version = Number(this.#statements.version.get()?.['data_version'])
    if (version === this.#version) return
    this.#version = version
    this.#indexed = Number(this.#statements.readIndexed.get()?.['through'])
    this.#recent.clear()
    for (const row of this.#statements.waiting.iterate(this.#indexed)) {
      this.#recent.delete(String(row['key']))
      this.#recent.set(String(row['key']), Number(row['id']))
    }
  }
}

function statementsOf(db: DatabaseSync) {
  const prepare = (text: string): StatementSync => db.prepare(text)
  return {
    append: prepare(
      `insert into submissions
         (kind, received_at, key, fingerprint, email, answer, body, client_address)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    addTask: prepare(
      `insert into tasks (lane, kind, subject, through, due_at, state, attempts, created_at)
       values ('filing', 'file', ?, ?, 0, 'due', 0, ?)`,
    ),
    submission: prepare('select received_at, fingerprint, answer from submissions where id = ?'),
    indexed: prepare('select submission_id from idempotency_keys where key = ?'),
    index: prepare('insert or replace into idempotency_keys (key, submission_id) values (?, ?)'),
    waiting: prepare('select id, key from submissions where id > ? order by id'),
    readIndexed: prepare('select through from indexed_keys'),
    moveIndexed: prepare('update indexed_keys set through = ?'),
    version: prepare('pragma data_version'),
  }
}
