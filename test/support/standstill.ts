/** For what must happen within some time: a machine that stands still meanwhile, such as a closed laptop, is not to blame. */

/** How often it looks whether the machine goes on, in milliseconds. */
const BEAT = 50

/** A look that comes later than this: the machine was not only busy, in milliseconds. */
export const STOOD_STILL = 1500

/** How often a machine that stands still may spoil a run. */
const MOST_RUNS = 10

/** Runs something, and again if it fails while the machine stood still. Otherwise its failure is the test's. */
export async function unlessStoodStill<T>(run: () => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs++) {
    let [at, latest] = [performance.now(), 0]
    const look = () => {
      const now = performance.now()
      latest = Math.max(latest, now - at - BEAT)
      at = now
    }
    const looking = setInterval(look, BEAT)
    try {
      return await run()
    } catch (error) {
      look()
      if (latest < STOOD_STILL || runs === MOST_RUNS) throw error
    } finally {
      clearInterval(looking)
    }
  }
}
