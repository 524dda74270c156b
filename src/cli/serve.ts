/** `frontdesk serve`: the service itself. */
import { constants } from 'node:os'
import { Command } from 'commander'
import pino from 'pino'
import { type App, createApp } from '../app.ts'
import { compactMemory } from '../compact.ts'
import { type Config, ConfigError, loadConfig } from '../config/config.ts'
import { SITE_INTEREST, STUDENT_INTEREST } from '../http/hosts.ts'

/** When the start is over and its memory is given back, in milliseconds. */
const AFTER_START = 1000

export function serveCommand(): Command {
  return new Command('serve').description('run the service (what npm start does)').action(serve)
}

async function serve(): Promise<void> {
  const config = await loadConfig(process.env)
  const log = pino({ level: config.logLevel })
  const app = await createApp(config, { log })
  await app.listen().catch(async (error: NodeJS.ErrnoException) => {
    await app.close()
    throw new ConfigError([portProblem(error)])
  })
  app.worker.start()
  process.stderr.write(report(config, app))
  log.info('ready')
  setTimeout(compactMemory, AFTER_START)

  let ending = false
  const end = async (signal: NodeJS.Signals) => {
    // A second signal does not wait.
    if (ending) process.exit(128 + constants.signals[signal])
    ending = true
    log.info({ signal }, 'stopping')
    await app.close()
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)

  // Without a store nothing can be promised any more: end, and let the supervisor start anew.
  await app.store.failure.catch(error => {
    if (ending) return
    log.fatal({ err: error }, 'the store has failed')
    process.exit(1)
  })
}

function portProblem(error: NodeJS.ErrnoException & { address?: string; port?: number }): string {
  if (error.code === 'ENOTFOUND') return 'HOST is no address of this machine'
  const place = `${error.address}:${error.port}`
  if (error.code === 'EADDRINUSE')
    return `${place} is in use; set another port or stop what uses it`
  if (error.code === 'EACCES') return `${place} needs more rights; ports below 1024 do`
  return `${place} cannot be listened on: ${error.message}`
}

/** What the operator reads at start: where everything is, and what a production would change. */
function report(config: Config, app: App): string {
  const lines = [
    '',
    `Frontdesk is ready for ${config.settings.school.name}.`,
    '',
    `  Site interest     POST ${config.baseUrl}${SITE_INTEREST}`,
    `  Student interest  POST ${config.learnUrl}${STUDENT_INTEREST}`,
    `  Console host      ${config.consoleUrl}/readyz`,
    `  Data              ${config.database.file}`,
    `  Mail              ${app.mailer.destination}`,
    '',
  ]
  const advice = adviceOn(config)
  if (advice.length > 0) {
    lines.push('Before production (see .env.example and frontdesk.config.ts):')
    lines.push(...advice.map(line => `  - ${line}`), '')
  }
  return `${lines.join('\n')}\n`
}

/** What is still on a default that a production would change, one sentence each. */
export function adviceOn(config: Config): string[] {
  const onDefault = new Set(config.onDefault)
  const { school } = config.settings
  const advice: [boolean, string][] = [
    [
      config.smtpUrl === undefined,
      'SMTP_URL is not set: messages become files, nobody is written to.',
    ],
    [
      onDefault.has('BASE_URL') || onDefault.has('LEARN_URL'),
      'BASE_URL and LEARN_URL are still on localhost.',
    ],
    [onDefault.has('MAIL_FROM'), 'MAIL_FROM is still on localhost.'],
    [onDefault.has('PARTNERSHIPS_EMAIL'), 'PARTNERSHIPS_EMAIL is still on localhost.'],
    [onDefault.has('ADMISSIONS_EMAIL'), 'ADMISSIONS_EMAIL is still on localhost.'],
    [
      config.trustedProxies.length === 0,
      'TRUSTED_PROXIES is empty: behind a proxy, nobody is limited, because requests from private addresses are not.',
    ],
    [school.name === 'Example Vocational School', 'school.name is the example.'],
    [
      school.postalAddress === undefined,
      'school.postalAddress is not set: letters to students need it by law.',
    ],
  ]
  return advice.filter(([applies]) => applies).map(([, sentence]) => sentence)
}
