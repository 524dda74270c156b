/** Puts the service together from its two halves: what is served over HTTP, and what happens after the response. */
import type { Logger } from 'pino'
import { createDirectory } from './accounts/directory.ts'
import type { Config } from './config/config.ts'
import { orConfigError } from './config/config-error.ts'
import { keepInForce, readInForce } from './config/edited-settings.ts'
import { createCalendar } from './follow-up/calendar.ts'
import { type Listener, type Listeners, listen } from './http/listeners.ts'
import { contentInForce, loadContent } from './load-content.ts'
import type { Mailer } from './mail/transport/mailer.ts'
import { linkSecret, linksWith, missingSecret } from './open-links.ts'
import { newSecret } from './platform/secret.ts'
import { shutdown } from './shutdown.ts'
import type { Store } from './store/store.ts'
import { cadenceVersions } from './tasks/cadence-start.ts'
import { keepDigestHour } from './tasks/messages/quarantine-digest.ts'
import type { Worker } from './tasks/worker.ts'
import { wireBackground } from './wiring/background.ts'
import { wireHttp } from './wiring/http.ts'

export type App = {
  store: Store
  worker: Worker
  mailer: Mailer
  /** Listens for all hosts, or for those named. Throws when a port is not available. */
  listen(only?: Listener['name'][]): Promise<Listeners['addresses']>
  /** The link that creates the first operator of the console; undefined if there are operators. */
  firstOperatorLink(): Promise<string | undefined>
  /** Starts the worker and the watched mailbox. Without this, workers in other processes do the tasks. */
  work(): void
  /** Finishes or releases the work under way, then closes everything, within `shutdown.total`. */
  close(): Promise<void>
}

export type AppOptions = {
  log: Logger
  /** How long a closing server keeps idle connections, in milliseconds. */
  drainDelay?: number | undefined
  /** Loads the content. Tests that start many services load it once. */
  content?: typeof loadContent | undefined
}

/** Wires the service. Throws ConfigError or StartError when a part of it cannot be made. */
export async function wireApp(
  config: Config,
  store: Store,
  mailer: Mailer,
  { log, drainDelay, content: load = loadContent }: AppOptions,
): Promise<App> {
  const { clock } = store
  const { settings } = config
  const cadences = cadenceVersions(store, settings)
  const { secretKey, addressSecret } = await store.atStart(async () => ({
    edited: await readInForce(store, config),
    secretKey: await linkSecret(config, store),
    addressSecret: await store.getOrCreateSecret('addresses', newSecret()),
    cadences: [await cadences('student'), await cadences('site')],
    digest: await keepDigestHour(store, settings),
  }))
  if (secretKey === undefined) throw missingSecret(config)
  const calendar = createCalendar(settings)
  const links = linksWith(secretKey, config)
  const content = await orConfigError('The content cannot be used', () =>
    contentInForce(config, () => load(config, links, clock), log),
  )
  const common = { store, clock, config, settings, calendar, addressSecret, log }
  const directory = createDirectory({ ...config, store, addressSecret, log })
  const shared = { ...common, secretKey, directory, mailer }

  const background = await wireBackground({ ...shared, cadences, messages: content.messages })
  const closing = new AbortController()
  const edits = keepInForce(common, closing.signal)
  const http = wireHttp({ ...shared, background, content, links, edits, closing: closing.signal })

  let opened: Listeners | undefined
  return {
    store,
    worker: background.worker,
    mailer,
    listen: async only => {
      const chosen = http.listeners.filter(({ name }) => only === undefined || only.includes(name))
      opened = await listen(chosen, config.host, {
        clientOf: http.clientOf,
        drainDelay,
        httpsForSubdomains: config.settings.security.httpsForSubdomains === 'on',
      })
      return opened.addresses
    },
    firstOperatorLink: async () => {
      const nonce = newSecret()
      const id = await store.addFirstLink({ nonce, now: clock.now() })
      return id === undefined ? undefined : links.operator(id, nonce)
    },
    work: () => background.start(closing.signal),
    close: async () => {
      closing.abort()
      await Promise.allSettled([opened?.close(shutdown.requests), background.stop()])
      http.events.report()
      await http.counts.save()
      await mailer.close()
      await store.close()
    },
  }
}
