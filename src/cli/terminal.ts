/**
 * Where a command reads its environment and prints: that of the process, unless its caller brings
 * another, as tests do that run commands in their own process.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

type Output = { write(text: string, written?: (error?: Error | null) => void): unknown }

export type Terminal = { env: NodeJS.ProcessEnv; stdout: Output; stderr: Output }

const terminals = new AsyncLocalStorage<Terminal>()

export const terminal = (): Terminal => terminals.getStore() ?? process

export const onTerminal = <T>(other: Terminal, work: () => T): T => terminals.run(other, work)
