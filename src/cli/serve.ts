/** `frontdesk serve` and `frontdesk worker`: the service itself. */
import { constants } from 'node:os'
import { Command } from 'commander'
import type { Logger } from 'pino'
import type { App } from '../app.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { StartError } from '../config/config-error.ts'
import { createApp } from '../create-app.ts'
import { collectGarbageOnceIdle } from '../platform/collect-garbage.ts'
import { createLog } from '../platform/log.ts'
import { shutdown } from '../shutdown.ts'
import { type Roles, report } from './startup-report.ts'
import { terminal } from './terminal/terminal.ts'

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service, as npm start does')
    .option('--http-only', 'only accept submissions; run npx frontdesk worker on the same database for the rest')
    .action(({ httpOnly = false }: { httpOnly?: boolean }) => runService({ http: true, worker: !httpOnly }))
}

export function workerCommand(): Command {
  return new Command('worker')
    .description('file the submissions that serve --http-only accepts, send emails and follow up')
    .action(() => runService({ http: false, worker: true }))
}

/** Runs the service, or one of its roles, until a signal ends the process. */
async function runService(roles: Roles): Promise<void> {
  const config = await loadConfig(terminal().env)
  const log = createLog(config.logLevel)
  const service = { app: undefined as App | undefined, ending: false }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // Registered before the start, which may wait for the database: the first process of a container
    // ignores every signal for which it has no handler.
    process.on(signal, () => end(service, signal, log))
  }
  // The service also waits at startup if the database is unavailable.
  const app = await createApp(config, { log, databaseTimeout: Number.POSITIVE_INFINITY })
  const firstOperator = await app.firstOperatorLink().catch(error => {
    log.warn({ err: error }, 'the link for the first operator could not be made')
    return undefined
  })
  await app.listen(roles.http ? undefined : ['console']).catch(async (error: NodeJS.ErrnoException) => {
    await app.close()
    throw new StartError(portProblem(error, config, roles))
  })
  service.app = app
  if (roles.worker) app.work()
  terminal().stderr.write(report(config, app, roles, firstOperator))
  log.info('ready')
  collectGarbageOnceIdle(() => app.store.backgroundDelay() === 0)

  // Without a store the service can accept nothing: exit, and let the supervisor start it again.
  await app.store.failure.catch(error => {
    if (service.ending) return
    log.fatal({ err: error }, 'the store has failed')
    process.exit(1)
  })
}

/** Closes the service, then exits; exits immediately if it has not started yet, or at a second signal. */
async function end(
  service: { app: App | undefined; ending: boolean },
  signal: NodeJS.Signals,
  log: Logger,
): Promise<void> {
  if (service.ending) process.exit(128 + constants.signals[signal])
  service.ending = true
  log.info({ signal }, 'stopping')
  setTimeout(() => process.exit(0), shutdown.total)
  await service.app?.close().catch(error => log.error({ err: error }, 'shutdown failed'))
  log.info('stopped')
  process.exit(0)
}

type ListenError = NodeJS.ErrnoException & { address?: string; port?: number }

function portProblem(error: ListenError, config: Config, roles: Roles): string {
  if (error.code === 'ENOTFOUND' || error.code === 'EADDRNOTAVAIL')
    return `HOST is ${config.host}, which is not an IP address of this machine; use one that is, or 0.0.0.0 for every interface`
  const ports = [
    ...(roles.http
      ? ([
          ['SITE_PORT', config.sitePort],
          ['LEARN_PORT', config.learnPort],
        ] as const)
      : []),
    ['CONSOLE_PORT', config.consolePort] as const,
  ]
  const names = ports.filter(([, port]) => port === error.port).map(([name]) => name)
  const socket = `${names.join(' and ')}: ${error.address}:${error.port}`
  if (error.code === 'EADDRINUSE')
    return `${socket} is in use; stop the program that uses it, perhaps another Frontdesk, or set another port`
  if (error.code === 'EACCES')
    return `${socket} needs more privileges, as ports below 1024 do; set a higher port, and put a proxy in front`
  return `${socket} cannot be used: ${error.message}`
}
