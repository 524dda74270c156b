/**
 * Runs the command that the settings name for scanning attachments: without a shell, and with the file as its input.
 */
import { spawn } from 'node:child_process'
import { pipeline } from 'node:stream/promises'
import { oneLine } from '../../content/one-line.ts'
import { MINUTE } from '../../platform/time.ts'

/** A scanner that takes longer than this is ended, in milliseconds. */
const TIMEOUT = 2 * MINUTE

/** The most of the scanner's error output that is kept, in characters. */
const LONGEST_REASON = 300

export type Verdict = 'clean' | 'infected'

/**
 * What the scanner says about a file: clean if it exits with 0, infected with 1. Rejects, with a reason in words, if it
 * cannot be started, ends in any other way, takes too long, or calls a file clean that it has not read completely. It
 * is killed when `signal` is aborted. From our environment, it gets only where programs are (`PATH`).
 */
export async function scan(
  command: readonly string[],
  content: AsyncIterable<Uint8Array>,
  { signal, timeout = TIMEOUT }: { signal?: AbortSignal; timeout?: number } = {},
): Promise<Verdict> {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], LANG: 'C' },
    timeout,
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said = `${said}${text}`.slice(0, LONGEST_REASON)
  })
  const ended = Promise.withResolvers<{ code: number | null; killed: NodeJS.Signals | null }>()
  child.on('error', ended.reject)
  child.on('close', (code, killed) => ended.resolve({ code, killed }))
  const readAll = pipeline(content, child.stdin).then(
    () => true,
    error => {
      if (isClosedPipe(error)) return false
      child.kill('SIGKILL')
      throw error
    },
  )
  const [{ code, killed }, whole] = await Promise.all([ended.promise, readAll])
  if (code === 1) return 'infected'
  if (code === 0 && whole) return 'clean'
  const how = killed === null ? `ended with exit code ${code}` : `was ended by ${killed}`
  throw new Error(`the scanner ${code === 0 ? 'did not read the whole file' : how}${said && `: ${oneLine(said)}`}`)
}

/** The scanner has ended or has stopped reading: its exit code says why. */
const isClosedPipe = ({ code }: NodeJS.ErrnoException): boolean =>
  ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(code ?? '')
