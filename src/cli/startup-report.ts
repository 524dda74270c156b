/** The report to the operator when the service starts: its URLs, and what to change before production. */
import { isIPv6 } from 'node:net'
import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { defaultSettings } from '../config/defaults.ts'
import { describeDatabase } from '../config/environment.ts'
import { paths, SITE_INTEREST, STUDENT_INTEREST } from '../http/urls.ts'

/** The roles of a process: it accepts submissions over HTTP, works as a worker, or both. Either serves the console host. */
export type Roles = { http: boolean; worker: boolean }

/** `firstOperator` is the link that creates the first operator of the console, if there is none yet. */
export function report(
  config: Config,
  app: App,
  roles: Roles,
  firstOperator: string | undefined,
): string {
  const urls = [
    `  Site interest     POST ${config.baseUrl}${SITE_INTEREST}`,
    `  Student interest  POST ${config.learnUrl}${STUDENT_INTEREST}`,
    `  Documentation     ${config.baseUrl}${paths.developers}`,
  ]
  const lines = [
    '',
    `Frontdesk is ready for ${config.settings.school.name}${roleOf(roles)}.`,
    '',
    ...(roles.http ? urls : []),
    `  Console           ${config.consoleUrl}`,
    `  Health            ${healthUrl(config)}`,
    `  Data              ${describeDatabase(config.database)}`,
    `  Mail              ${app.mailer.destination}`,
    '',
  ]
  if (firstOperator !== undefined) {
    lines.push('No one can sign in to the console yet. Within 24 hours, create the first operator:')
    lines.push(`  ${firstOperator}`, '')
  }
  const advice = adviceOn(config)
  if (advice.length > 0) {
    lines.push('Before production (see .env.example and frontdesk.config.ts):')
    lines.push(...advice.map(line => `  - ${line}`), '')
  }
  return `${lines.join('\n')}\n`
}

/** Where this machine reaches it, whatever stands in front: the details are not for everyone. */
function healthUrl({ host, consolePort }: Config): string {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${isIPv6(address) ? `[${address}]` : address}:${consolePort}/readyz`
}

function roleOf({ http, worker }: Roles): string {
  if (http && worker) return ''
  return http ? ' (HTTP only; frontdesk worker does the rest)' : ' (worker only)'
}

/** One sentence for each setting that production needs and that still has its default or example value. */
export function adviceOn(config: Config): string[] {
  const onDefault = new Set(config.onDefault)
  const { school, pricing } = config.settings
  const advice: [boolean, string][] = [
    [
      config.smtpUrl === undefined,
      'SMTP_URL is not set: emails are written to files, and no one receives them.',
    ],
    [
      onDefault.has('BASE_URL') || onDefault.has('LEARN_URL'),
      'BASE_URL or LEARN_URL still points to localhost.',
    ],
    [
      onDefault.has('CONSOLE_URL'),
      'CONSOLE_URL still points to localhost: the buttons in staff emails work only on this machine.',
    ],
    [onDefault.has('MAIL_FROM'), 'MAIL_FROM is still an address at localhost.'],
    [onDefault.has('PARTNERSHIPS_EMAIL'), 'PARTNERSHIPS_EMAIL is still an address at localhost.'],
    [onDefault.has('ADMISSIONS_EMAIL'), 'ADMISSIONS_EMAIL is still an address at localhost.'],
    [
      config.trustedProxies.length === 0,
      'TRUSTED_PROXIES is empty: behind a proxy, no one is rate-limited, because requests from private addresses never are.',
    ],
    [school.name === 'Example Vocational School', 'school.name is still the example.'],
    [
      pricing.asOf === defaultSettings.pricing.asOf,
      'pricing.asOf is still the date of the example: /pricing says that its prices were correct on that day.',
    ],
    [
      school.postalAddress === undefined,
      'school.postalAddress is not set: by law, follow-up emails to students need it, so none are sent.',
    ],
    [
      config.imapUrl === undefined,
      'IMAP_URL is not set: replies go to the counselor, and follow-up emails continue until they mark the lead as reached.',
    ],
  ]
  return advice.filter(([applies]) => applies).map(([, sentence]) => sentence)
}
