/** Time as a service had it: what a busy machine took from it does not count. */
import { readdirSync, readFileSync } from 'node:fs'

/** How often the clock looks at whether the machine goes on, in milliseconds. */
const BEAT = 50

/**
 * Milliseconds that pass only while neither the process with this id nor the caller's waits for a free core, nor the
 * whole machine stands still. A bound by this clock fails because of what the process does, and not because of what
 * else runs on the machine. Only Linux says how long a process has waited; elsewhere, only standing still is noticed.
 */
export function clockOf(pid: number | undefined): () => number {
  let at = performance.now()
  let [its, ours] = [waitedForCore(pid), waitedForCore(process.pid)]
  let lost = 0
  const look = () => {
    const now = performance.now()
    const [itsNow, oursNow] = [waitedForCore(pid), waitedForCore(process.pid)]
    // A look that comes late: the machine stood still, or we waited, which is not to be counted twice.
    const late = now - at - BEAT
    // What was lost is at most the time itself: the clock never goes back.
    lost += Math.min(now - at, Math.max(0, late, longer(its, itsNow), longer(ours, oursNow)))
    at = now
    its = itsNow
    ours = oursNow
    return now - lost
  }
  setInterval(look, BEAT).unref()
  return look
}

/** For how much longer any thread has waited meanwhile, in milliseconds: threads may wait at the same time. */
const longer = (before: Map<string, number>, now: Map<string, number>): number =>
  Math.max(0, ...[...now].map(([thread, waited]) => waited - (before.get(thread) ?? waited)))

/**
 * For how long each thread has been ready to run without a core, in milliseconds: the second number of
 * /proc/PID/task/TID/schedstat, in nanoseconds. Empty once the process has ended.
 */
function waitedForCore(pid: number | undefined): Map<string, number> {
  const folder = `/proc/${pid}/task`
  try {
    return new Map(
      readdirSync(folder).map(thread => {
        const [, waited] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')
        return [thread, Number(waited) / 1e6]
      }),
    )
  } catch {
    return new Map()
  }
}
