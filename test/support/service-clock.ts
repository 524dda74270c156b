/** Time as a service had it: what a busy machine took from it does not count. */
import { readFileSync } from 'node:fs'

/**
 * Milliseconds that pass only while neither the process with this id nor the caller's waits for a free core. A bound
 * by this clock fails because of what the process does, and not because of what else runs on the
 * machine. Only Linux says how long a process has waited; elsewhere it is an ordinary clock.
 */
export function clockOf(pid: number | undefined): () => number {
  const before = { its: waitedForCore(pid), ours: waitedForCore(process.pid) }
  let waited = 0
  return () => {
    const its = Math.max(before.its, waitedForCore(pid))
    const ours = waitedForCore(process.pid)
    // They may have waited at the same time, which is not to be counted twice: the clock never goes back.
    waited += Math.max(its - before.its, ours - before.ours)
    Object.assign(before, { its, ours })
    return performance.now() - waited
  }
}

/**
 * For how long the main thread has been ready to run without a core, in milliseconds: the second number of
 * /proc/PID/schedstat, in nanoseconds. 0 once the process has ended.
 */
function waitedForCore(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
