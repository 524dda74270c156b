/** The log: JSON lines for programs, plain lines for a person at a terminal; without personal data. */
import pino, { type Logger } from 'pino'
import { lazy } from './lazy.ts'
import { plainLine } from './log-line.ts'
import { logOutput } from './log-output.ts'

/** `destination` defaults to standard output. */
export const createLog = (level: string, destination: { write(line: string): void } = standardOutput()): Logger =>
  pino({ level, serializers: { err: plainError } }, destination)

const standardOutput = lazy(() => {
  const output = logOutput(1, lines => pino(output).warn({ lines }, 'lines of the log were dropped'))
  return process.stdout.isTTY ? { write: (line: string) => output.write(plainLine(line)) } : output
})

/**
 * The parts of an error that are safe to log. A database puts whole rows into the details of its
 * errors, and a library may attach anything to them, so only these are copied.
 */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const { code, constraint } = error as { code?: string; constraint?: string }
  return { type: name, message, code, constraint, stack, cause: cause === undefined ? undefined : plainError(cause) }
}
