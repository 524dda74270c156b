/** Child processes pinned to a core, and what the system says of their memory and CPU time. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** The server has one core to itself, the load client the other. */
const cores = { server: '0', client: '1' } as const

/** Whether this machine can pin both: Linux with `taskset` and two cores. */
export const canPin = Object.values(cores).every(
  core => spawnSync('taskset', ['-c', core, 'true']).status === 0,
)

/** Runs this same Node.js with `args`, on the core of its role where the machine can pin. */
export function spawnNode(
  role: keyof typeof cores,
  args: string[],
  options: SpawnOptions,
): ChildProcess {
  const command = [process.execPath, ...args]
  if (canPin) command.unshift('taskset', '-c', cores[role])
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
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'latin1')
  // The second field is the program's name, which may hold spaces and ends at the last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  return (user + system) / TICKS_PER_SECOND
}

/** USER_HZ of the kernel's interface, the same on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100
