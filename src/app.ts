/** The whole service, wired: for the command line and for the tests alike. This is the only wiring. */
import { fileURLToPath } from 'node:url'
import pino, { type Logger } from 'pino'
import { type Config, orConfigError } from './config/config.ts'
import { clientAddress } from './http/client-address.ts'
import { createGate } from './http/gate.ts'
import { createHealth } from './http/health.ts'
import { consoleHost, learnHost, siteHost } from './http/hosts.ts'
import { createIntake } from './http/intake.ts'
import { AddressLimits, Lockout, lockoutLimit } from './http/limits.ts'
import { type Listeners, listen, type Place } from './http/listeners.ts'
import { createMailer, type Mailer } from './mail/mailer.ts'
import { createMessages } from './mail/messages.ts'
import { openStore, type Store } from './store/store.ts'
import { createFiling } from './tasks/filing.ts'
import { createMailing } from './tasks/mailing.ts'
import { createWorker, type Worker } from './tasks/worker.ts'

/** From the first signal to the end of the process at most this long, in milliseconds. */
const REQUESTS_END = 5000
const TASKS_END = 3000

export type Clock = { now(): number }

export type App = {
  store: Store
  worker: Worker
  mailer: Mailer
  /** Listens on all hosts. Throws when a port cannot be had. What follows is up to the worker. */
  listen(): Promise<Listeners['addresses']>
  /** Ends within 10 seconds: what is under way is finished, the rest is given back. */
  close(): Promise<void>
}

/** Builds the service on its configuration. Throws ConfigError when a part of it cannot be had. */
export async function createApp(
  config: Config,
  given: { clock?: Clock; mailer?: Mailer; log?: Logger; farewell?: number } = {},
): Promise<App> {
  const clock = given.clock ?? { now: () => Date.now() }
  const log = given.log ?? pino({ level: config.logLevel })
  const { settings } = config
  const messages = await orConfigError('The content cannot be used', () =>
    createMessages({ ...config, contentDirs: contentDirs(settings.content) }),
  )
  const mailer =
    given.mailer ?? (await orConfigError('Mail cannot be sent', () => createMailer(config)))
  const store = await orConfigError(`The database ${config.database.file} cannot be opened`, () =>
    openStore(config.database, { clock }),
  )

  const filing = createFiling({ store, clock, settings, log, filed: () => worker.nudge() })
  const mailing = createMailing({ store, clock, config, mailer, messages, log })
  const worker: Worker = createWorker(
    [
      { name: 'filing', slots: 1, tasksPerJob: 20, run: filing },
      { name: 'mail', slots: 5, tasksPerJob: 1, run: mailing },
    ],
    { store, clock, log },
  )

  const limits = new AddressLimits()
  const lockout = new Lockout()
  const gate = createGate({ store, limits, addressOf: clientAddress(config.trustedProxies) })
  const intake = createIntake({ store, clock, settings, lockout, accepted: () => worker.nudge() })
  let closing = false
  const health = createHealth({
    store,
    clock,
    closing: () => closing,
    unlimitedRequests: () => limits.unlimited,
  })
  const parts = { config, gate, health, log }
  const places: Place[] = [
    {
      name: 'site',
      url: config.baseUrl,
      port: config.sitePort,
      host: siteHost(parts, intake.siteInterest),
    },
    {
      name: 'learn',
      url: config.learnUrl,
      port: config.learnPort,
      host: learnHost(parts, intake.studentInterest),
    },
    {
      name: 'console',
      url: config.consoleUrl,
      port: config.consolePort,
      host: consoleHost(parts),
    },
  ]
  let listeners: Listeners | undefined
  return {
    store,
    worker,
    mailer,
    listen: async () => {
      const now = clock.now()
      await lockout.restore(
        await store.countRecentAddresses(now - lockoutLimit.duration * 1000),
        now,
      )
      listeners = await listen(places, config.host, given.farewell)
      return listeners.addresses
    },
    close: async () => {
      closing = true
      await Promise.all([listeners?.close(REQUESTS_END), worker.stop(TASKS_END)])
      await mailer.close()
      await store.close()
    },
  }
}

/** Where templates are looked for: the operator's folder first, then our own. */
export const contentDirs = (own: string | undefined): string[] => [
  ...(own === undefined ? [] : [own]),
  fileURLToPath(new URL('../content/', import.meta.url)),
]
