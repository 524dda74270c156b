/** Counts in fixed windows of time that all replicas share, many hits in one statement. */
import type { Hit, Window } from '../acceptance/counting-windows.ts'
import { CLOCK_SKEW } from '../tasks/clock-skew.ts'
import type { Pool } from './connections.ts'
import type { LimitKey } from './limit-keys.ts'

export type KeyedHit = Hit & { key: string }

/** Counts a batch of hits, whose keys are not hashed yet; returns the window after each hit, in order. */
export async function countBatch(pool: Pool, named: KeyedHit[], limitKeys: () => Promise<LimitKey>): Promise<Window[]> {
  const limitKey = await limitKeys()
  const hits = named.map(hit => ({ ...hit, key: limitKey(hit.key) }))
  const totals = new Map<string, KeyedHit>()
  for (const hit of hits) {
    const add = (totals.get(hit.key)?.add ?? 0) + hit.add
    totals.set(hit.key, { ...hit, add })
  }
  const now = Math.max(...hits.map(hit => hit.now))
  const { rows } = await pool.query(COUNT, [JSON.stringify([...totals.values()]), now, CLOCK_SKEW])
  const windows = new Map<string, Window>(rows.map(({ key, ...window }) => [key, window]))
  // Starts from the window after the whole batch, and subtracts each hit in turn, the last one first.
  const backwards = hits.toReversed().map(({ key, add }) => {
    const window = windows.get(key) as Window
    windows.set(key, { ...window, points: window.points - add })
    return window
  })
  return backwards.reverse()
}

/**
 * $1 is the hits as JSON, one for each key, $2 now, $3 the skew of clocks. A window is open until its end, unless that
 * is later than this hit could make it; a hit of 0 points changes nothing.
 *
 * This is the rule of a counting window as `afterHit` (counting-windows.ts) has it; `afterSubmission`
 * (inquiry-lockout.ts) and postgres/counted-lockouts.ts hold the rule for lockouts.
 */
const COUNT = `
with hits as (
  select key, add, $2 + duration as until
  from json_to_recordset($1::json) as h (key text, add int, duration bigint)
),
counted as (
  insert into limits as l (key, points, until)
  select key, add, until from hits where add <> 0 order by key
  on conflict (key) do update set
    points = excluded.points
      + case when l.until > $2 and l.until <= excluded.until + $3 then l.points else 0 end,
    until = case
      when l.until > $2 and l.until <= excluded.until + $3 then l.until else excluded.until end
  returning key, points, until
)
select * from counted
union all
select h.key, coalesce(l.points, 0), coalesce(l.until, h.until)
from hits h left join limits l on l.key = h.key and l.until > $2 and l.until <= h.until + $3
where h.add = 0`

/** The windows that exist under these keys, open or over. */
export async function readWindows(pool: Pool, keys: string[]): Promise<Map<string, Window>> {
  if (keys.length === 0) return new Map()
  const { rows } = await pool.query('select key, points, until from limits where key = any($1)', [keys])
  return new Map(rows.map(({ key, ...window }) => [key, window]))
}

/** Deletes windows that are over, except those that are locked at this moment. */
export async function forgetPastWindows(pool: Pool, now: number): Promise<void> {
  const past = 'select key from limits where until <= $1 for update skip locked'
  await pool.query(`delete from limits where key in (${past})`, [now])
}
