/** The three hosts: what each has at which address. */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { STAFF_PATH, STUDENT_PATH } from '../links.ts'
import { readJson } from './body.ts'
import { HttpError } from './errors.ts'
import type { Gate } from './gate.ts'
import { detailedHealth, type Health, publicHealth } from './health.ts'
import type { Answer, Host, Route } from './host.ts'
import type { Submitted, Taken } from './intake.ts'

export const SITE_INTEREST = '/api/site-interest'
export const STUDENT_INTEREST = '/api/admissions/interest'

type Parts = { config: Config; gate: Gate; health: Health; log: Logger }

/** Of every answer. Any web page may submit, without credentials (the Fetch standard's CORS protocol). */
const publicHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}

/** A browser may keep it for two hours, the most that Chromium does. */
const preflight = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST',
  'Access-Control-Allow-Headers': 'Content-Type, Idempotency-Key, X-Idempotency-Key',
  'Access-Control-Max-Age': 7200,
}

type Take = (submitted: Submitted) => Promise<Taken>

/** The site host: operation A. */
export function siteHost(parts: Parts, take: Take): Host {
  const { baseUrl, learnUrl } = parts.config
  return publicHost(parts, take, {
    here: [baseUrl, SITE_INTEREST],
    there: [learnUrl, STUDENT_INTEREST],
  })
}

/** The learn host: operation B, and `rights`, what the links in letters to students lead to. */
export function learnHost(parts: Parts & { rights: Route }, take: Take): Host {
  const { baseUrl, learnUrl } = parts.config
  const host = publicHost(parts, take, {
    here: [learnUrl, STUDENT_INTEREST],
    there: [baseUrl, SITE_INTEREST],
  })
  return { ...host, routes: { ...host.routes, [`${STUDENT_PATH}*`]: parts.rights } }
}

type OperationAt = [origin: string, path: string]

function publicHost(
  { gate, health, log }: Parts,
  take: Take,
  { here, there }: { here: OperationAt; there: OperationAt },
): Host {
  return {
    routes: { ...publicHealth(health), [here[1]]: submit(gate, take) },
    headers: publicHeaders,
    preflight,
    otherwise: path => {
      const hint =
        path === there[1]
          ? `This operation is at ${there.join('')}`
          : `There is nothing at this address. To submit, POST to ${here.join('')}`
      throw new HttpError(404, hint)
    },
    log,
  }
}

type ConsoleParts = Pick<Parts, 'health' | 'log'> & { acting: Route }

/**
 * The console's host: `acting`, what the links in messages to the staff lead to, and for now else
 * only how the service is, and where to look for a lead.
 */
export function consoleHost({ health, log, acting }: ConsoleParts): Host {
  return {
    routes: { ...detailedHealth(health), [`${STAFF_PATH}*`]: acting },
    headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
    preflight: {},
    otherwise: path => {
      // An address that people remember. It shows nothing of the lead, since anybody may open it.
      const id = path.match(/^\/leads\/(\d{1,15})$/)?.[1]
      if (id === undefined) throw new HttpError(404, 'There is nothing at this address')
      return { status: 200, body: `On the server, run: npx frontdesk leads show ${id}\n` }
    },
    log,
  }
}

/** An operation: past the gate, its body read, taken in, and answered. */
function submit(gate: Gate, take: Take): Route {
  return {
    POST: async (request: IncomingMessage): Promise<Answer> => {
      const { address, headers } = await gate(request)
      const body = await readJson(request)
      const taken = await take({ body, headers: request.headers, address })
      if (taken.replayed) headers['Idempotent-Replayed'] = 'true'
      return { status: taken.status, headers, body: taken.body }
    },
  }
}
