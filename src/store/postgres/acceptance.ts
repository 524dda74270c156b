/**
 * Acceptance the way PostgreSQL likes it: a batch in which every key is new, as nearly all are, is
 * one statement, which is its own transaction, so one round trip.
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import {
  type Arrival,
  type ExistingSubmission,
  type Outcome,
  outcomeForKey,
} from '../acceptance.ts'
import { CLOCK_SKEW } from '../clock-skew.ts'
import { afterSubmission, LOCKOUT, lockoutOutcome } from '../lockout.ts'
import type { Pool } from './connections.ts'
import { readWindows } from './counting.ts'

export class PostgresAcceptance {
  readonly #pool: Pool
  #named = true

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Stores what is new of a batch, and says what became of each, in order. Where it throws, any may be. */
  async accept(arrivals: Arrival[]): Promise<Outcome[]> {
    const outcomes = new Array<Outcome | undefined>(arrivals.length)
    // A round leaves those whose key somebody else is about to take, and another body under one key.
    for (;;) {
      const open = [...arrivals.keys()].filter(i => outcomes[i] === undefined)
      if (open.length === 0) return outcomes as Outcome[]
      const { leaders, followers } = sortOut(arrivals, open)
      const decided = await this.#decide(leaders)
      for (const [i, outcome] of decided) outcomes[i] = outcome
      for (const [i, leader] of followers) {
        const outcome = decided.get(leader)
        const { answer } = arrivals[leader] as Arrival
        outcomes[i] = outcome === 'accepted' ? { replayed: answer } : outcome
      }
    }
  }

  /** What `accept` would say of each, were it to come alone now, in order. Only reads. */
  async dryRun(arrivals: Arrival[]): Promise<Outcome[]> {
    const lockouts = arrivals.flatMap(({ lockout }) => (lockout === null ? [] : [limitOf(lockout)]))
    // Before the keys: of the same that is being accepted meanwhile, a dry run may hear that it would
    // be a replay, but never of a lockout that only that one has brought about.
    const windows = await readWindows(this.#pool, lockouts)
    const formers = new Map(await this.#lookUp(arrivals))
    return arrivals.map(arrival => {
      const outcome = outcomeForKey(formers.get(arrival), arrival)
      if (outcome !== undefined || arrival.lockout === null) return outcome ?? 'accepted'
      const { lockout, receivedAt } = arrival
      const window = afterSubmission(windows.get(limitOf(lockout)), receivedAt)
      return lockoutOutcome(window, receivedAt) ?? 'accepted'
    })
  }

  async #decide(leaders: Numbered[]): Promise<Map<number, Outcome>> {
    const decided = await this.#take(leaders)
    const lost = leaders.filter(({ n }) => !decided.has(n))
    if (lost.length === 0) return decided
    const free: Succeeding[] = []
    for (const [arrival, former] of await this.#lookUp(lost)) {
      const outcome = outcomeForKey(former, arrival)
      if (outcome === undefined) free.push({ ...arrival, former: former.id })
      else decided.set(arrival.n, outcome)
    }
    if (free.length === 0) return decided
    return new Map([...decided, ...(await this.#retake(free))])
  }

  /** Stores those whose key is new. Those whose key is known, or being taken, get no outcome. */
  async #take(arrivals: Numbered[]): Promise<Map<number, Outcome>> {
    if (!this.#named) return this.#store(TAKE, arrivals)
    try {
      return await this.#store(TAKE, arrivals, TAKE_NAME)
    } catch (error) {
      if (!isAboutName(error)) throw error
      // A pooler stands between and lends out another connection each time.
      this.#named = false
      return this.#store(TAKE, arrivals)
    }
  }

  /** Stores those whose key still stands for the submission that it stood for a moment ago. */
  #retake(arrivals: Succeeding[]): Promise<Map<number, Outcome>> {
    return this.#store(RETAKE, arrivals)
  }

  async #store(text: string, arrivals: Numbered[], name?: string): Promise<Map<number, Outcome>> {
    const now = Math.max(...arrivals.map(({ receivedAt }) => receivedAt))
    const { points, duration, block } = LOCKOUT
    const values = [JSON.stringify(arrivals), now, points, duration, block, CLOCK_SKEW]
    const { rows } = await this.#pool.query<Stored>(
      name === undefined ? { text, values } : { name, text, values },
    )
    const locked = rows.filter(row => row.locked_for !== null)
    // Their keys are free in any case; only the rows would stay for ever.
    if (locked.length > 0) await this.#pool.query(FORGET, [JSON.stringify(locked)]).catch(() => {})
    return new Map(
      rows.map(({ n, locked_for }) => [
        n,
        locked_for === null ? 'accepted' : { lockedFor: locked_for },
      ]),
    )
  }

  /** What the keys stand for, those that stand for something. */
  async #lookUp<A extends Arrival>(arrivals: A[]): Promise<[A, Found][]> {
    const { rows } = await this.#pool.query<Found>(LOOK_UP, [arrivals.map(({ key }) => key)])
    const formers = new Map(rows.map(row => [row.key, row]))
    return arrivals.flatMap(arrival => {
      const row = formers.get(arrival.key)
      return row ? [[arrival, row] as [A, Found]] : []
    })
  }
}

