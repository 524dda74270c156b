/**
 * Acceptance the way PostgreSQL likes it: one statement for each batch, which is its own
 * transaction, so one round trip.
 */
import type { Arrival, Outcome } from '../acceptance.ts'
import { LOCKOUT } from '../lockout.ts'
import type { Pool } from './connections.ts'

/** Stores what is new of a batch, all or nothing, and says what became of each, in order. */
export async function acceptBatch(pool: Pool, arrivals: Arrival[]): Promise<Outcome[]> {
  const outcomes = new Array<Outcome | undefined>(arrivals.length)
  // A round ends with less to decide, or with the same when others are deciding it at this moment.
  for (;;) {
    const open = [...arrivals.keys()].filter(i => outcomes[i] === undefined)
    if (open.length === 0) return outcomes as Outcome[]
    const { leaders, followers } = sortOut(arrivals, open)
    const decided = await decide(pool, arrivals, leaders)
    for (const [i, outcome] of decided) outcomes[i] = outcome
    for (const [i, leader] of followers) {
      const outcome = decided.get(leader)
      outcomes[i] = outcome === 'accepted' ? 'replayed' : outcome
    }
  }
}

/**
 * A statement may hold each key once. The first arrival of a key leads, the same again follows it;
 * another body under that key has to wait for the next round.
 */
function sortOut(arrivals: Arrival[], open: number[]) {
  const leaderOf = new Map<string, number>()
  const followers: [follower: number, leader: number][] = []
  for (const i of open) {
    const { key, fingerprint } = arrivals[i] as Arrival
    const leader = leaderOf.get(key)
    if (leader === undefined) leaderOf.set(key, i)
    else if (arrivals[leader]?.fingerprint === fingerprint) followers.push([i, leader])
  }
  return { leaders: [...leaderOf.values()], followers }
}

type Row = { n: number; outcome: 'accepted' | 'replayed' | 'conflict'; locked_for: number | null }

async function decide(pool: Pool, arrivals: Arrival[], leaders: number[]) {
  const batch = leaders.map(i => ({ ...arrivals[i], n: i }))
  const now = Math.max(...batch.map(({ receivedAt }) => receivedAt ?? 0))
  const { points, duration, block } = LOCKOUT
  const { rows } = await pool.query<Row>(ACCEPT, [
    JSON.stringify(batch),
    now,
    points,
    duration,
    block,
  ])
  return new Map<number, Outcome>(
    rows.map(row => [row.n, row.locked_for === null ? row.outcome : { lockedFor: row.locked_for }]),
  )
}

/**
 * $1 the arrivals as JSON, $2 now, $3 to $5 the lockout's points, duration and block.
 *
 * The unique key decides, not what the statement saw when it began: a key that another transaction
 * is taking is waited for. Keys, then lockouts, each in their order: no two statements wait for each
 * other. Who loses a key to a transaction that began later than this statement's snapshot gets no
 * row, and asks again.
 *
 * A key may stand for no submission: it was taken by a statement that then found the address
 * locked. Such a key is free.
 */
const ACCEPT = `
with arrivals as materialized (
  select * from json_to_recordset($1::json) as a (
    n int, kind text, "receivedAt" bigint, key text, "keyLifetime" bigint, fingerprint text,
    email text, answer int, body text, "clientAddress" text, lockout text)
),
known as materialized (
  select a.n, k.submission_id, s.fingerprint,
    s.id is null or (a."receivedAt" - s.received_at >= a."keyLifetime") is true as free
  from arrivals a
  join idempotency_keys k on k.key = a.key
  left join submissions s on s.id = k.submission_id
),
new as materialized (
  select a.*, known.submission_id as held, l.until as locked_until
  from arrivals a
  left join known on known.n = a.n
  left join limits l on l.key = 'lockout ' || a.lockout and l.points > $3 and l.until > $2
  where known.n is null or known.free
),
fresh as materialized (
  select *, nextval('submissions_id_seq') as id
  from (select * from new where locked_until is null order by n) as in_order
),
taken as (
  insert into idempotency_keys as k (key, submission_id)
  select key, id from fresh order by key
  on conflict (key) do update set submission_id = excluded.submission_id
    where k.submission_id = (select held from fresh where fresh.key = k.key)
  returning submission_id
),
ranked as materialized (
  select f.*, row_number() over (partition by lockout order by id) as rank,
    count(*) over (partition by lockout) as together
  from taken join fresh f on f.id = taken.submission_id
),
counted as (
  insert into limits as l (key, points, until)
  select 'lockout ' || lockout, count(*),
    $2 + case when count(*) > $3 then $5::bigint else $4::bigint end
  from ranked where lockout is not null group by lockout order by 1
  on conflict (key) do update set
    points = case when l.until > $2 and l.until <= $2 + $4::bigint then l.points else 0 end
      + excluded.points,
    until = case
      when l.until <= $2 or l.until > $2 + $4::bigint then excluded.until
      when l.points > $3 then l.until
      when l.points + excluded.points > $3 then $2 + $5::bigint
      else l.until end
  returning key, points, until
),
judged as materialized (
  select r.*, case when c.points - r.together + r.rank > $3 then c.until end as now_locked_until
  from ranked r left join counted c on c.key = 'lockout ' || r.lockout
),
stored as (
  insert into submissions
    (id, kind, received_at, key, fingerprint, email, answer, body, client_address, batch)
  select id, kind, "receivedAt", key, fingerprint, email, answer, body, "clientAddress",
    min(id) over ()
  from judged where now_locked_until is null order by id
  returning id
),
task as (
  insert into tasks (lane, kind, subject, through, due_at, state, attempts, created_at)
  select 'filing', 'file', min(id), max(id), 0, 'due', 0, $2 from stored having count(*) > 0
)
select n, 'accepted' as outcome, now_locked_until - $2 as locked_for from judged
union all
select n, null, locked_until - $2 from new where locked_until is not null
union all
select a.n, case when a.fingerprint = known.fingerprint then 'replayed' else 'conflict' end, null
from known join arrivals a on a.n = known.n where not known.free`
