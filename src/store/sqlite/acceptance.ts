/** Acceptance on SQLite. It runs in the store's own thread. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  type Arrival,
  type ExistingSubmission,
  type LockedOut,
  type Outcome,
  outcomeForKey,
} from '../acceptance.ts'
import { type Window, Windows } from '../counting-windows.ts'
import { afterSubmission, lockoutKeyOf, lockoutOutcome } from '../lockout.ts'

/** What a batch changes in memory once it is committed. */
type BatchChanges = { keys: Map<string, number>; windows: Map<string, Window> }

const noChanges = (): BatchChanges => ({ keys: new Map(), windows: new Map() })

/**
 * Accepts batches of arrivals, each batch in one transaction with one fsync, only by appending.
 *
 * The index on the idempotency keys is the one place where a commit would touch a random page for
 * each row. It is therefore written a little later (`indexKeys`), many keys at a time; until then
 * the newest keys are looked up in memory. That memory is only a cache: `submissions` holds every
 * key, `indexed_keys` says up to which id the index has them, and the rest is read again at start
 * and whenever another process has written.
 */
export class SqliteAcceptance {
  readonly #db: DatabaseSync
  readonly #statements: ReturnType<typeof statementsOf>
  /** Keys of submissions above `#indexed`, oldest first. */
  readonly #recent = new Map<string, number>()
  readonly #lockouts = new Windows()
  #indexed = 0
  #version = -1

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = statementsOf(db)
    this.#restoreLockouts()
    // Reads the keys that still waited when the last process ended, so that they are indexed even if
    // no submission comes.
    this.dryRun([])
  }

  /** Stores the new arrivals of a batch, all or none. Returns the outcome of each, in order. */
  accept(arrivals: Arrival[]): Outcome[] {
    return this.#transaction('immediate', () => {
      const changes = noChanges()
      const outcomes = arrivals.map(arrival => this.#acceptOne(arrival, changes))
      this.#addTask([...changes.keys.values()], arrivals)
      return { result: outcomes, afterCommit: () => this.#remember(changes, arrivals) }
    })
  }

  /** The outcome that each arrival would have if it came alone now, in order. Takes only a read lock. */
  dryRun(arrivals: Arrival[]): Outcome[] {
    return this.#transaction('deferred', () => {
      const outcomes = arrivals.map(arrival => this.#judge(arrival, noChanges()))
      return { result: outcomes, afterCommit: () => {} }
    })
  }

  #acceptOne(arrival: Arrival, changes: BatchChanges): Outcome {
    const outcome = this.#judge(arrival, changes)
    if (outcome === 'accepted') changes.keys.set(arrival.key, this.#append(arrival))
    return outcome
  }

  /** The outcome of an arrival. One that is accepted is still to be stored. */
  #judge(arrival: Arrival, changes: BatchChanges): Outcome {
    const id = changes.keys.get(arrival.key) ?? this.#find(arrival.key)
    const existing = id === undefined ? undefined : this.#statements.submission.get(id)
    const outcome = outcomeForKey(existing as ExistingSubmission | undefined, arrival)
    return outcome ?? this.#countForLockout(arrival, changes) ?? 'accepted'
  }

  /** Returns the id of the new submission. */
  #append(arrival: Arrival): number {
    const { kind, receivedAt, key, fingerprint, email, answer, body, form, clientAddress } = arrival
    const { lastInsertRowid } = this.#statements.append.run(
      kind,
      receivedAt,
      key,
      fingerprint,
      email,
      answer,
      body,
      form,
      clientAddress,
    )
    return Number(lastInsertRowid)
  }

  /** Counts a new submission towards the lockout of its address; undefined if it may pass. */
  #countForLockout(arrival: Arrival, { windows }: BatchChanges): LockedOut | undefined {
    const key = lockoutKeyOf(arrival)
    if (key === null) return undefined
    const earlier = windows.get(key) ?? this.#lockouts.get(key)
    const window = afterSubmission(earlier, arrival.receivedAt)
    windows.set(key, window)
    return lockoutOutcome(window, arrival.receivedAt)
  }

  /** Adds the task to file what a batch has stored. The ids of one transaction are consecutive. */
  #addTask(ids: number[], [arrival]: Arrival[]) {
    const [first, last] = [ids.at(0), ids.at(-1)]
    if (first === undefined || last === undefined || arrival === undefined) return
    this.#statements.addTask.run(first, last, arrival.receivedAt)
  }

  #find(key: string): number | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const row = this.#statements.indexed.get(key)
    return row && Number(row['submission_id'])
  }

  #remember({ keys, windows }: BatchChanges, [arrival]: Arrival[]) {
    for (const [key, id] of keys) {
      // Deleted first, so that the order of the map stays the order of the ids.
      this.#recent.delete(key)
      this.#recent.set(key, id)
    }
    for (const [key, window] of windows) this.#lockouts.set(key, window, arrival?.receivedAt ?? 0)
  }

  /** Counts the newest submissions again, since a restart forgets the windows in memory. */
  #restoreLockouts() {
    for (const row of this.#statements.newestStudents.all().reverse()) {
      const key = lockoutKeyOf({ email: String(row['email']), lockout: true }) as string
      const receivedAt = Number(row['received_at'])
      this.#lockouts.set(key, afterSubmission(this.#lockouts.get(key), receivedAt), receivedAt)
    }
  }

  /** How many keys wait for the index. */
  get unindexed(): number {
    return this.#recent.size
  }

  /** Writes the oldest `limit` of the waiting keys into the index, in its own order. */
  indexKeys(limit: number): void {
    this.#transaction('immediate', () => {
      const oldest = this.#recent.entries().take(limit).toArray()
      const through = oldest.at(-1)?.[1] ?? this.#indexed
      const inOrder = oldest.toSorted(([one], [other]) => (one < other ? -1 : 1))
      for (const [key, id] of inOrder) this.#statements.index.run(key, id)
      this.#statements.moveIndexed.run(through)
      return {
        result: undefined,
        afterCommit: () => {
          for (const [key] of oldest) this.#recent.delete(key)
          this.#indexed = through
        },
      }
    })
  }

  /** `immediate` takes the write lock at once; `deferred` is for work that only reads. */
  #transaction<T>(
    mode: 'immediate' | 'deferred',
    work: () => { result: T; afterCommit: () => void },
  ): T {
    this.#db.exec(`begin ${mode}`)
    try {
      this.#refresh()
      const { result, afterCommit } = work()
      this.#db.exec('commit')
      afterCommit()
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback')
      throw error
    }
  }

  /** Reads the waiting keys again if another connection has written since the last time. */
  #refresh() {
    const version = Number(this.#statements.version.get()?.['data_version'])
    if (version === this.#version) return
    this.#indexed = Number(this.#statements.readIndexed.get()?.['through'])
    this.#recent.clear()
    for (const row of this.#statements.waiting.iterate(this.#indexed)) {
      this.#recent.delete(String(row['key']))
      this.#recent.set(String(row['key']), Number(row['id']))
    }
    // Only now, so that a read that failed halfway is done again.
    this.#version = version
  }
}

function statementsOf(db: DatabaseSync) {
  const prepare = (text: string): StatementSync => db.prepare(text)
  return {
    append: prepare(
      `insert into submissions
         (kind, received_at, key, fingerprint, email, answer, body, form, client_address)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    newestStudents: prepare(
      `select email, received_at from
         (select id, kind, email, answer, received_at from submissions order by id desc limit 10000)
       where kind = 'student' and answer <> 429 order by id desc`,
    ),
  }
}
