/** Runs the command of the settings that scans attachments: without a shell, and with the file as its input. */
import { pipeline } from 'node:stream/promises'
import { oneLine } from '../../content/one-line.ts'
import { runProgram } from '../../platform/run-program.ts'
import { MINUTE } from '../../platform/time.ts'

/** A scanner that takes longer than this is ended, in milliseconds. */
const TIMEOUT = 2 * MINUTE

export type Verdict = 'clean' | 'infected'

/**
 * What the scanner says about a file: clean if it exits with 0, infected with 1. Rejects, with a reason in words, if it
 * cannot be started, ends in any other way, takes too long, or calls a file clean that it has not read completely. It
 * is killed when `signal` is aborted.
 */
export async function scan(
  command: readonly string[],
  content: AsyncIterable<Uint8Array>,
  { signal, timeout = TIMEOUT }: { signal?: AbortSignal; timeout?: number } = {},
): Promise<Verdict> {
  const { stdin, kill, ended } = runProgram(command, {
    env: { TMPDIR: process.env['TMPDIR'] },
    timeout,
    ...(signal && { signal }),
  })
  const readAll = pipeline(content, stdin).then(
    () => true,
    error => {
      if (isClosedPipe(error)) return false
      kill()
      throw error
    },
  )
  const [{ code, killed, said }, whole] = await Promise.all([ended, readAll])
  if (code === 1) return 'infected'
  if (code === 0 && whole) return 'clean'
  const how = killed === null ? `ended with exit code ${code}` : `was ended by ${killed}`
  throw new Error(`the scanner ${code === 0 ? 'did not read the whole file' : how}${said && `: ${oneLine(said)}`}`)
}

/** The scanner has ended or has stopped reading: its exit code says why. */
const isClosedPipe = ({ code }: NodeJS.ErrnoException): boolean =>
  ['EPIPE', 'ECONNRESET', 'ECANCELED', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(code ?? '')
