/**
 * Answers that are not a success: JSON with the single property `error`, a sentence that says what
 * to change, whatever produced it.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { StoreUnavailable } from '../store/store-unavailable.ts'

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

/** Any error as an answer. An unknown one is logged in full, and answered with a reference only. */
export function toHttpError(error: unknown, log: Logger): HttpError {
  if (error instanceof HttpError) return error
  if (error instanceof StoreUnavailable) {
    // Without its stack: while the database is away, each request says so.
    const { message } = (error.cause ?? error) as Error
    log.error({ reason: message }, 'a submission could not be stored')
    return new HttpError(
      503,
      `The submission could not be stored. Send the same request again in ${COME_BACK} seconds; it will not count twice.`,
      { 'Retry-After': COME_BACK },
    )
  }
  const reference = randomUUID().slice(0, 8)
  log.error({ err: error, reference }, 'unexpected error')
  return unexpected(reference)
}

/** What the log knows under this reference. */
export const unexpected = (reference: string): HttpError =>
  new HttpError(
    500,
    `Something went wrong on our side. Send the same request again; it will not count twice. Reference: ${reference}`,
  )

/** Answers what is no HTTP request at all, at the level of the socket (RFC 9110 section 15.5). */
export function rawError(code: string | undefined): string {
  const [status, message] = rawErrors[code as keyof typeof rawErrors] ?? [
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

export const rawErrors = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Content Too Large', 'The chunk extensions are too large'],
  CONNECT: ['501 Not Implemented', 'CONNECT is not possible: this service is no proxy'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
} as const
