/** Child processes pinned to a core, and what the system says of their memory and CPU time. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** The server has one core to itself, the load client the other. */
const cores = { server: '0', client: '1' } as const

/** Whether this machine can pin both: Linux with `taskset` and two cores. */
export const canPin = Object.values(cores).every(
  core => spawnSync('taskset', ['-c', core, 'true']).status === 0,
)

/** Where a process runs: on the core of its role, or wherever the system puts it. */
export type Core = keyof typeof cores | 'anywhere'

/** Moves this process, and with it what it starts from now on, to the load client's core. */
export function moveToClientCore(): void {
  spawnSync('taskset', ['-cp', cores.client, String(process.pid)])
}

/** Runs this same Node.js with `args`. */
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

/** CPU seconds used so far by all threads of a process; undefined where there is no /proc. */
export function cpuSeconds(pid: number): number | undefined {
  const ticks = ticksOf(pid)
  return ticks && ticks.own / TICKS_PER_SECOND
}

/** The same of a process and its children, those that have ended included. */
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

/** USER_HZ of the kernel's interface, the same on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100

/** Its own time, and that of its children that have ended. */
type Ticks = { parent: number; own: number; ended: number }

function ticksOf(pid: number): Ticks | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name, which may hold spaces and ends at the last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [own, ended] = [11, 13].map(i => Number(fields[i]) + Number(fields[i + 1]))
    return { parent: Number(fields[1]), own: own as number, ended: ended as number }
  } catch {
    return undefined // Ended meanwhile, or there is no /proc.
  }
}
