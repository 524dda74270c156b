/**
 * When the keys that wait get into the index. Keys are random, so nearly each of them changes a page of its own, which
 * costs half as much as storing the submission. In a rush, they wait until it is over, or until memory holds many of
 * them.
 */

/** How often we look, in milliseconds. */
export const INDEX_EVERY = 100

/** So many at once do not keep a submission waiting for long. */
const AT_ONCE = 500

/** More submissions than this between two looks are a rush. */
const RUSH = 100

/** 87 bytes each were measured: some 4 MB. */
const MOST_IN_RUSH = 50_000

/** How many to index now. `arrived` is how many submissions were stored since the last look. */
export function keysToIndex({ waiting, arrived }: { waiting: number; arrived: number }): number {
  if (arrived > RUSH && waiting < MOST_IN_RUSH) return 0
  return Math.min(waiting, AT_ONCE)
}
