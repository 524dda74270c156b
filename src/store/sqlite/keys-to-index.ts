/**
 * When waiting keys get into the index. Keys are random, so nearly each of them changes a page of its own, which costs
 * half as much as storing the submission. In a rush, the keys wait until it is over, or until memory holds many of
 * them. On a busy machine, where indexing some takes long, the next ones wait ten times as long as that.
 */

/** How often we look, in milliseconds. */
export const INDEX_EVERY = 100

/** Indexing this many keys at once does not delay a submission for long. */
const AT_ONCE = 500

/** More submissions than this between two looks are a rush. */
const RUSH = 100

/** About 4 MB: each takes 87 bytes, as measured. */
const MOST_IN_RUSH = 50_000

/** The time from the beginning of one run to the beginning of the next, as a multiple of the time that the run took. */
const PACE = 10

/** How many to index now. `arrived` is how many submissions were stored since the last look. */
export function keysToIndex({
  waiting,
  arrived,
  paused,
}: {
  waiting: number
  arrived: number
  paused: boolean
}): number {
  if ((arrived > RUSH || paused) && waiting < MOST_IN_RUSH) return 0
  return Math.min(waiting, AT_ONCE)
}

/** Paces work that delays submissions, so that it takes at most a tenth of the time. `paused` says when to wait. */
export function paced(): { paused(): boolean; run<T>(work: () => T): T } {
  let until = 0
  return {
    paused: () => performance.now() < until,
    run: work => {
      const begun = performance.now()
      try {
        return work()
      } finally {
        until = begun + PACE * (performance.now() - begun)
      }
    },
  }
}
