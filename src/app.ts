/** The whole service, wired: for the command line and for the tests alike. This is the only wiring. */
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { type Config, newSecret, orConfigError } from './config/config.ts'
import { describeDatabase } from './config/environment.ts'
import { clientAddress } from './http/client-address.ts'
import { createGate } from './http/gate.ts'
import { createHealth } from './http/health.ts'
import { consoleHost, learnHost, siteHost } from './http/hosts.ts'
import { createIntake } from './http/intake.ts'
import { AddressLimits } from './http/limits.ts'
import { type Listeners, listen, type Place } from './http/listeners.ts'
import { createLog } from './log.ts'
import { createMailer, type Mailer } from './mail/mailer.ts'
import { createMessages } from './mail/messages.ts'
import { type Clock, openStore, type Store } from './store/store.ts'
import { createFiling } from './tasks/filing.ts'
import { createMailing } from './tasks/mailing.ts'
import { createWorker, type Worker } from './tasks/worker.ts'

/** From the first signal to the end of the process at most this long, in milliseconds. */
const REQUESTS_END = 5000
const TASKS_END = 3000

export type App = {
  store: Store
  worker: Worker
  mailer: Mailer
  /** Listens on all hosts, or those named. Throws when a port cannot be had. */
  listen(only?: Place['name'][]): Promise<Listeners['addresses']>
  /** Starts the worker. Without it, what is taken in is announced to the workers elsewhere. */
  work(): void
  /** Ends within 10 seconds: what is under way is finished, the rest is given back. */
  close(): Promise<void>
}

export type Given = {
  clock?: Clock
  mailer?: Mailer
  log?: Logger
  /** How long connections are kept after they were told to leave, in milliseconds. */
  farewell?: number
  /** For how long a database server that cannot be reached yet is waited for, in milliseconds. */
  patience?: number
}

/** Builds the service on its configuration. Throws ConfigError when a part of it cannot be had. */
export async function createApp(config: Config, given: Given = {}): Promise<App> {
  const log = given.log ?? createLog(config.logLevel)
  const { settings } = config
  const messages = await orConfigError('The content cannot be used', () =>
    createMessages({ ...config, contentDirs: contentDirs(settings.content) }),
  )
  const mailer =
    given.mailer ?? (await orConfigError('Mail cannot be sent', () => createMailer(config)))
  const database = describeDatabase(config.database)
  const store = await orConfigError(`The database ${database} cannot be opened`, () =>
    openStore(config.database, {
      clock: given.clock,
      patience: given.patience ?? 0,
      onWaiting: onChange(reason => log.warn({ reason }, 'waiting for the database')),
    }),
  )
  const { clock } = store
  const secretKey = config.secretKey ?? (await sharedSecret(store))

  const filing = createFiling({ store, clock, settings, log, filed: () => worker.nudge() })
  const mailing = createMailing({
    store,
    clock,
    config: { ...config, secretKey },
    mailer,
    messages,
    log,
  })
  const worker: Worker = createWorker(
    [
      { name: 'filing', slots: 1, tasksPerJob: 20, run: filing },
      { name: 'mail', slots: 5, tasksPerJob: 1, run: mailing },
    ],
    { store, clock, log },
  )

  const limits = new AddressLimits(store, clock)
  const gate = createGate({ store, limits, addressOf: clientAddress(config.trustedProxies) })
  let working = false
  const accepted = () => (working ? worker.nudge() : store.announce())
  const intake = createIntake({ store, clock, settings, accepted })
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
    listen: async only => {
      const chosen = places.filter(({ name }) => only === undefined || only.includes(name))
      listeners = await listen(chosen, config.host, given.farewell)
      return listeners.addresses
    },
    work: () => {
      working = true
      worker.start()
      store.onAnnouncement(() => worker.nudge())
    },
    close: async () => {
      closing = true
      await Promise.allSettled([listeners?.close(REQUESTS_END), worker.stop(TASKS_END)])
      await mailer.close()
      await store.close()
    },
  }
}

/** The secret of all who share the database. */
async function sharedSecret(store: Store): Promise<string> {
  try {
    return await store.keepSecret('links', newSecret())
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Passes on what is not the same as before. */
function onChange(tell: (text: string) => void): (text: string) => void {
  let last: string | undefined
  return text => {
    if (text !== last) tell(text)
    last = text
  }
}

/** Where templates are looked for: the operator's folder first, then our own. */
export const contentDirs = (own: string | undefined): string[] => [
  ...(own === undefined ? [] : [own]),
  fileURLToPath(new URL('../content/', import.meta.url)),
]
