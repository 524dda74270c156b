/** The whole service, wired: for the command line and for the tests alike. This is the only wiring. */
import type { Logger } from 'pino'
import { createDirectory } from './accounts/directory.ts'
import type { Config } from './config/config.ts'
import { orConfigError } from './config/config-error.ts'
import { describeDatabase } from './config/environment.ts'
import { newSecret } from './config/secret.ts'
import type { Settings } from './config/settings.ts'
import { createCalendar } from './follow-up/calendar.ts'
import { clientAddress } from './http/client-address.ts'
import { createGate } from './http/gate.ts'
import { createHealth } from './http/health.ts'
import { consoleHost, learnHost, siteHost } from './http/hosts.ts'
import { createLinkActions } from './http/links/link-actions.ts'
import { staffLinkRoute } from './http/links/staff-links.ts'
import { studentLinkRoute } from './http/links/student-links.ts'
import { type Listener, type Listeners, listen } from './http/listeners.ts'
import { AddressLimits } from './http/rate-limits.ts'
import { createOperations } from './http/submit.ts'
import { urlsOf } from './http/urls.ts'
import { loadContent } from './load-content.ts'
import { createLog } from './log.ts'
import { createMailer, type Mailer } from './mail/mailer.ts'
import { createMessageIds } from './mail/message-id.ts'
import { shutdown } from './shutdown.ts'
import { createLinks } from './signed-links.ts'
import { openStore } from './store/open-store.ts'
import type { Lane } from './store/schema.ts'
import type { Store } from './store/store.ts'
import { saveCadences } from './tasks/cadence-start.ts'
import { watchInbox } from './tasks/watched-mailbox.ts'
import { createLanes, createWorker, type Worker } from './tasks/worker.ts'
import type { Clock } from './time.ts'

export type App = {
  store: Store
  worker: Worker
  mailer: Mailer
  /** Listens on all hosts, or those named. Throws when a port cannot be had. */
  listen(only?: Listener['name'][]): Promise<Listeners['addresses']>
  /** Starts the worker. Without it, what is taken in is announced to the workers elsewhere. */
  work(): void
  /** Ends within 10 seconds: what is under way is finished, the rest is given back. */
  close(): Promise<void>
}

export type AppOptions = {
  clock?: Clock
  mailer?: Mailer
  log?: Logger
  /** How long connections are kept after they were told to leave, in milliseconds. */
  drainDelay?: number
  /** For how long a database server that cannot be reached yet is waited for, in milliseconds. */
  databaseTimeout?: number
  /** Makes the content. Tests that start many services make it once. */
  content?: typeof loadContent
}

/** Builds the service on its configuration. Throws ConfigError when a part of it cannot be had. */
export async function createApp(config: Config, given: AppOptions = {}): Promise<App> {
  const log = given.log ?? createLog(config.logLevel)
  const mailer =
    given.mailer ?? (await orConfigError('Mail cannot be sent', () => createMailer(config)))
  const database = describeDatabase(config.database)
  const store = await orConfigError(`The database ${database} cannot be opened`, () =>
    openStore(config.database, {
      clock: given.clock,
      timeout: given.databaseTimeout ?? 0,
      onWaiting: onChange(reason => log.warn({ reason }, 'waiting for the database')),
    }),
  )
  try {
    return await buildOn(store, mailer, config, { ...given, log })
  } catch (error) {
    await store.close()
    throw error
  }
}

async function buildOn(
  store: Store,
  mailer: Mailer,
  config: Config,
  { log, drainDelay, content = loadContent }: AppOptions & { log: Logger },
): Promise<App> {
  const { clock } = store
  const { settings } = config
  const { secretKey, addressSecret, cadences } = await store.atStart(async () => ({
    secretKey: config.secretKey ?? (await store.getOrCreateSecret('links', newSecret())),
    addressSecret: await store.getOrCreateSecret('addresses', newSecret()),
    cadences: await saveCadences(store, settings),
  }))
  const links = createLinks({ ...config, secretKey, counselorIds: counselorIds(settings) })
  const { messages, pages, documents } = await orConfigError('The content cannot be used', () =>
    content(config, links, clock),
  )

  const calendar = createCalendar(settings)
  const identity = createMessageIds(secretKey, config.mailFrom)
  const directory = createDirectory({ ...config, store, addressSecret, log })
  const concealed = settings.accounts.feedback === 'conceal'
  const common = { store, clock, config, settings, calendar, addressSecret, log }
  const worker: Worker = createWorker(
    createLanes({
      ...common,
      cadences,
      directory: concealed ? directory : undefined,
      messages,
      mailer,
      identity,
      wake: lanes => worker.nudge(lanes),
    }),
    { store, clock, log },
  )

  const limits = new AddressLimits(store, clock)
  const gate = createGate({ store, limits, addressOf: clientAddress(config.trustedProxies) })
  let working = false
  /** Work may be due in these lanes, by default in any: for the worker here, or for those elsewhere. */
  const changed = (lanes?: readonly Lane[]) => (working ? worker.nudge(lanes) : store.announce())
  const operations = createOperations({
    ...common,
    gate,
    learnUrl: config.learnUrl,
    directory: concealed ? undefined : directory,
    accepted: () => changed(['filing']),
  })
  const actions = createLinkActions({ ...common, changed: () => changed() })
  const staffLinks = staffLinkRoute({ links, pages, actions, clock, log })
  const studentLinks = studentLinkRoute({ links, pages, act: actions.actForStudent })
  const { imapUrl } = config
  const inbox =
    imapUrl === undefined
      ? undefined
      : await watchInbox({ ...common, url: imapUrl, identity, changed: () => changed(['mail']) })
  let closing = false
  const health = createHealth({
    store,
    clock,
    closing: () => closing,
    unlimitedRequests: () => limits.unlimited,
    mailboxTrouble: () => (working ? inbox?.trouble() : undefined),
  })
  const shared = { urls: urlsOf(config), health, log }
  const listeners: Listener[] = [
    {
      name: 'site',
      url: config.baseUrl,
      port: config.sitePort,
      host: siteHost({ ...shared, operation: operations.site, documents: documents.site }),
    },
    {
      name: 'learn',
      url: config.learnUrl,
      port: config.learnPort,
      host: learnHost({
        ...shared,
        operation: operations.student,
        documents: documents.learn,
        studentLinks,
      }),
    },
    {
      name: 'console',
      url: config.consoleUrl,
      port: config.consolePort,
      host: consoleHost({ ...shared, staffLinks }),
    },
  ]
  let opened: Listeners | undefined
  return {
    store,
    worker,
    mailer,
    listen: async only => {
      const chosen = listeners.filter(({ name }) => only === undefined || only.includes(name))
      opened = await listen(chosen, config.host, drainDelay)
      return opened.addresses
    },
    work: () => {
      working = true
      worker.start()
      inbox?.start()
      store.onAnnouncement(() => worker.nudge())
    },
    close: async () => {
      closing = true
      await Promise.allSettled([
        opened?.close(shutdown.requests),
        worker.stop(shutdown.tasks),
        inbox?.stop(),
      ])
      await mailer.close()
      await store.close()
    },
  }
}

const counselorIds = ({ admissions }: Settings) => admissions.counselors.map(({ id }) => id)

/** Passes on what is not the same as before. */
function onChange(tell: (text: string) => void): (text: string) => void {
  let last: string | undefined
  return text => {
    if (text !== last) tell(text)
    last = text
  }
}
