/**
 * How many messages are under way at the same time. A send that has hung for some seconds keeps its connection until
 * its deadline, but no longer counts toward the limit. So a server that stops responding, or a recipient whose server
 * is slow, delays other messages only by seconds.
 */
import { SECOND } from '../../platform/time.ts'

/**
 * Limits for each kind of send. `brisk`: how many sends may be under way while none hangs. `most`: how many may be
 * under way including those that hang. While some hang, one more is tried every few seconds, so that we soon learn when
 * the server works again.
 */
const LIMITS = {
  usual: { brisk: 3, most: 20 },
  /** For messages about something that has just come in: otherwise, they would find all usual places taken. */
  urgent: { brisk: 1, most: 18 },
} as const

/**
 * A send that takes longer than this counts as hanging, in milliseconds. By the time the first one meets its
 * deadline, fewer than `most` sends hang.
 */
const HANGS_AFTER = 3 * SECOND

export const MOST_CONNECTIONS = LIMITS.usual.most + LIMITS.urgent.most

export type Places = {
  /** Resolves, once a place is free, with a function that releases it. */
  take(kind: keyof typeof LIMITS): Promise<() => void>
}

/** `hangsAfter` is for tests. */
export function createPlaces({ hangsAfter = HANGS_AFTER } = {}): Places {
  const pools = {
    usual: { ...LIMITS.usual, hanging: 0, underWay: 0 },
    urgent: { ...LIMITS.urgent, hanging: 0, underWay: 0 },
  }
  const waiting: { kind: keyof typeof LIMITS; start: (leave: () => void) => void }[] = []

  const isFree = ({ brisk, most, hanging, underWay }: (typeof pools)['usual' | 'urgent']) =>
    underWay - hanging < Math.max(1, brisk - hanging) && underWay < most

  const poolFor = (kind: keyof typeof LIMITS) =>
    [...(kind === 'urgent' ? [pools.urgent] : []), pools.usual].find(isFree)

  function admit(): void {
    for (;;) {
      // Urgent sends come first.
      const urgent = waiting.findIndex(({ kind }) => kind === 'urgent')
      const next = [urgent, 0].find(at => waiting[at] !== undefined && poolFor(waiting[at].kind) !== undefined)
      if (next === undefined) return
      const [one] = waiting.splice(next, 1)
      const pool = one && poolFor(one.kind)
      if (one !== undefined && pool !== undefined) one.start(enter(pool))
    }
  }

  function enter(pool: (typeof pools)['usual' | 'urgent']): () => void {
    let hangs = false
    pool.underWay += 1
    const timer = setTimeout(() => {
      hangs = true
      pool.hanging += 1
      admit()
    }, hangsAfter).unref()
    return () => {
      clearTimeout(timer)
      pool.underWay -= 1
      if (hangs) pool.hanging -= 1
      admit()
    }
  }

  return {
    take: kind =>
      new Promise(start => {
        waiting.push({ kind, start })
        admit()
      }),
  }
}
