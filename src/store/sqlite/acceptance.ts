/** Acceptance on SQLite. It runs in the store's own thread. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  type Arrival,
  type ExistingSubmission,
  type LockedOut,
  type Outcome,
  outcomeForKey,
} from '../acceptance/arrival.ts'
import { type Window, Windows } from '../acceptance/counting-windows.ts'
import { afterSubmission, lockoutKeyOf, lockoutOutcome } from '../acceptance/inquiry-lockout.ts'
import { appendingTo } from './append-submissions.ts'

/** The result of a call, and what is left to do once it is on the disk. */
export type Stored<T> = { result: T; onDisk: () => void }

/** The additions of a batch: the arrivals to store, by their keys, and the windows of lockouts. */
type BatchChanges = { now: number; arrivals: Map<string, Arrival>; windows: Map<string, Window> }

const changesAt = (now = 0): BatchChanges => ({ now, arrivals: new Map(), windows: new Map() })

/** The submissions to which keys belong, by key. */
type Existing = Map<string, ExistingSubmission>

const asExisting = ({ fingerprint, receivedAt, answer }: Arrival): ExistingSubmission => ({
  fingerprint,
  received_at: receivedAt,
  answer,
})

/**
 * Accepts batches of arrivals, each batch in one transaction with one fsync, only by appending.
 *
 * The index on the idempotency keys is the one place where a commit would touch a random page for each row. It is
 * therefore written a little later (`indexKeys`), many keys at a time; until then the newest keys are looked up in
 * memory. That memory is only a cache: `submissions` contains every key, `indexed_keys` says up to which id the index
 * has them, and the rest is read again at start and whenever another process has written.
 */
