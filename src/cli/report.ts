/** What the operator reads at start: where everything is, and what a production would change. */
import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { defaultSettings } from '../config/defaults.ts'
import { describeDatabase } from '../config/environment.ts'
import { paths, SITE_INTEREST, STUDENT_INTEREST } from '../http/urls.ts'
import type { Roles } from './service.ts'

export function report(config: Config, app: App, roles: Roles): string {
  const addresses = [
    `  Site interest     POST ${config.baseUrl}${SITE_INTEREST}`,
    `  Student interest  POST ${config.learnUrl}${STUDENT_INTEREST}`,
    `  Documentation     ${config.baseUrl}${paths.developers}`,
  ]
  const lines = [
    '',
    `Frontdesk is ready for ${config.settings.school.name}${roleOf(roles)}.`,
    '',
    ...(roles.http ? addresses : []),
    `  Console host      ${config.consoleUrl}/readyz`,
    `  Data              ${describeDatabase(config.database)}`,
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

function roleOf({ http, worker }: Roles): string {
  if (http && worker) return ''
  return http ? ', taking in only: what follows is up to frontdesk worker' : ', as a worker only'
}

/** What is still on a default that a production would change, one sentence each. */
export function adviceOn(config: Config): string[] {
  const onDefault = new Set(config.onDefault)
  const { school, pricing } = config.settings
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
      pricing.asOf === defaultSettings.pricing.asOf,
      'pricing.asOf is the day of the example: /pricing says that it was right on that day.',
    ],
    [
      school.postalAddress === undefined,
      'school.postalAddress is not set: letters to students need it by law, and none are sent.',
    ],
    [
      config.imapUrl === undefined,
      'IMAP_URL is not set: answers go to the counselor, and letters go on until they note the contact.',
    ],
  ]
  return advice.filter(([applies]) => applies).map(([, sentence]) => sentence)
}
