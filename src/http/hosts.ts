/** The three hosts: what each has at which address. */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { STAFF_PATH, STUDENT_PATH } from '../signed-links.ts'
import { readJson } from './body.ts'
import { readValidateOnly } from './dry-run-parameter.ts'
import { HttpError, toHttpError } from './errors.ts'
import type { Gate } from './gate.ts'
import { detailedHealth, type Health, publicHealth } from './health.ts'
import type { Host, HttpResponse, Route } from './router.ts'
import type { SubmissionRequest, SubmissionResponse } from './submit.ts'
import { SITE_INTEREST, STUDENT_INTEREST, type Urls } from './urls.ts'

type Parts = { urls: Urls; gate: Gate; health: Health; log: Logger }

/** Of every answer. Any web page may submit, without credentials (the Fetch standard's CORS protocol). */
const publicHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Idempotent-Replayed, Link, RateLimit, RateLimit-Policy, Retry-After',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}

/** A browser may keep it for two hours, the most that Chromium does. */
const preflight = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST',
  'Access-Control-Allow-Headers': 'Content-Type, Idempotency-Key, X-Idempotency-Key',
  'Access-Control-Max-Age': 7200,
}

type Take = (submitted: SubmissionRequest) => Promise<SubmissionResponse>
type Routes = Record<string, Route>

/** The site host: operation A, and the documents for agents and developers. */
export const siteHost = (parts: Parts & { documents: Routes }, take: Take): Host =>
  publicHost(parts, {
    routes: { [SITE_INTEREST]: submit(parts, take), ...parts.documents },
    here: parts.urls.siteInterest,
    there: { [STUDENT_INTEREST]: parts.urls.studentInterest },
  })

/** The learn host: operation B, and `rights`, what the links in letters to students lead to. */
export const learnHost = (parts: Parts & { documents: Routes; rights: Route }, take: Take): Host =>
  publicHost(parts, {
    routes: {
      [STUDENT_INTEREST]: submit(parts, take),
      [`${STUDENT_PATH}*`]: parts.rights,
      ...parts.documents,
    },
    here: parts.urls.studentInterest,
    there: { [SITE_INTEREST]: parts.urls.siteInterest },
  })

type Own = {
  routes: Routes
  /** The operation of this host. */
  here: string
  /** That of the other one, by its path. */
  there: Record<string, string>
}

const publicHost = ({ health, urls, log }: Parts, { routes, here, there }: Own): Host => ({
  routes: { ...publicHealth(health), ...routes },
  headers: publicHeaders,
  preflight,
  otherwise: path => {
    throw notFound(there[path], here, helpAt(urls))
  },
  help: helpAt(urls),
  log,
})

/** How an error about the address or the method ends. */
export const helpAt = ({ docs }: Pick<Urls, 'docs'>): string => `See ${docs}`

/** The answer at an address of which there is nothing; `elsewhere`, where it was meant to go. */
export const notFound = (elsewhere: string | undefined, here: string, help: string): HttpError =>
  new HttpError(
    404,
    elsewhere === undefined
      ? `There is nothing at this address. To submit, POST to ${here}. ${help}`
      : `This operation is at ${elsewhere}. ${help}`,
  )

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
    help: '',
    log,
  }
}

/** An operation: past the gate, its body read, taken in, and answered. */
function submit({ gate, log }: Parts, take: Take): Route {
  return {
    POST: async (request: IncomingMessage): Promise<HttpResponse> => {
      const { address, headers } = await gate(request)
      try {
        const validateOnly = readValidateOnly(request.url)
        const body = await readJson(request)
        const taken = await take({ body, headers: request.headers, address, validateOnly })
        if (taken.replayed) headers['Idempotent-Replayed'] = 'true'
        return { status: taken.status, headers, body: taken.body }
      } catch (error) {
        // A refused request has counted, too, so its sender is told where it stands.
        const { status, message, headers: own } = toHttpError(error, log)
        throw new HttpError(status, message, { ...headers, ...own })
      }
    },
  }
}