export class SqliteAcceptance {
  readonly #db: DatabaseSync
  readonly #statements: ReturnType<typeof statementsOf>
  readonly #append: ReturnType<typeof appendingTo>
  /** Keys of submissions above `#indexed`, oldest first. */
  readonly #recent = new Map<string, number>()
  readonly #lockouts = new Windows()
  #indexed = 0
  /** The highest id that we know. */
  #newest = 0
  #version = -1

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = statementsOf(db)
    this.#append = appendingTo(db)
    this.#restoreLockouts()
    // Reads the keys that still waited when the last process ended, so that they are indexed even if no submission
    // comes.
    this.dryRun([])
  }

  /** Stores the new arrivals of a batch, all or none, also within a transaction. Returns the outcome of each, in order. */
  accept(arrivals: Arrival[]): Stored<Outcome[]> {
    return this.#transaction('immediate', () => {
      const changes = changesAt(arrivals[0]?.receivedAt)
      const existing = this.#find(arrivals)
      const outcomes = arrivals.map(arrival => this.#acceptOne(arrival, existing, changes))
      const stored = arrivals.filter((_, i) => outcomes[i] === 'accepted')
      const first = stored.length > 0 ? this.#store(stored, changes.now) : 0
      return { result: outcomes, onDisk: () => this.#remember(stored, first, changes) }
    })
  }

  /** The outcome that each arrival would have now if it came alone, in order. Takes only a read lock. */
  dryRun(arrivals: Arrival[]): Outcome[] {
    return this.#transaction('deferred', () => {
      const existing = this.#find(arrivals)
      const outcomes = arrivals.map(arrival => this.#judge(arrival, existing, changesAt()))
      return { result: outcomes, onDisk: () => {} }
    }).result
  }

  #acceptOne(arrival: Arrival, existing: Existing, changes: BatchChanges): Outcome {
    const outcome = this.#judge(arrival, existing, changes)
    if (outcome === 'accepted') changes.arrivals.set(arrival.key, arrival)
    return outcome
  }

  /** The outcome of an arrival. An accepted arrival is still to be stored. */
  #judge(arrival: Arrival, existing: Existing, changes: BatchChanges): Outcome {
    const earlier = changes.arrivals.get(arrival.key)
    const same = earlier ? asExisting(earlier) : existing.get(arrival.key)
    return outcomeForKey(same, arrival) ?? this.#countForLockout(arrival, changes) ?? 'accepted'
  }

  /** Stores arrivals, and the task to file them. Returns the id of the first. */
  #store(arrivals: readonly Arrival[], now: number): number {
    const first = this.#append(arrivals)
    this.#statements.addTask.run(first, first + arrivals.length - 1, now)
    return first
  }

  /** Counts a new submission toward the lockout of its address; undefined if it may pass. */
  #countForLockout(arrival: Arrival, { windows }: BatchChanges): LockedOut | undefined {
    const key = lockoutKeyOf(arrival)
    if (key === null) return undefined
    const earlier = windows.get(key) ?? this.#lockouts.get(key)
    const window = afterSubmission(earlier, arrival.receivedAt)
    windows.set(key, window)
    return lockoutOutcome(window, arrival.receivedAt)
  }

  /** The submissions to which the keys of these arrivals belong, if any. */
  #find(arrivals: readonly Arrival[]): Existing {
    const keys = arrivals.map(({ key }) => key)
    const recent = keys.flatMap(key => this.#recent.get(key) ?? [])
    const others = keys.filter(key => !this.#recent.has(key))
    const rows = [
      ...recent.map(id => this.#statements.submission.get(id)),
      ...this.#statements.indexed.all(JSON.stringify(others)),
    ].filter(row => row !== undefined)
    return new Map(rows.map(row => [String(row['key']), row as ExistingSubmission]))
  }

  /** Adds to memory the keys that a commit has stored, from the id `first` on, and its windows. */
  #remember(stored: readonly Arrival[], first: number, { windows, now }: BatchChanges): void {
    for (const [i, { key }] of stored.entries()) {
      // Deleted first, so that the order of the map stays the order of the ids.
      this.#recent.delete(key)
      this.#recent.set(key, first + i)
      this.#newest = first + i
    }
    for (const [key, window] of windows) this.#lockouts.set(key, window, now)
  }

  /** Counts the newest submissions again, since a restart loses the windows in memory. */
  #restoreLockouts() {
    for (const row of this.#statements.newestStudents.all().reverse()) {
      const key = lockoutKeyOf({ email: String(row['email']), lockout: true }) as string
      const receivedAt = Number(row['received_at'])
      this.#lockouts.set(key, afterSubmission(this.#lockouts.get(key), receivedAt), receivedAt)
    }
  }

  /** The id of the submission with this key, if the key waits for the index. */
  waitingId(key: string): number | undefined {
    return this.#transaction('deferred', () => ({ result: this.#recent.get(key), onDisk: () => {} })).result
  }

  /** How many keys wait for the index. */
  get unindexed(): number {
    return this.#recent.size
  }

  /** The id of the newest submission. */
  get newest(): number {
    return this.#newest
  }

  /** Writes the oldest `limit` of the waiting keys into the index, in the order of the index, also within a transaction. */
  indexKeys(limit: number): Stored<void> {
    return this.#transaction('immediate', () => {
      const oldest = this.#recent.entries().take(limit).toArray()
      const through = oldest.at(-1)?.[1] ?? this.#indexed
      const inOrder = oldest.toSorted(([one], [other]) => (one < other ? -1 : 1))
      for (const [key, id] of inOrder) this.#statements.index.run(key, id)
      this.#statements.moveIndexed.run(through)
      return {
        result: undefined,
        onDisk: () => {
          for (const [key] of oldest) this.#recent.delete(key)
          this.#indexed = through
        },
      }
    })
  }

  /** `immediate` takes the write lock first; `deferred` is for reading. Within a transaction, it is a savepoint. */
  #transaction<T>(mode: 'immediate' | 'deferred', work: () => Stored<T>): Stored<T> {
    const shared = this.#db.isTransaction
    this.#db.exec(shared ? 'savepoint part' : `begin ${mode}`)
    try {
      this.#refresh()
      const stored = work()
      this.#db.exec(shared ? 'release part' : 'commit')
      return stored
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec(shared ? 'rollback to part; release part' : 'rollback')
      throw error
    }
  }

  /**
   * Reads what other connections have written since the last call: their submissions, and how far they have indexed.
   * Ids only grow, so these submissions are newer than all that this connection knows. In a rush, many keys wait, and
   * this does not read them all again.
   */
  #refresh() {
    const version = Number(this.#statements.version.get()?.['data_version'])
    if (version === this.#version) return
    const indexed = Number(this.#statements.readIndexed.get()?.['through'])
    for (const row of this.#statements.waiting.iterate(Math.max(indexed, this.#newest))) {
      this.#recent.delete(String(row['key']))
      this.#recent.set(String(row['key']), Number(row['id']))
      this.#newest = Number(row['id'])
    }
    for (const [key, id] of this.#recent) {
      if (id > indexed) break
      this.#recent.delete(key)
    }
    this.#indexed = indexed
    // This comes last, so that a read that failed halfway is repeated.
    this.#version = version
  }
}

function statementsOf(db: DatabaseSync) {
  const prepare = (text: string): StatementSync => db.prepare(text)
  return {
    addTask: prepare(
      `insert into tasks (lane, kind, subject, through, due_at, state, attempts, created_at)
       values ('filing', 'file', ?, ?, 0, 'due', 0, ?)`,
    ),
    submission: prepare('select key, received_at, fingerprint, answer from submissions where id = ?'),
    // A cross join, so that SQLite begins with the few given keys.
    indexed: prepare(
      `select k.key, s.received_at, s.fingerprint, s.answer
       from json_each(?) given cross join idempotency_keys k on k.key = given.value
       join submissions s on s.id = k.submission_id`,
    ),
    index: prepare('insert or replace into idempotency_keys (key, submission_id) values (?, ?)'),
    waiting: prepare('select id, key from submissions where id > ? order by id'),
    readIndexed: prepare('select through from indexed_keys'),
    moveIndexed: prepare('update indexed_keys set through = ?'),
    version: prepare('pragma data_version'),
    newestStudents: prepare(
      `select email, received_at from
         (select id, kind, email, answer, received_at from submissions order by id desc limit 10000)
       where kind = 'student' and answer <> 429 order by id desc`,
    ),
  }
}
