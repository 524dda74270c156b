/** Runs one of the operator's programs: without a shell, and without our secrets. */
import { spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

/** How much of the error output is kept, in characters. */
const LONGEST_OUTPUT = 300

/** The exit code of a program, or the signal that killed it, and the end of its error output. */
type Ended = { code: number | null; killed: NodeJS.Signals | null; said: string }

/**
 * Starts a program. Its environment has only our `PATH`, and `env`. It is killed after `timeout` milliseconds, and when
 * `signal` is aborted, together with all processes that it has started: otherwise, we would wait until the last of them
 * has ended. `ended` rejects if it cannot be started, or when `signal` is aborted.
 */
export function runProgram(
  [program = '', ...args]: readonly string[],
  { env = {}, timeout, signal }: { env?: NodeJS.ProcessEnv; timeout: number; signal?: AbortSignal },
): { stdin: Writable; kill: () => void; ended: Promise<Ended> } {
  const child = spawn(program, args, {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], LANG: 'C', ...env },
    // Makes it the leader of a process group.
    detached: true,
  })
  const kill = () => killGroup(child.pid)
  const timer = setTimeout(kill, timeout)
  signal?.addEventListener('abort', kill)
  if (signal?.aborted) kill()
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said = `${said}${text}`.slice(-LONGEST_OUTPUT)
  })
  const { promise, resolve, reject } = Promise.withResolvers<Ended>()
  child.on('error', reject)
  child.on('close', (code, killed) => resolve({ code, killed, said }))
  const ended = promise
    .finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', kill)
    })
    .then(end => {
      signal?.throwIfAborted()
      return end
    })
  return { stdin: child.stdin, kill, ended }
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // All of them have just ended.
  }
}
