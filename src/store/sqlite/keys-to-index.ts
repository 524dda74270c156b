/**
 * When the keys that wait get into the index. Keys are random, so nearly each of them changes a page of its own, which
 * costs half as much as storing the submission. In a rush, they wait until it is over, or until memory holds many of
 * them; on a machine that is busy, so that indexing some takes long, the next ones wait for ten times as long.
 */

/** How often we look, in milliseconds. */
export const INDEX_EVERY = 100

/** Indexing this many keys at once does not keep a submission waiting for long. */
const AT_ONCE = 500

/** More submissions than this between two looks are a rush. */
const RUSH = 100

/** 87 bytes each were measured: some 4 MB. */
const MOST_IN_RUSH = 50_000

/** From the beginning of one run to the beginning of the next, this many times as long as the run takes. */
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

/** Paces what takes the time of submissions, so that it takes a tenth of all time at most: `paused` says when to wait. */
export function paced(): { paused(): boolean; run(work: () => void): void } {
  let until = 0
  return {
    paused: () => performance.now() < until,
    run: work => {
      const begun = performance.now()
      try {
        work()
      } finally {
        until = begun + PACE * (performance.now() - begun)
      }
    },
  }
}
