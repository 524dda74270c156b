/**
 * Acceptance on PostgreSQL. If every key of a batch is new, as in nearly all batches, the batch is one statement, which
 * is its own transaction: one round trip.
 */
import { hash } from 'node:crypto'
import pg from 'pg'
import { type Arrival, type ExistingSubmission, type Outcome, outcomeForKey } from '../acceptance/arrival.ts'
import { afterSubmission, lockoutKeyOf, lockoutOutcome } from '../acceptance/inquiry-lockout.ts'
import type { Pool } from './connections.ts'
import { countedFrom, parametersOf, type WithLockout } from './counted-lockouts.ts'
import { readWindows } from './counting.ts'
import type { LimitKey } from './limit-keys.ts'
import { PlainInsert } from './plain-insert.ts'

export class PostgresAcceptance {
  readonly #pool: Pool
  readonly #limitKeys: () => Promise<LimitKey>
  readonly #plain: PlainInsert
  #named = true

  /** `limitKeys` gives the keys of lockouts in the table `limits`. */
  constructor(pool: Pool, limitKeys: () => Promise<LimitKey>) {
    this.#pool = pool
    this.#plain = new PlainInsert(pool)
    this.#limitKeys = limitKeys
  }

  /** Stores the new arrivals of a batch. Returns each outcome, in order. If it throws, any of them may be stored. */
  async accept(arrivals: Arrival[]): Promise<Outcome[]> {
    const outcomes = new Array<Outcome | undefined>(arrivals.length)
    // A round does not settle arrivals whose key another transaction is about to take, nor arrivals with a different
    // body under a key of the same round.
    for (;;) {
      const open = [...arrivals.keys()].filter(i => outcomes[i] === undefined)
      if (open.length === 0) return outcomes as Outcome[]
      const { leaders, followers } = leadersOf(arrivals, open)
      const decided = await this.#decide(leaders)
      for (const [i, outcome] of decided) outcomes[i] = outcome
      for (const [i, leader] of followers) {
        const outcome = decided.get(leader)
        const { answer } = arrivals[leader] as Arrival
        outcomes[i] = outcome === 'accepted' ? { replayed: answer } : outcome
      }
    }
  }

  /** The outcome that each arrival would have now if it came alone, in order. This only reads. */
  async dryRun(arrivals: Arrival[]): Promise<Outcome[]> {
    const limitOf = await this.#limits()
    const lockouts = arrivals.flatMap(arrival => limitOf(arrival) ?? [])
    // Before the keys: if the same submission is accepted meanwhile, a dry run may say that it would
    // be a replay, but never report a lockout that only that submission brought about.
    const windows = await readWindows(this.#pool, lockouts)
    const existing = new Map(await this.#lookUp(arrivals))
    return arrivals.map(arrival => {
      const outcome = outcomeForKey(existing.get(arrival), arrival)
      const limit = limitOf(arrival)
      if (outcome !== undefined || limit === null) return outcome ?? 'accepted'
      const window = afterSubmission(windows.get(limit), arrival.receivedAt)
      return lockoutOutcome(window, arrival.receivedAt) ?? 'accepted'
    })
  }

  async #decide(leaders: BatchEntry[]): Promise<Map<number, Outcome>> {
    const decided = await this.#take(leaders)
    const open = leaders.filter(({ n }) => !decided.has(n))
    if (open.length === 0) return decided
    const free: Replacement[] = []
    for (const [arrival, existing] of await this.#lookUp(open)) {
      const outcome = outcomeForKey(existing, arrival)
      if (outcome === undefined) free.push({ ...arrival, replaces: existing.id })
      else decided.set(arrival.n, outcome)
    }
    if (free.length === 0) return decided
    return new Map([...decided, ...(await this.#retake(free))])
  }

  /** Stores the arrivals whose key is new. Arrivals whose key is known, or is being taken, do not get an outcome. */
  async #take(arrivals: BatchEntry[]): Promise<Map<number, Outcome>> {
    const entries = await this.#withLockouts(arrivals)
    if (await this.#byName(named => this.#plain.store(entries, named))) {
      return new Map(arrivals.map(({ n }) => [n, 'accepted']))
    }
    return this.#byName(named => this.#store(TAKE, entries, named ? TAKE_NAME : undefined))
  }

  /** Runs a statement under its name, or without one if a pooler lends another connection each time. */
  async #byName<T>(run: (named: boolean) => Promise<T>): Promise<T> {
    if (!this.#named) return run(false)
    try {
      return await run(true)
    } catch (error) {
      if (!isAboutName(error)) throw error
      this.#named = false
      return run(false)
    }
  }

  /** Stores the arrivals whose key still belongs to the same submission as a moment ago. */
  async #retake(arrivals: Replacement[]): Promise<Map<number, Outcome>> {
    return this.#store(RETAKE, await this.#withLockouts(arrivals))
  }

  async #store(text: string, entries: WithLockout[], name?: string): Promise<Map<number, Outcome>> {
    const values = parametersOf(entries)
    const { rows } = await this.#pool.query<StoredRow>(name === undefined ? { text, values } : { name, text, values })
    const locked = rows.filter(row => row.locked_for !== null)
    // Their keys are free in any case, but without this, their rows would stay forever.
    if (locked.length > 0) await this.#pool.query(FORGET, [JSON.stringify(locked)]).catch(() => {})
    return new Map(rows.map(({ n, locked_for }) => [n, locked_for === null ? 'accepted' : { lockedFor: locked_for }]))
  }

  async #withLockouts(arrivals: BatchEntry[]): Promise<WithLockout[]> {
    const limitOf = await this.#limits()
    return arrivals.map(arrival => ({ ...arrival, lockout: limitOf(arrival) }))
  }

