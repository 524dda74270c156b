/** The processes of this machine. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export type Process = { pid: number; parent: number; state: string }

/** All processes of the machine. On Linux it does not use `ps`, which small images lack. */
export function processes(): Process[] {
  const table =
    process.platform === 'linux'
      ? readdirSync('/proc')
          .filter(name => /^\d+$/.test(name))
          .map(readStatus)
      : execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' }).split('\n')
  return table.flatMap(line => {
    const [pid, parent, state] = line.trim().split(/\s+/)
    return state ? [{ pid: Number(pid), parent: Number(parent), state: state.charAt(0) }] : []
  })
}

function readStatus(pid: string): string {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return `${pid} ${parent} ${state}`
  } catch {
    return '' // The process has ended.
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended.
  }
}
