/** Starts and stops the servers that are compared, one or several of each kind. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, type Database } from './database.ts'
import type { MailServer } from './mail.ts'
import type { Postgres } from './postgres.ts'
import { type Core, spawnNode } from './processes.ts'
import type { Operation } from './requests.ts'

/** The servers that are measured, and where they run. */
export type Bench = {
  /** The number of servers of each kind, which share the load. */
  replicas: number
  /** Whether the server has one core, and the load client and PostgreSQL the other. */
  pinned: boolean
  /** The service's database server. Undefined for SQLite. */
  postgres: Postgres | undefined
  /** Whether the service only accepts, and leaves the rest to workers that no one starts. */
  httpOnly?: boolean
  /** More environment variables of the service. */
  env?: Record<string, string> | undefined
  /** The mail server that the service sends to. Without one, it writes files. */
  smtp?: MailServer | undefined
}

export type Server = {
  pid: number
  /** The port of each operation. */
  ports: Record<Operation, number>
  /** The port of the console, which the bare server does not have. */
  consolePort?: number
  /** From the start of the process to its first 200, in milliseconds. */
  startMs: number
  /** Ends it with SIGTERM, and with SIGKILL after a long timeout. */
  stop: () => Promise<StopResult>
}

/** Replicas on one database. They write into `folder`, which is new. */
export type Service = {
  replicas: Server[]
  folder: string
  database: Database
  /** Removes the database and all other files. */
  remove: () => Promise<void>
}

/** `exitCode` is null if a signal ended the process. */
export type StopResult = { ms: number; exitCode: number | null }

const root = resolve(import.meta.dirname, '..')

/** A server that takes longer than this to start or to stop has failed, in milliseconds. */
const START_STOP_TIMEOUT = 30_000

export async function startBare({ replicas, pinned }: Bench): Promise<Server[]> {
  const program = join(import.meta.dirname, 'bare-server.ts')
  return repeat(replicas, async () => {
    const [port] = (await freePorts(1)) as [number]
    const server = await launch(coreOf(pinned), [program, String(port)], {}, port)
    return { ...server, ports: { A: port, B: port } }
  })
}

/** Starts one server as people write it by hand, on a new database. */
export async function startByHand({ pinned, postgres }: Bench): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-bench-'))
  const database = await createDatabase(folder, postgres)
  const [port] = (await freePorts(1)) as [number]
  const program = join(import.meta.dirname, 'by-hand-server.ts')
  const server = await launch(coreOf(pinned), [program, String(port), database.url], {}, port, join(folder, 'log'))
  return {
    replicas: [{ ...server, ports: { A: port, B: port } }],
    folder,
    database,
    remove: removing(folder, database),
  }
}

const removing = (folder: string, database: Database) => async () => {
  await database.remove()
  rmSync(folder, { recursive: true })
}

/** Starts the service as an operator without a mail server runs it, on a new database. */
export async function startService({
  replicas,
  pinned,
  postgres,
  httpOnly = false,
  smtp,
  env,
}: Bench): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-bench-'))
  const database = await createDatabase(folder, postgres)
  const start = (index: number) =>
    startReplica(join(folder, `replica-${index}`), database, { pinned, httpOnly, smtp, env })
  return { replicas: await repeat(replicas, start), folder, database, remove: removing(folder, database) }
}

async function startReplica(
  folder: string,
  { url }: Database,
  { pinned, httpOnly, smtp, env: more }: Pick<Bench, 'pinned' | 'httpOnly' | 'smtp' | 'env'>,
): Promise<Server> {
  const [site, learn, desk] = (await freePorts(3)) as [number, number, number]
  const env = {
    BASE_URL: `http://127.0.0.1:${site}`,
    LEARN_URL: `http://127.0.0.1:${learn}`,
    CONSOLE_URL: `http://127.0.0.1:${desk}`,
    HOST: '127.0.0.1',
    SITE_PORT: String(site),
    LEARN_PORT: String(learn),
    CONSOLE_PORT: String(desk),
    DATA_DIR: folder,
    DATABASE_URL: url,
    LOG_LEVEL: 'warn',
    ...(smtp && { SMTP_URL: smtp.url }),
    ...more,
  }
  const args = [join(root, 'bin/frontdesk.js'), 'serve', ...(httpOnly ? ['--http-only'] : [])]
  const server = await launch(coreOf(pinned), args, env, desk, `${folder}.log`)
  return { ...server, ports: { A: site, B: learn }, consolePort: desk }
}

const coreOf = (pinned: boolean): Core => (pinned ? 'server' : 'anywhere')

/** Starts servers one after the other, so that each has the machine to itself while it starts. */
async function repeat<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let index = 1; index <= count; index++) made.push(await make(index))
  return made
}

/** Runs a program and returns once it responds on `port`. Its output goes to `log`. Throws if it ends. */
async function launch(
  core: Core,
  args: string[],
  env: NodeJS.ProcessEnv,
  port: number,
  log = '/dev/null',
): Promise<Omit<Server, 'ports' | 'consolePort'>> {
  const output = openSync(log, 'a')
  const began = performance.now()
  const child = spawnNode(core, args, {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const exited = once(child, 'exit')
  const ended = () => child.exitCode !== null || child.signalCode !== null
  while ((await statusOf(port)) !== 200) {
    if (ended() || performance.now() - began > START_STOP_TIMEOUT) {
      throw new Error(`${args.join(' ')} did not start:\n${readFileSync(log, 'utf8')}`)
    }
    await sleep(5)
  }
  const startMs = performance.now() - began
  return { pid: child.pid as number, startMs, stop }

  async function stop(): Promise<StopResult> {
    const asked = performance.now()
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), START_STOP_TIMEOUT)
    const [exitCode] = await exited
    clearTimeout(timer)
    return { ms: performance.now() - asked, exitCode }
  }
}

/** The status of /healthz, over a connection that is closed again. Undefined if nothing listens. */
function statusOf(port: number): Promise<number | undefined> {
  return new Promise(done => {
    const request = get({ host: '127.0.0.1', port, path: '/healthz', agent: false }, response => {
      response.resume()
      done(response.statusCode)
    })
    request.on('error', () => done(undefined))
  })
}

/**
 * Below the ports that systems assign to outgoing connections: otherwise a connection to PostgreSQL might
 * occupy a port before its server listens.
 */
export async function freePorts(count: number): Promise<number[]> {
  const free = new Set<number>()
  while (free.size < count) {
    const port = randomInt(10_000, 30_000)
    const probe = createServer().listen(port, '127.0.0.1')
    const taken = await once(probe, 'listening').catch((error: Error) => error)
    if (taken instanceof Error) continue
    await once(probe.close(), 'close')
    free.add(port)
  }
  return [...free]
}
