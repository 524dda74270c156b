/**
 * What connects a command to its caller: the environment that it reads, the streams that it prints to, and the error
 * with which it fails. The environment and the streams are those of the process, unless the caller provides others, as
 * tests do that run commands in their own process.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { styleText } from 'node:util'

export type Output = {
  write(text: string, written?: (error?: Error | null) => void): unknown
  /** Whether a person is watching, and the width of their window in columns. */
  isTTY?: boolean | undefined
  columns?: number | undefined
}

export type Terminal = { env: NodeJS.ProcessEnv; stdout: Output; stderr: Output }

/** The command failed, and the message says why and what to do. Exit code 1. */
export class CommandFailed extends Error {
  override name = 'CommandFailed'
}

const terminals = new AsyncLocalStorage<Terminal>()

export const terminal = (): Terminal => terminals.getStore() ?? process

/** How many columns a line may have: `COLUMNS`, otherwise the width of the window, otherwise 100. */
export function lineWidth(): number {
  const { env, stdout } = terminal()
  return Number(env['COLUMNS']) || (stdout.isTTY && stdout.columns) || 100
}

/** The text in bold on a terminal that shows it; NO_COLOR is honored (https://no-color.org). */
export function bold(text: string): string {
  const { env, stdout } = terminal()
  const plain = !stdout.isTTY || env['NO_COLOR'] || env['TERM'] === 'dumb'
  return plain ? text : styleText('bold', text, { validateStream: false })
}

export const onTerminal = <T>(other: Terminal, work: () => T): T => terminals.run(other, work)
