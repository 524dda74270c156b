/**
 * The connection of a command to its caller: the environment that it reads, the streams that it prints
 * to, and the error with which it fails. The environment and the streams are those of the process, unless
 * the caller provides others, as tests do that run commands in their own process.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

type Output = { write(text: string, written?: (error?: Error | null) => void): unknown }

export type Terminal = { env: NodeJS.ProcessEnv; stdout: Output; stderr: Output }

/** The command failed, and the message says why and what to do. Exit code 1. */
export class CommandFailed extends Error {
  override name = 'CommandFailed'
}

const terminals = new AsyncLocalStorage<Terminal>()

export const terminal = (): Terminal => terminals.getStore() ?? process

export const onTerminal = <T>(other: Terminal, work: () => T): T => terminals.run(other, work)
