/** Sends a file by SFTP with OpenSSH's `sftp`, which uses the keys and the known hosts of the service's user. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { SftpTarget } from '../config/environment-values.ts'
import { oneLine } from '../content/one-line.ts'
import { MINUTE } from '../platform/time.ts'

/** A transfer that takes longer than this is ended, in milliseconds. */
const TIMEOUT = 30 * MINUTE

/** The most of the error output of `sftp` that is kept, in characters. */
const LONGEST_REASON = 300

/** Says why a file was not sent, in words for admins. */
export class NotSent extends Error {}

/**
 * Sends a file under another name, then renames it, if the server can. `name` must not need quotation marks. Never asks
 * for a password, and only talks to a host whose key is known. Throws a NotSent with the reason.
 */
export async function sendBySftp(
  { user, host, port, folder }: SftpTarget,
  file: { folder: string; name: string },
  { program = ['sftp'], timeout = TIMEOUT }: { program?: readonly string[]; timeout?: number } = {},
): Promise<void> {
  const [place, beside] = [`${folder}${file.name}`, `${folder}.${file.name}.part`]
  // The dash allows the command to fail: not every server can replace an existing file by renaming.
  const batch = [`put ${quoted(join(file.folder, file.name))} ${beside}`, `-rm ${place}`, `rename ${beside} ${place}`]
  const [command = '', ...before] = program
  const options = ['BatchMode=yes', 'StrictHostKeyChecking=yes', 'ConnectTimeout=15', 'ServerAliveInterval=15']
  const child = spawn(
    command,
    [...before, '-b', '-', ...options.map(one => `-o${one}`), '-P', String(port), `${user}@${host}`],
    {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        SSH_AUTH_SOCK: process.env['SSH_AUTH_SOCK'],
        LANG: 'C',
      },
      // Its group has the `ssh` that it starts, too, which can wait forever for a server that hangs.
      detached: true,
    },
  )
  const timer = setTimeout(() => endGroup(child.pid), timeout)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said = `${said}${text}`.slice(-LONGEST_REASON)
  })
  // `sftp` may end before it has read everything: its exit code says why.
  child.stdin.on('error', () => {})
  child.stdin.end(`${batch.join('\n')}\n`)
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number | null; killed: NodeJS.Signals | null }>()
  child.on('error', ({ code }: NodeJS.ErrnoException) =>
    reject(new NotSent(code === 'ENOENT' ? 'the program sftp is not installed' : 'sftp cannot be started')),
  )
  child.on('close', (code, killed) => resolve({ code, killed }))
  const { code, killed } = await promise.finally(() => clearTimeout(timer))
  if (code === 0) return
  const how = killed === null ? `sftp ended with exit code ${code}` : `sftp was ended by ${killed}`
  throw new NotSent(`it was written, but could not be sent: ${how}${said.trim() && `: ${oneLine(said)}`}`)
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // All of them have just ended.
  }
}

/** A path in the notation of the batch for `sftp`. */
const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`
