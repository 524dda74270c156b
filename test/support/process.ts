/** The real process for a test: started as an operator starts it, in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url))

export type Exit = { code: number | null; signal: NodeJS.Signals | null }

export type Service = {
  child: ChildProcess
  dataDir: string
  origin: { site: string; learn: string; console: string }
  /** What it has printed so far. */
  stdout: () => string
  stderr: () => string
  kill(signal: NodeJS.Signals): Promise<Exit>
  exit: Promise<Exit>
}

export type ProcessOptions = {
  dataDir?: string
  /** `DATABASE_URL` among them, for PostgreSQL. */
  env?: Record<string, string>
  /** What is run, such as ['serve', '--http-only'] or ['worker']. Default: ['serve']. */
  args?: string[]
}

/** Starts `frontdesk serve` and returns once it answers. Killed after the test. */
export async function startProcess(t: TestContext, options: ProcessOptions = {}): Promise<Service> {
  const service = await spawnProcess(t, options)
  await untilAnswered(service)
  return service
}

/** As `startProcess`, without waiting: for a start that fails. Only these variables are set. */
export async function spawnProcess(
  t: TestContext,
  { dataDir: given, env = {}, args = ['serve'] }: ProcessOptions = {},
): Promise<Service> {
  const dataDir = given ?? mkdtempSync(join(tmpdir(), 'frontdesk-'))
  const [site, learn, console] = await freePorts(3)
  const origin = {
    site: `http://127.0.0.1:${site}`,
    learn: `http://127.0.0.1:${learn}`,
    console: `http://127.0.0.1:${console}`,
  }
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: dataDir,
    env: {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: dataDir,
      BASE_URL: origin.site,
      LEARN_URL: origin.learn,
      CONSOLE_URL: origin.console,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }) as Exit)
  t.after(async () => {
    child.kill('SIGKILL')
    await exit
    // Not before the process has ended: it would write into the folder again.
    if (given === undefined) rmSync(dataDir, { recursive: true, force: true })
  })
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exit
  }
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  return { child, dataDir, origin, stdout, stderr, kill, exit }
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  return () => text
}

async function untilAnswered({ child, origin, stderr }: Service): Promise<void> {
  for (let tries = 0; tries < 3000; tries++) {
    const answer = await fetch(`${origin.console}/healthz`).catch(() => undefined)
    if (answer?.ok) return
    if (child.exitCode !== null) break
    await wait(20)
  }
  throw new Error(`The process did not start:\n${stderr()}`)
}

/**
 * Ports that were free a moment ago, all different, and below those that systems lend to outgoing
 * connections (from 32768 on Linux), which would take them away again.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(11_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (free) {
      await once(server.close(), 'close')
      ports.add(port)
    }
  }
  return [...ports]
}

/** The database as another process sees it. Closed after the test. */
export function openDatabase(t: TestContext, dataDir: string, { readOnly = true } = {}) {
  const database = new DatabaseSync(join(dataDir, 'frontdesk.db'), { readOnly, timeout: 5000 })
  t.after(() => database.close())
  return database
}

/** The names of the messages that were written so far. */
export function mailFiles(dataDir: string): string[] {
  const folder = join(dataDir, 'mail')
  return existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.eml')) : []
}

/** Waits until a condition holds, looking every 50 milliseconds; false when it never did. */
export async function until(condition: () => boolean, patience: number): Promise<boolean> {
  for (const end = Date.now() + patience; Date.now() < end; await wait(50)) {
    if (condition()) return true
  }
  return condition()
}
