/**
 * The environment that a command reads and the streams that it prints to: those of the process, unless
 * the caller provides others, as tests do that run commands in their own process.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

type Output = { write(text: string, written?: (error?: Error | null) => void): unknown }

export type Terminal = { env: NodeJS.ProcessEnv; stdout: Output; stderr: Output }

const terminals = new AsyncLocalStorage<Terminal>()

export const terminal = (): Terminal => terminals.getStore() ?? process

export const onTerminal = <T>(other: Terminal, work: () => T): T => terminals.run(other, work)