type Stored = { n: number; key: string; id: number; locked_for: number | null }

/** An arrival with its place in the batch. */
type Numbered = Arrival & { n: number }
/** And with the id of the submission that its key stood for. */
type Succeeding = Numbered & { former: number }
/** What a key stands for. */
type Found = ExistingSubmission & { key: string; id: number }

/** The key of a lockout among the limits, as the statement writes it. */
const limitOf = (lockout: string): string => `lockout ${lockout}`

/**
 * A statement may hold each key once. The first arrival of a key leads, the same again follows it;
 * another body under that key has to wait for the next round.
 */
function sortOut(arrivals: Arrival[], open: number[]) {
  const leaders = new Map<string, Numbered>()
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
 * $1 the arrivals as JSON, $2 now, $3 to $5 the lockout's points, duration and block, $6 the skew of
 * clocks. `taken` gives the ids of those that have got their key.
 *
 * A submission whose address proves to be locked is not stored; its key then stands for a submission
 * that does not exist, and is free. Keys, then lockouts, each in their order: no two statements wait
 * for each other. Nothing is looked up in a table that grows, so a plan made once stays good.
 */
const statement = (taken: string) => `
with arrivals as materialized (
  select *, nextval('submissions_id_seq') as id from json_to_recordset($1::json) as a (
    n int, kind text, "receivedAt" bigint, key text, fingerprint text, email text, answer int,
    body text, "clientAddress" text, lockout text, former bigint)
),
${taken},
ranked as materialized (
  select a.*, row_number() over (partition by lockout order by id) as rank,
    count(*) over (partition by lockout) as together
  from taken join arrivals a on a.id = taken.submission_id
),
counted as (
  insert into limits as l (key, points, until)
  select 'lockout ' || lockout, count(*),
    $2 + case when count(*) > $3 then $5::bigint else $4::bigint end
  from ranked where lockout is not null group by lockout order by 1
  on conflict (key) do update set
    points = case when l.until > $2 and l.until <= $2 + $4::bigint + $6 then l.points else 0 end
      + excluded.points,
    until = case
      when l.until <= $2 or l.until > $2 + $4::bigint + $6 then excluded.until
      when l.points > $3 then l.until
      when l.points + excluded.points > $3 then $2 + $5::bigint
      else l.until end
  returning key, points, until
),
judged as materialized (
  select r.*, case when c.points - r.together + r.rank > $3 then c.until end as locked_until
  from ranked r left join counted c on c.key = 'lockout ' || r.lockout
),
stored as (
  insert into submissions
    (id, kind, received_at, key, fingerprint, email, answer, body, client_address, batch)
  select id, kind, "receivedAt", key, fingerprint, email, answer, body, "clientAddress",
    min(id) over ()
  from judged where locked_until is null order by id
  returning id
),
task as (
  insert into tasks (lane, kind, subject, through, due_at, state, attempts, created_at)
  select 'filing', 'file', min(id), max(id), 0, 'due', 0, $2 from stored having count(*) > 0
)
select n, key, id, locked_until - $2 as locked_for from judged`

/** The unique key decides: one that another transaction is taking at this moment is waited for. */
const TAKE = statement(`taken as (
  insert into idempotency_keys (key, submission_id) select key, id from arrivals order by key
  on conflict (key) do nothing
  returning submission_id
)`)

/** Named, so that it is planned once; by its text, since programs of two versions may meet. */
const TAKE_NAME = `accept_${createHash('sha256').update(TAKE).digest('hex').slice(0, 16)}`

const RETAKE = statement(`locked as materialized (
  select k.key, a.id from idempotency_keys k join arrivals a on a.key = k.key
  where k.submission_id = a.former order by k.key for update of k
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