  /** Returns a function that gives the key of an arrival's lockout in the table `limits`; null if it has none. */
  async #limits(): Promise<(arrival: Arrival) => string | null> {
    const limitKey = await this.#limitKeys()
    return arrival => {
      const name = lockoutKeyOf(arrival)
      return name && limitKey(name)
    }
  }

  /** The arrivals whose key belongs to a submission, each with that submission. */
  async #lookUp<A extends Arrival>(arrivals: A[]): Promise<[A, KeyRow][]> {
    const { rows } = await this.#pool.query<KeyRow>(LOOK_UP, [arrivals.map(({ key }) => key)])
    const byKey = new Map(rows.map(row => [row.key, row]))
    return arrivals.flatMap(arrival => {
      const row = byKey.get(arrival.key)
      return row ? [[arrival, row] as [A, KeyRow]] : []
    })
  }
}

/** What the statement returns for an arrival whose key it has taken. */
type StoredRow = { n: number; key: string; id: number; locked_for: number | null }

type BatchEntry = Arrival & { n: number }
/** An arrival with the id of the submission to which its key has belonged until now. */
type Replacement = BatchEntry & { replaces: number }
type KeyRow = ExistingSubmission & { key: string; id: number }

/**
 * A statement may contain each key once. The first arrival of a key is a leader, and the same submission again is its
 * follower. A different body under that key has to wait for the next round.
 */
function leadersOf(arrivals: Arrival[], open: number[]) {
  const leaders = new Map<string, BatchEntry>()
  const followers: [follower: number, leader: number][] = []
  for (const n of open) {
    const arrival = arrivals[n] as Arrival
    const leader = leaders.get(arrival.key)
    if (leader === undefined) leaders.set(arrival.key, { ...arrival, n })
    else if (leader.fingerprint === arrival.fingerprint) followers.push([n, leader.n])
  }
  return { leaders: [...leaders.values()], followers }
}

/**
 * The parameters are those of `parametersOf`. `taken` gives the ids of the arrivals that got their key.
 *
 * A submission whose address turns out to be locked is not stored; its key then belongs to a submission that does not
 * exist, and is free. Keys come before lockouts, each in order, so that statements do not deadlock. The statement does
 * not look up anything in a table that grows, so a plan that was made once stays good.
 */
const statement = (taken: string) => `
with arrivals as materialized (
  select *, nextval('submissions_id_seq') as id from json_to_recordset($1::json) as a (
    n int, kind text, "receivedAt" bigint, key text, fingerprint text, email text, answer int,
    body text, form text, "clientAddress" text, lockout text, replaces bigint)
),
${taken},
ranked as materialized (
  select a.*, row_number() over (partition by lockout order by id) as rank,
    count(*) over (partition by lockout) as together
  from taken join arrivals a on a.id = taken.submission_id
),
counted as (${countedFrom('ranked')}
),
judged as materialized (
  select r.*, case when c.points - r.together + r.rank > $3 then c.until end as locked_until
  from ranked r left join counted c on c.key = r.lockout
),
stored as (
  insert into submissions
    (id, kind, received_at, key, fingerprint, email, answer, body, form, client_address,
     batch)
  select id, kind, "receivedAt", key, fingerprint, email, answer, body, form, "clientAddress",
    min(id) over ()
  from judged where locked_until is null order by id
  returning id
),
task as (
  insert into tasks (lane, kind, subject, through, due_at, state, attempts, created_at)
  select 'filing', 'file', min(id), max(id), 0, 'due', 0, $2 from stored having count(*) > 0
)
select n, key, id, locked_until - $2 as locked_for from judged`

/** The unique key decides; this waits for a transaction that is taking the same key at this moment. */
const TAKE = statement(`taken as (
  insert into idempotency_keys (key, submission_id) select key, id from arrivals order by key
  on conflict (key) do nothing
  returning submission_id
)`)

/**
 * A named statement is planned once. Its name contains a digest of its text, since two versions may run at the same
 * time.
 */
const TAKE_NAME = `accept_${hash('sha256', TAKE, 'hex').slice(0, 16)}`

const RETAKE = statement(`locked as materialized (
  select k.key, a.id from idempotency_keys k join arrivals a on a.key = k.key
  where k.submission_id = a.replaces order by k.key for update of k
),
taken as (
  update idempotency_keys k set submission_id = locked.id from locked where k.key = locked.key
  returning submission_id
)`)

const FORGET = `
delete from idempotency_keys k using json_to_recordset($1::json) as f (key text, id bigint)
where k.key = f.key and k.submission_id = f.id`

const LOOK_UP = `
select k.key, k.submission_id as id, s.fingerprint, s.received_at, s.answer
from idempotency_keys k left join submissions s on s.id = k.submission_id
where k.key = any($1)`

/** PostgreSQL, appendix A: invalid_sql_statement_name and duplicate_prepared_statement. */
const isAboutName = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && ['26000', '42P05'].includes(error.code ?? '')
