/** Running the service, whole or a part of it, until it is told to end. */
import { constants } from 'node:os'
import type { Logger } from 'pino'
import { type App, createApp } from '../app.ts'
import { collectGarbage } from '../collect-garbage.ts'
import { loadConfig } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { createLog } from '../log.ts'
import { shutdown } from '../shutdown.ts'
import { report } from './report.ts'
import { terminal } from './terminal.ts'

/** When the start is over and its memory is given back, in milliseconds. */
const AFTER_START = 1000

/** A database server that is away is waited for, at the start as later. */
const PATIENCE_AT_START = Number.POSITIVE_INFINITY

/** What a process does: takes in, follows up, or both. Its health is on the console's host always. */
export type Roles = { http: boolean; worker: boolean }

export async function runService(roles: Roles): Promise<void> {
  const config = await loadConfig(terminal().env)
  const log = createLog(config.logLevel)
  const service = { app: undefined as App | undefined, ending: false }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // Before the start, which may wait for the database: the first process of a container ignores
    // every signal that it has not asked for.
    process.on(signal, () => end(service, signal, log))
  }
  const app = await createApp(config, { log, databaseTimeout: PATIENCE_AT_START })
  await app
    .listen(roles.http ? undefined : ['console'])
    .catch(async (error: NodeJS.ErrnoException) => {
      await app.close()
      throw new ConfigError([portProblem(error)])
    })
  service.app = app
  if (roles.worker) app.work()
  terminal().stderr.write(report(config, app, roles))
  log.info('ready')
  setTimeout(collectGarbage, AFTER_START)

  // Without a store nothing can be promised any more: end, and let the supervisor start anew.
  await app.store.failure.catch(error => {
    if (service.ending) return
    log.fatal({ err: error }, 'the store has failed')
    process.exit(1)
  })
}

/** Ends what runs, or at once what has not begun. A second signal does not wait. */
async function end(
  service: { app: App | undefined; ending: boolean },
  signal: NodeJS.Signals,
  log: Logger,
): Promise<void> {
  if (service.ending) process.exit(128 + constants.signals[signal])
  service.ending = true
  log.info({ signal }, 'stopping')
  setTimeout(() => process.exit(0), shutdown.total)
  await service.app?.close().catch(error => log.error({ err: error }, 'the end was not orderly'))
  log.info('stopped')
  process.exit(0)
}

function portProblem(error: NodeJS.ErrnoException & { address?: string; port?: number }): string {
  if (error.code === 'ENOTFOUND') return 'HOST is no address of this machine'
  const place = `${error.address}:${error.port}`
  if (error.code === 'EADDRINUSE')
    return `${place} is in use; set another port or stop what uses it`
  if (error.code === 'EACCES') return `${place} needs more rights; ports below 1024 do`
  return `${place} cannot be listened on: ${error.message}`
}
