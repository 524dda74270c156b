/**
 * Answers that are not a success: JSON with the single property `error`, a sentence that says what
 * to change, whatever produced it.
 */
import { randomUUID } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { StoreUnavailable } from '../store/group-commit.ts'

/** An answer thrown from anywhere on the path of a request. */
export class HttpError extends Error {
  readonly status: number
  readonly headers: Record<string, string | number>
  constructor(status: number, message: string, headers: Record<string, string | number> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** Seconds after which a client may come back when the service is busy. */
const COME_BACK = 5

export const busy = (): HttpError =>
  new HttpError(503, `The service is busy. Send the same request again in ${COME_BACK} seconds.`, {
    'Retry-After': COME_BACK,
  })

const bodyTooLarge = (limit: number) => `The body must be at most ${limit / 1024} KiB`

/** The HTTP framework's own errors, by code, in our words. */
const frameworkErrors: Record<string, (app: FastifyInstance) => HttpError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: app =>
    new HttpError(413, bodyTooLarge(app.initialConfig.bodyLimit ?? 0)),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new HttpError(400, 'The body is not as long as its Content-Length says'),
  FST_ERR_BAD_URL: () => new HttpError(400, 'The address of the request is not a valid URL path'),
  FST_ERR_ASYNC_CONSTRAINT: () => new HttpError(404, 'There is nothing at this address'),
}

/** Answers every error of a host in the one form. Unknown ones are logged and answered with a reference. */
export function answerErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    sendError(reply, toHttpError(error, app, request, log))
  })
}

function toHttpError(
  error: FastifyError,
  app: FastifyInstance,
  request: FastifyRequest,
  log: Logger,
) {
  if (error instanceof HttpError) return error
  const known = frameworkErrors[error.code]
  if (known !== undefined) return known(app)
  if (error instanceof StoreUnavailable) {
    log.error({ err: error }, 'a submission could not be stored')
    return new HttpError(
      503,
      `The submission could not be stored. Send the same request again in ${COME_BACK} seconds; it will not count twice.`,
      { 'Retry-After': COME_BACK },
    )
  }
  const reference = randomUUID().slice(0, 8)
  log.error(
    { err: error, reference, method: request.method, path: request.routeOptions.url },
    'unexpected error',
  )
  return new HttpError(
    500,
    `Something went wrong on our side. Send the same request again; it will not count twice. Reference: ${reference}`,
  )
}

function sendError(reply: FastifyReply, { status, message, headers }: HttpError): void {
  reply.code(status).headers(headers).send({ error: message })
}

/** Answers what is no HTTP request at all, at the level of the socket (RFC 9110 section 15.5). */
export function rawError(code: string | undefined): string {
  const [status, message] = rawErrors[code ?? ''] ?? [
    '400 Bad Request',
    'The request is not valid HTTP',
  ]
  const body = JSON.stringify({ error: message })
  return [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Access-Control-Allow-Origin: *',
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

const rawErrors: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Content Too Large', 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
}
