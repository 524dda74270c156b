/** The whole service for a test: real sockets, a real database, its own clock, mail in memory. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { App } from '../../src/app.ts'
import { buildConfig } from '../../src/config/config.ts'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'
import { createApp } from '../../src/create-app.ts'
import { loadContent } from '../../src/load-content.ts'
import { createMailer, type Mailer, type Message } from '../../src/mail/transport/mailer.ts'
import { createLog } from '../../src/platform/log.ts'
import { type TestClock, testClock } from './clock.ts'
import { type Engine, migratedDatabase, newDatabase, urlOf } from './engines.ts'
import { temporaryFolder } from './folder.ts'
import './store-threads.ts'
import { hasFailed } from './kept.ts'
import { BUSY_SERVER, copyInstallation } from './templates.ts'
import './time-limits.ts'

export type TestResponse = { status: number; headers: Headers; body: unknown; text: string }

export type TestApp = {
  app: App
  clock: TestClock
  dataDir: string
  database: DatabaseAddress
  /** Messages handed to the mailer, in order, unless a real one was asked for. */
  sent: Message[]
  log: string[]
  origin: { site: string; learn: string; console: string }
  postSite(body: unknown, headers?: Record<string, string>): Promise<TestResponse>
  postStudent(body: unknown, headers?: Record<string, string>): Promise<TestResponse>
  request(url: string, init?: RequestInit): Promise<TestResponse>
  /** Does everything that is due. */
  settle(): Promise<void>
  close(): Promise<void>
}

export type TestOptions = {
  settings?: PartialSettings
  env?: Record<string, string>
  clock?: TestClock
  dataDir?: string
  /** The engine of the new database. Default: SQLite. */
  engine?: Engine
  /** Whether this is the first start of an installation, with an empty database and no secret yet. */
  first?: boolean
  /** A database that already exists. */
  database?: DatabaseAddress
  /** Default: the project's own, loaded once. */
  content?: typeof loadContent
  /** Whether the test edits settings in the console: the messages then follow this service alone. */
  edits?: boolean
  /** 'real': as configured, files or SMTP. A function runs before each send, and can make it fail. */
  mail?: 'real' | ((message: Message) => Promise<void>)
}

/** Only the messages that are sent at once: for tests that let time pass and count messages. */
export const withoutFollowUp: PartialSettings = { followUp: { student: [], site: [] } }

/** Whether to print the log as well. */
const PRINTED = process.env['LOG_LEVEL'] === 'debug'

export async function startApp(t: TestContext, options: TestOptions = {}): Promise<TestApp> {
  const dataDir = options.dataDir ?? temporaryFolder(t)
  const database =
    options.database ??
    (options.engine === 'postgres'
      ? await (options.first ? newDatabase : migratedDatabase)(t, 'postgres')
      : { engine: 'sqlite', file: join(dataDir, 'frontdesk.db') })
  if (database.engine === 'sqlite' && !options.first) await copyInstallation(dataDir)
  const config = buildConfig(
    {
      DATABASE_URL: urlOf(database),
      DATA_DIR: dataDir,
      SITE_PORT: '0',
      LEARN_PORT: '0',
      CONSOLE_PORT: '0',
      ...options.env,
    },
    checkSettings(options.settings ?? {}),
  )
  const clock = options.clock ?? testClock()
  const sent: Message[] = []
  const mailer = options.mail === 'real' ? createMailer(config) : inMemory(sent, options.mail)
  const log: string[] = []
  const sink = {
    write: (line: string) => {
      log.push(line)
      if (PRINTED) process.stdout.write(line)
    },
  }
  const app = await createApp(config, {
    clock,
    mailer,
    log: createLog('debug', sink),
    drainDelay: 0,
    content: options.content ?? (options.edits ? loadContent : cachedContent),
    databaseTimeout: BUSY_SERVER,
  })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= app.close()
    return closed
  }
  t.after(close)
  t.after(() => {
    if (hasFailed(t)) appendFileSync(join(dataDir, 'frontdesk.log'), log.join(''))
  })
  const addresses = await app.listen()
  const at = (host: string) => `http://127.0.0.1:${addresses[host]?.port}`
  const origin = { site: at('site'), learn: at('learn'), console: at('console') }
  const post =
    (url: string) =>
    (body: unknown, headers: Record<string, string> = {}) =>
      request(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
  return {
    app,
    clock,
    dataDir,
    database,
    sent,
    log,
    origin,
    postSite: post(`${origin.site}/api/site-interest`),
    postStudent: post(`${origin.learn}/api/admissions/interest`),
    request,
    settle: () => app.worker.drain(),
    close,
  }
}

const content = new Map<string, ReturnType<typeof loadContent>>()

/** Loads content that depends only on the configuration once per process. */
function cachedContent(...args: Parameters<typeof loadContent>): ReturnType<typeof loadContent> {
  const [config, links] = args
  const { dataDir, database, sitePort, learnPort, consolePort, settings, ...configuration } = config
  // The files in a folder may change, and a security contact comes with an expiry date.
  if (settings.content !== undefined || settings.contacts.security !== undefined) return loadContent(...args)
  // Each test has a data folder of its own, and content does not depend on where it is.
  const places = JSON.stringify(configuration).replaceAll(dataDir, '')
  const key = JSON.stringify([settings, places, links.student('unsubscribe', 1, 0)])
  const loaded = content.get(key) ?? loadContent(...args)
  content.set(key, loaded)
  return loaded
}

async function request(url: string, init: RequestInit = {}): Promise<TestResponse> {
  const response = await fetch(url, init)
  const text = await response.text()
  const json = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : undefined, text }
}

function inMemory(sent: Message[], send: (message: Message) => Promise<void> = async () => {}): Mailer {
  return {
    destination: 'memory',
    send: async message => {
      await send(message)
      sent.push(message)
    },
    verify: async () => [],
    close: async () => {},
  }
}
