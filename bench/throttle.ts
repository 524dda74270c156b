/** Holds a process to a part of a core, so that a load client on the same machine can overload it. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Short, so that the process never stands still for long. In microseconds. */
const PERIOD = 10_000

/**
 * Lets a process and its threads use `share` of a core, by a Linux control group. Returns how to remove
 * the group once the process has ended; undefined where we may not make one.
 */
export function throttle(pid: number, share: number): (() => void) | undefined {
  const quota = Math.round(PERIOD * share)
  // Version 1 has a hierarchy for each controller, version 2 has one.
  const [parent, limits] = existsSync('/sys/fs/cgroup/cpu')
    ? (['/sys/fs/cgroup/cpu', { 'cpu.cfs_period_us': PERIOD, 'cpu.cfs_quota_us': quota }] as const)
    : (['/sys/fs/cgroup', { 'cpu.max': `${quota} ${PERIOD}` }] as const)
  const group = join(parent, `frontdesk-bench-${pid}`)
  try {
    mkdirSync(group)
    for (const [name, value] of Object.entries(limits)) writeFileSync(join(group, name), `${value}`)
    writeFileSync(join(group, 'cgroup.procs'), String(pid))
  } catch {
    return undefined
  }
  return () => rmdirSync(group)
}
