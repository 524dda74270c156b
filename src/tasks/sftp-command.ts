/** Sends a file by SFTP with OpenSSH's `sftp`, which uses the keys and the known hosts of the service's user. */
import { join } from 'node:path'
import type { SftpTarget } from '../config/environment-values.ts'
import { oneLine } from '../content/one-line.ts'
import { runProgram } from '../platform/run-program.ts'
import { MINUTE } from '../platform/time.ts'

/** A transfer that takes longer than this is ended, in milliseconds. */
const TIMEOUT = 30 * MINUTE

/** Says why a file was not sent, in words for admins. */
export class NotSent extends Error {}

/**
 * Sends a file under another name, then renames it, if the server can. `name` must not need quotation marks. Never asks
 * for a password, and only talks to a host whose key is known. Throws a NotSent with the reason. When `signal` is
 * aborted, ends the transfer, and rejects.
 */
export async function sendBySftp(
  { user, host, port, folder }: SftpTarget,
  file: { folder: string; name: string },
  { program = ['sftp'], timeout = TIMEOUT, signal }: Options = {},
): Promise<void> {
  const [place, beside] = [`${folder}${file.name}`, `${folder}.${file.name}.part`]
  // The dash allows the command to fail: not every server can replace an existing file by renaming.
  const batch = [`put ${quoted(join(file.folder, file.name))} ${beside}`, `-rm ${place}`, `rename ${beside} ${place}`]
  const options = ['BatchMode=yes', 'StrictHostKeyChecking=yes', 'ConnectTimeout=15', 'ServerAliveInterval=15']
  const command = [...program, '-b', '-', ...options.map(one => `-o${one}`), '-P', String(port), `${user}@${host}`]
  // `sftp` starts `ssh`, which can wait forever for a server that hangs.
  const { stdin, ended } = runProgram(command, {
    env: { HOME: process.env['HOME'], SSH_AUTH_SOCK: process.env['SSH_AUTH_SOCK'] },
    timeout,
    ...(signal && { signal }),
  })
  // `sftp` may end before it has read everything: its exit code says why.
  stdin.on('error', () => {})
  stdin.end(`${batch.join('\n')}\n`)
  const { code, killed, said } = await ended.catch(({ code }: NodeJS.ErrnoException) => {
    signal?.throwIfAborted()
    throw new NotSent(code === 'ENOENT' ? 'the program sftp is not installed' : 'sftp cannot be started')
  })
  if (code === 0) return
  const how = killed === null ? `sftp ended with exit code ${code}` : `sftp was ended by ${killed}`
  throw new NotSent(`it was written, but could not be sent: ${how}${said.trim() && `: ${oneLine(said)}`}`)
}

type Options = { program?: readonly string[]; timeout?: number; signal?: AbortSignal }

/** A path in the notation of the batch for `sftp`. */
const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`
