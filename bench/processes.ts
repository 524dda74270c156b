/** Starts child processes pinned to a core, and reads their memory and CPU time. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** The server has one core to itself, the load client the other. */
const cores = { server: '0', client: '1' } as const

/** Whether this machine can pin both: Linux with `taskset` and two cores. */
export const canPin = Object.values(cores).every(core => spawnSync('taskset', ['-c', core, 'true']).status === 0)

/** The core of a process: that of its role, or any. */
export type Core = keyof typeof cores | 'anywhere'

/** Moves this process, and every process that it starts later, to the load client's core. */
export function moveToClientCore(): void {
  spawnSync('taskset', ['-cp', cores.client, String(process.pid)])
}

/** Runs the same Node.js as this process with `args`. */
export function spawnNode(core: Core, args: string[], options: SpawnOptions): ChildProcess {
  const command = [process.execPath, ...args]
  if (core !== 'anywhere') command.unshift('taskset', '-c', cores[core])
  const child = spawn(command[0] as string, command.slice(1), options)
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.removeListener('exit', kill))
  return child
}

/** Resident memory in megabytes (10^6 bytes). */
export function residentMemory(pid: number): number {
  const status = `/proc/${pid}/status`
  const kilobytes = existsSync(status)
    ? readFileSync(status, 'utf8').match(/^VmRSS:\s+(\d+) kB/m)?.[1]
    : spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout
  return (Number(kilobytes) * 1024) / 1e6
}

/** CPU seconds used so far by all threads of a process. Undefined if there is no /proc. */
export function cpuSeconds(pid: number): number | undefined {
  const ticks = ticksOf(pid)
  return ticks && ticks.own / TICKS_PER_SECOND
}

/** CPU seconds used so far by a process and its children, including those that have ended. */
export function familyCpuSeconds(pid: number): number | undefined {
  const parent = ticksOf(pid)
  if (parent === undefined) return undefined
  const children = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => ticksOf(Number(name)))
    .filter(child => child?.parent === pid)
  const alive = children.reduce((sum, child) => sum + (child?.own ?? 0), 0)
  return (parent.own + parent.ended + alive) / TICKS_PER_SECOND
}

/** The kernel's USER_HZ, which is the same on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100

/** The CPU time of a process, and of its children that have ended. */
type Ticks = { parent: number; own: number; ended: number }

function ticksOf(pid: number): Ticks | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name, which may contain spaces and ends at the last parenthesis.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [own, ended] = [11, 13].map(i => Number(fields[i]) + Number(fields[i + 1]))
    return { parent: Number(fields[1]), own: own as number, ended: ended as number }
  } catch {
    return undefined // The process has ended, or there is no /proc.
  }
}
