/** Creates the service, for the commands and for the tests. */
import type { Logger } from 'pino'
import type { App, AppOptions } from './app.ts'
import type { Config } from './config/config.ts'
import { orConfigError, orStartError } from './config/config-error.ts'
import { prepareDataFolder } from './config/data-folder.ts'
import { describeDatabase } from './config/environment.ts'
import { createMailer, type Mailer } from './mail/transport/mailer.ts'
import { createLog } from './platform/log.ts'
import type { Clock } from './platform/time.ts'
import { openStore } from './store/open-store.ts'

export type CreateOptions = Omit<AppOptions, 'log'> & {
  clock?: Clock | undefined
  mailer?: Mailer
  log?: Logger
  /** How long to wait for a database that is unavailable, in milliseconds. */
  databaseTimeout?: number
}

/** Throws ConfigError or StartError when a part of the service cannot be made. */
export async function createApp(config: Config, options: CreateOptions = {}): Promise<App> {
  const log = options.log ?? createLog(config.logLevel)
  prepareDataFolder(config)
  const mailer = options.mailer ?? (await orConfigError('Mail cannot be sent', () => createMailer(config)))
  const database = describeDatabase(config.database)
  const opening = orStartError(`The database ${database} cannot be opened`, () =>
    openStore(config.database, {
      clock: options.clock,
      timeout: options.databaseTimeout ?? 0,
      onWaiting: onChange(reason => log.warn({ reason }, 'waiting for the database')),
    }),
  )
  // The store opens in its own thread or process. Meanwhile, this thread loads the rest of the service.
  const [store, { wireApp }] = await Promise.all([opening, import('./app.ts')])
  try {
    return await wireApp(config, store, mailer, { ...options, log })
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Makes a function that calls `report` with each text that differs from the previous one. */
function onChange(report: (text: string) => void): (text: string) => void {
  let last: string | undefined
  return text => {
    if (text !== last) report(text)
    last = text
  }
}
