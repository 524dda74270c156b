/** The real process for a test, started as an operator starts it, in its own folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePorts } from './ports.ts'
import { program } from './program.ts'
import { clockOf } from './service-clock.ts'

/** The environment of a process that notifies of each submission on its own, however many come at once. */
export const notifyingOfEach = {
  FRONTDESK_CONFIG: fileURLToPath(new URL('every-notification.config.ts', import.meta.url)),
}

export type Exit = { code: number | null; signal: NodeJS.Signals | null }

export type Service = {
  child: ChildProcess
  dataDir: string
  origin: { site: string; learn: string; console: string }
  /** Everything that it has printed so far. */
  stdout: () => string
  stderr: () => string
  kill(signal: NodeJS.Signals): Promise<Exit>
  exit: Promise<Exit>
  /** By which its tests measure how long it takes for something (see `service-clock.ts`). */
  now: () => number
}

export type ProcessOptions = {
  dataDir?: string
  /** Environment variables, such as `DATABASE_URL` for PostgreSQL. */
  env?: Record<string, string>
  /** A file for its standard output, which `stdout` then does not show. */
  log?: string
  /** The command, such as ['serve', '--http-only'] or ['worker']. Default: ['serve']. */
  args?: string[]
}

/** Starts `frontdesk serve` and returns once it responds. It is killed after the test. */
export async function startProcess(t: TestContext, options: ProcessOptions = {}): Promise<Service> {
  const service = await spawnProcess(t, options)
  await untilHealthy(service)
  return service
}

/** Like `startProcess`, but without waiting, for a start that fails. Only these variables are set. */
export async function spawnProcess(
  t: TestContext,
  { dataDir: existingFolder, env = {}, log, args = ['serve'] }: ProcessOptions = {},
): Promise<Service> {
  const dataDir = existingFolder ?? mkdtempSync(join(tmpdir(), 'frontdesk-'))
  const [site, learn, console] = await freePorts(3)
  const origin = {
    site: `http://127.0.0.1:${site}`,
    learn: `http://127.0.0.1:${learn}`,
    console: `http://127.0.0.1:${console}`,
  }
  const child = spawn(process.execPath, [program(), ...args], {
    cwd: dataDir,
    env: {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: dataDir,
      BASE_URL: origin.site,
      LEARN_URL: origin.learn,
      CONSOLE_URL: origin.console,
      ...env,
    },
    stdio: ['ignore', log === undefined ? 'pipe' : openSync(log, 'a'), 'pipe'],
  })
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }) as Exit)
  t.after(async () => {
    child.kill('SIGKILL')
    await exit
    // Only after the process has ended, because it could write into the folder again.
    if (existingFolder === undefined) rmSync(dataDir, { recursive: true, force: true })
  })
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exit
  }
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  return { child, dataDir, origin, stdout, stderr, kill, exit, now: clockOf(child.pid) }
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  return () => text
}

async function untilHealthy({ child, origin, stderr }: Service): Promise<void> {
  for (const end = performance.now() + HANGS_AFTER; performance.now() < end; ) {
    const response = await fetch(`${origin.console}/healthz`).catch(() => undefined)
    if (response?.ok) return
    if (child.exitCode !== null) break
    await wait(50)
  }
  throw new Error(`The process did not start:\n${stderr()}`)
}

/** Opens the database as another process. It is closed after the test. */
export function openDatabase(t: TestContext, dataDir: string, { readOnly = true } = {}) {
  const database = new DatabaseSync(join(dataDir, 'frontdesk.db'), { readOnly, timeout: 30_000 })
  t.after(() => database.close())
  return database
}

/** The file names of the messages that have been written so far. */
export function mailFiles(dataDir: string): string[] {
  const folder = join(dataDir, 'mail')
  return existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.eml')) : []
}

/** What takes longer hangs, even on a busy machine. In milliseconds. */
export const HANGS_AFTER = 300_000

/** Checks a condition every 50 milliseconds until it holds. Returns false after `timeout` milliseconds. */
export async function until(condition: () => boolean, timeout = HANGS_AFTER): Promise<boolean> {
  for (const end = Date.now() + timeout; Date.now() < end; await wait(50)) {
    if (condition()) return true
  }
  return condition()
}
