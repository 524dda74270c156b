/** Whose turn it is in the thread of SQLite: submissions go first, and leave others a share of the time. */

/** For each millisecond that urgent calls take, others may keep them waiting for so many, and for this many at most. */
const SHARES = { writes: 1, reads: 0.5 }
const MOST_OWED = 100

/** A quick disk takes less, in milliseconds: then, no urgent call waits for others. */
const QUICK = 5

/** With more submissions in a call, others get less: that is a rush, and not a slow disk. */
const FEW = 3

/** What only reads is known by its name. */
export const shareOf = (name: string): keyof typeof SHARES =>
  /^(?:read|list|find)[A-Z]/.test(name) ? 'reads' : 'writes'

/** `run` returns how many submissions an urgent call is about. */
export type Work = { urgent: boolean; share: keyof typeof SHARES; run: () => Promise<number> | number }

/**
 * One connection, so one call at a time: none may see the open transaction of another. Urgent calls go first, but leave
 * others a share of the time: where each commit takes long, an urgent one is always waiting, and what follows from
 * submissions, with its many short questions, would wait for a commit before each of them. Reads have a share of their own.
 */
export function oneAfterTheOther(): (work: Work) => Promise<void> {
  const queue: Work[] = []
  let working = false
  const owed = { writes: 0, reads: 0 }
  const nextIndex = (isUrgent: boolean) => {
    if (!isUrgent) return 0
    const other = queue.findIndex(({ urgent, share }) => !urgent && owed[share] > 0)
    return other >= 0 ? other : queue.findIndex(({ urgent }) => urgent)
  }
  return async work => {
    queue.push(work)
    if (working) return
    working = true
    while (queue.length > 0) {
      const isUrgent = queue.some(({ urgent }) => urgent)
      const [next] = queue.splice(nextIndex(isUrgent), 1)
      if (next === undefined) break
      const began = performance.now()
      let submissions = 1
      try {
        submissions = await next.run()
      } catch {
        // Only indexing can fail here: its keys still wait in memory, and the next pass has them.
      }
      const took = performance.now() - began
      if (next.urgent) {
        const slow = Math.max(0, took - QUICK) * Math.min(1, FEW / submissions)
        for (const share of ['writes', 'reads'] as const)
          owed[share] = Math.min(MOST_OWED, owed[share] + slow * SHARES[share])
      }
      // Where nothing urgent waits, they keep no one waiting.
      else if (isUrgent) owed[next.share] = Math.max(-MOST_OWED, owed[next.share] - took)
      // A call that arrived meanwhile may be more urgent than those that wait.
      await new Promise(resolve => setImmediate(resolve))
    }
    working = false
  }
}
