/** The common parts of the two statements that accept a batch: parameters, and counting toward the lockouts. */
import type { Arrival } from '../acceptance/arrival.ts'
import { LOCKOUT } from '../acceptance/inquiry-lockout.ts'
import { CLOCK_SKEW } from '../tasks/clock-skew.ts'

/** An arrival with the key of its lockout in the table `limits`; null if it has no lockout. */
export type WithLockout = Omit<Arrival, 'lockout'> & { lockout: string | null }

/** $1 is the arrivals as JSON, $2 now, $3 to $5 the lockout's points, duration and block, $6 the skew of clocks. */
export function parametersOf(arrivals: readonly WithLockout[]): (string | number)[] {
  const now = Math.max(...arrivals.map(({ receivedAt }) => receivedAt))
  const { points, duration, block } = LOCKOUT
  return [JSON.stringify(arrivals), now, points, duration, block, CLOCK_SKEW]
}

/**
 * Counts the arrivals of `source`, in the order of the keys, so that statements do not deadlock. Returns the windows
 * after the change. An address is locked if its window has more points than are allowed.
 *
 * It is the rule of a counting window for lockouts, as `afterSubmission` (inquiry-lockout.ts) has it; `afterHit`
 * (counting-windows.ts) and postgres/counting.ts hold the rule for rate limits.
 */
export const countedFrom = (source: string): string => `
  insert into limits as l (key, points, until)
  select lockout, count(*),
    $2 + case when count(*) > $3 then $5::bigint else $4::bigint end
  from ${source} where lockout is not null group by lockout order by 1
  on conflict (key) do update set
    points = case when l.until > $2 and l.until <= $2 + $4::bigint + $6 then l.points else 0 end
      + excluded.points,
    until = case
      when l.until <= $2 or l.until > $2 + $4::bigint + $6 then excluded.until
      when l.points > $3 then l.until
      when l.points + excluded.points > $3 then $2 + $5::bigint
      else l.until end
  returning key, points, until`
