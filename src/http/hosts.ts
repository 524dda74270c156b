/** The public hosts: which address has what, and what everything else is answered. */
import Fastify, { type FastifyInstance, type HTTPMethods, type RouteHandlerMethod } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { readJsonBodies } from './body.ts'
import { answerErrors, HttpError } from './errors.ts'
import type { Gate } from './gate.ts'
import { type Health, publicHealth } from './health.ts'
import type { createIntake } from './intake.ts'

/** The largest body that is read, in bytes. */
export const BODY_LIMIT = 32 * 1024

/** Any web page may submit, without credentials (the Fetch standard's CORS protocol). */
const everyAnswer = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}

/** A browser may keep it for two hours, the most that Chromium does. */
const preflightAnswer = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST',
  'Access-Control-Allow-Headers': 'Content-Type, Idempotency-Key, X-Idempotency-Key',
  'Access-Control-Max-Age': '7200',
}

export const SITE_INTEREST = '/api/site-interest'
export const STUDENT_INTEREST = '/api/admissions/interest'

type Parts = {
  config: Config
  intake: ReturnType<typeof createIntake>
  gate: Gate
  health: Health
  log: Logger
}

/** The site host: operation A. */
export function createSiteHost({ config, intake, gate, health, log }: Parts): FastifyInstance {
  const elsewhere = { [STUDENT_INTEREST]: `${config.learnUrl}${STUDENT_INTEREST}` }
  const app = publicHost(config, log, `${config.baseUrl}${SITE_INTEREST}`, elsewhere)
  publicHealth(app, health)
  operation(app, SITE_INTEREST, gate, intake.siteInterest)
  return app
}

/** The learn host: operation B. */
export function createLearnHost({ config, intake, gate, health, log }: Parts): FastifyInstance {
  const elsewhere = { [SITE_INTEREST]: `${config.baseUrl}${SITE_INTEREST}` }
  const app = publicHost(config, log, `${config.learnUrl}${STUDENT_INTEREST}`, elsewhere)
  publicHealth(app, health)
  operation(app, STUDENT_INTEREST, gate, intake.studentInterest)
  return app
}

function publicHost(
  config: Config,
  log: Logger,
  operationUrl: string,
  elsewhere: Record<string, string>,
): FastifyInstance {
  const app: FastifyInstance = Fastify({
    bodyLimit: BODY_LIMIT,
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    routerOptions: { maxParamLength: 500 },
    // A URL that cannot be decoded is an error like any other.
    frameworkErrors: (error, request, reply) => app.errorHandler(error, request, reply),
  })
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(everyAnswer)
    done()
  })
  app.options('*', (_request, reply) => {
    reply.code(204).headers(preflightAnswer).send()
  })
  readJsonBodies(app)
  answerErrors(app, log)
  app.setNotFoundHandler(request => {
    const path = request.url.split('?')[0] ?? ''
    const place = elsewhere[path]
    const hint = place
      ? `This operation is at ${place}`
      : `There is nothing at this address. To submit, POST to ${operationUrl}`
    throw new HttpError(404, hint)
  })
  return app
}

/** One operation: POST with JSON. Every other method is told so. */
function operation(
  app: FastifyInstance,
  url: string,
  gate: Gate,
  handler: RouteHandlerMethod,
): void {
  app.post(url, { onRequest: gate }, handler)
  const others = app.supportedMethods.filter(method => !['POST', 'OPTIONS'].includes(method))
  app.route({
    method: others as HTTPMethods[],
    url,
    handler: async request => {
      throw new HttpError(
        405,
        `${request.method} is not possible here. Send POST with a JSON body.`,
        {
          Allow: 'POST, OPTIONS',
        },
      )
    },
  })
}
