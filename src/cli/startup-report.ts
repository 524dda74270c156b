/** The report to the operator when the service starts: its URLs, and what to change before production. */
import { isIPv6 } from 'node:net'
import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { adviceOn } from '../config/configuration-notes.ts'
import { describeDatabase } from '../config/environment.ts'
import { paths, SITE_INTEREST, STUDENT_INTEREST } from '../http/urls.ts'

/** The roles of a process: it accepts submissions over HTTP, works as a worker, or both. Each serves the console. */
export type Roles = { http: boolean; worker: boolean }

/** `firstOperator` is the link that creates the first operator of the console, if there is none yet. */
export function report(config: Config, app: App, roles: Roles, firstOperator: string | undefined): string {
  const urls = [
    `  Site interest     POST ${config.baseUrl}${SITE_INTEREST}`,
    `  Student interest  POST ${config.learnUrl}${STUDENT_INTEREST}`,
    `  Forms             ${config.baseUrl}${paths.forms}`,
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

/** The URL at which this machine itself reaches `/readyz`, whose details are not for everyone. */
function healthUrl({ host, consolePort }: Config): string {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${isIPv6(address) ? `[${address}]` : address}:${consolePort}/readyz`
}

function roleOf({ http, worker }: Roles): string {
  if (http && worker) return ''
  return http ? ' (HTTP only; npx frontdesk worker does the rest)' : ' (worker only)'
}
