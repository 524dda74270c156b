/**
 * The one table of responses that are not a success. Each is JSON with the single property `error`: a sentence that
 * says what is wrong and what to do about it.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { VALIDATE_ONLY } from '../leads/body/dry-run-name.ts'
import type { Kind } from '../leads/body/submission.ts'
import { STATUS_CODES } from '../platform/node-http.ts'
import { MINUTE, SECOND } from '../platform/time.ts'
import { LOCKOUT } from '../store/acceptance/inquiry-lockout.ts'
import { StoreUnavailable } from '../store/acceptance/store-unavailable.ts'

type Headers = Record<string, string | number>

/** A response that is thrown from anywhere on the path of a request. */
export class HttpError extends Error {
  readonly status: number
  readonly headers: Headers
  constructor(status: number, message: string, headers: Headers = {}, cause?: StoreUnavailable) {
    super(message, { cause })
    this.status = status
    this.headers = headers
  }
}

/** The limits: numbers of requests (`points`), each within a time (`duration`, in milliseconds). */
export type RateLimits = Record<'burst' | 'day', { points: number; duration: number }>

/** After this many seconds a client may try again when the service is unavailable. */
const RETRY_AFTER = 5

const retryLater = { 'Retry-After': RETRY_AFTER }
const acceptJson = { Accept: 'application/json' }

/** The end of a sentence that says where to read on. It is empty on the console's host, which has no documents. */
const see = (docs: string | undefined): string => (docs === undefined ? '' : ` See ${docs}`)

/** `what` says what there was too much of, and where it came from. */
function tooMany(what: string, { burst, day }: RateLimits, wait: number, headers: Headers = {}): HttpError {
  return new HttpError(
    429,
    `Too many ${what} (at most ${burst.points} in ${burst.duration / MINUTE} minutes and ${day.points} in a day). Try again in ${minutesOf(wait)}.`,
    { ...headers, 'Retry-After': wait },
  )
}

/** Minutes for a sentence; `Retry-After` has the seconds. */
const minutesOf = (seconds: number): string => {
  const minutes = Math.ceil((seconds * SECOND) / MINUTE)
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

const TO_TRY = `Send ${VALIDATE_ONLY}=true to have the request checked without submitting it, or leave it out to submit.`

type Handlers = { GET?: unknown; POST?: unknown }

/** The methods that a URL supports, as the header Allow names them. */
export const methodsOf = ({ GET, POST }: Handlers): string =>
  [...(GET ? ['GET', 'HEAD'] : []), ...(POST ? ['POST'] : []), 'OPTIONS'].join(', ')

export const errors = {
  // 400
  notHttp: () => new HttpError(400, 'The request is not valid HTTP'),
  notOneHost: () => new HttpError(400, 'Send exactly one Host header'),
  incomplete: () => new HttpError(400, 'The body did not arrive in full'),
  emptyBody: () => new HttpError(400, 'The body is empty: send one JSON object'),
  notUtf8: () => new HttpError(400, 'The body must be UTF-8'),
  /** `mistake` completes the sentence: it says where the mistake is, or what it looks like. */
  invalidJson: (mistake: string) => new HttpError(400, `The body is not valid JSON${mistake}`),
  /** Only the other operation, for leads of `kind`, has the properties `names`. */
  otherOperation: (kind: Kind, names: readonly string[], url: string) =>
    new HttpError(
      400,
      `This body looks like a ${kind} interest (it has ${names.join(', ')}), which is another operation. Send it to ${url}`,
    ),
  /** `problems` is a sentence from the table in `leads/body/problems.ts`. */
  invalidBody: (problems: string) => new HttpError(400, problems),
  dryRunValue: () => new HttpError(400, `${VALIDATE_ONLY} must be true or false, and only one of them. ${TO_TRY}`),
  noDryRunHere: () => new HttpError(400, `A form cannot be checked without submitting it. Leave out ${VALIDATE_ONLY}.`),
  dryRunHeader: () => new HttpError(400, `A dry run is asked for in the URL, not in a header. ${TO_TRY}`),
  dryRunName: () => new HttpError(400, `The name of the parameter is ${VALIDATE_ONLY}. ${TO_TRY}`),

  // 403
  sourceOff: () => new HttpError(403, 'This source is switched off'),
  googleKey: () => new HttpError(403, 'google_key is not the key of this source'),

  // 404
  noSource: () => new HttpError(404, 'No source has this key'),
  notFound: () => new HttpError(404, 'There is nothing at this URL.'),
  /** On a public host, `here` is the URL of its operation. */
  notAnOperation: (here: string, docs: string) =>
    new HttpError(404, `There is nothing at this URL. To submit, send a POST request to ${here}.${see(docs)}`),
  onOtherHost: (url: string, docs: string) => new HttpError(404, `This operation is at ${url}.${see(docs)}`),
  unknownHost: () => new HttpError(404, 'The Host header does not name a host of this service'),

  // 405
  methodNotAllowed: (method: string, route: Handlers, docs?: string) => {
    const hint = route.GET ? 'Send GET.' : 'Send POST with a JSON body.'
    const sentence = `${method} is not supported here. ${hint}${see(docs)}`
    return new HttpError(405, sentence, { Allow: methodsOf(route) })
  },

  // 408
  requestTimeout: () => new HttpError(408, 'The request did not arrive in time'),

  // 409
  accountExists: (learnUrl: string, headers: Headers = {}) =>
    new HttpError(
      409,
      `There is already an account for this email address. Sign in at ${learnUrl}. Your inquiry has reached admissions, so there is no need to send it again.`,
      headers,
    ),

  // 413. Limits are in bytes.
  bodyTooLarge: (limit: number) => new HttpError(413, `The body must be at most ${limit / 1024} KiB`),
  chunkExtensionsTooLarge: () => new HttpError(413, 'The chunk extensions are too large'),

  // 415
  notJson: (contentType = '') => {
    const hint = /form-urlencoded|form-data/i.test(contentType)
      ? 'Form data is not accepted. Send one JSON object'
      : 'Send the body as JSON'
    return new HttpError(415, `${hint}, with the header Content-Type: application/json`, acceptJson)
  },
  notAForm: () =>
    new HttpError(
      415,
      'This page receives forms. Send the fields as application/x-www-form-urlencoded, or use the operation for programs',
    ),
  /** For a body that is a JSON object. */
  onlyHeaderNotJson: () =>
    new HttpError(
      415,
      'The body is JSON, but its header says otherwise. Send it again with the header Content-Type: application/json',
      acceptJson,
    ),
  compressed: () =>
    new HttpError(415, 'Send the body uncompressed, without Content-Encoding', {
      ...acceptJson,
      'Accept-Encoding': 'identity',
    }),

  // 422
  keyReused: () =>
    new HttpError(
      422,
      'This idempotency key was already used with a different body. If you are retrying, send the original body; use a new key only for a different inquiry.',
    ),

  // 429
  /** `wait` is in seconds; `headers` tell the client what is left of its limits. */
  tooManyRequests: (limits: RateLimits, wait: number, headers?: Headers) =>
    tooMany('submissions from this network address', limits, wait, headers),
  tooManyFromNetwork: (limits: RateLimits, wait: number, headers?: Headers) =>
    tooMany('submissions from the network around this address', limits, wait, headers),
  tooManyDryRuns: (limits: RateLimits, wait: number, headers?: Headers) =>
    tooMany('dry runs from this network address', limits, wait, headers),
  tooManyDryRunsFromNetwork: (limits: RateLimits, wait: number, headers?: Headers) =>
    tooMany('dry runs from the network around this address', limits, wait, headers),
  /** `wait` is in seconds. */
  tooManyOfSource: ({ points, duration }: { points: number; duration: number }, wait: number) =>
    new HttpError(
      429,
      `Too many posts of this source (at most ${points} in ${duration / MINUTE} minutes). Try again in ${minutesOf(wait)}.`,
      { 'Retry-After': wait },
    ),
  tooManyWithToken: (limits: RateLimits, wait: number, headers?: Headers) =>
    tooMany('requests with this token', limits, wait, headers),
  /** `lockedFor` is in milliseconds. */
  lockedOut: (lockedFor: number) => {
    const wait = Math.max(0, Math.ceil(lockedFor / SECOND))
    return new HttpError(
      429,
      `Too many submissions for this email address (at most ${LOCKOUT.points} in an hour). Try again in ${minutesOf(wait)}.`,
      { 'Retry-After': wait },
    )
  },

  // 431
  headersTooLarge: () => new HttpError(431, 'The headers are too large'),

  // 500. The log has the details under the same reference.
  unexpected: (reference: string) =>
    new HttpError(
      500,
      `Something went wrong on our side. Send the same request again; it will not count twice. Reference: ${reference}`,
    ),

  // 501
  transferCoding: () =>
    new HttpError(501, 'Send the body with Content-Length, or with Transfer-Encoding: chunked', {
      Connection: 'close',
    }),
  notAProxy: () => new HttpError(501, 'CONNECT is not supported: this service is not a proxy'),

  // 505
  version: () => new HttpError(505, 'Send HTTP/1.1', { Connection: 'close' }),

  // 503
  busy: () =>
    new HttpError(
      503,
      `The service is busy. Send the same request again in ${RETRY_AFTER} seconds.`,
      // A client that comes back right away has to connect again, and then waits outside the service, where waiting
      // costs nothing.
      { ...retryLater, Connection: 'close' },
    ),
  notReady: () => new HttpError(503, 'Not ready', retryLater),
  notStored: (cause: StoreUnavailable) =>
    new HttpError(
      503,
      `The submission could not be stored. Send the same request again in ${RETRY_AFTER} seconds; it will not count twice.`,
      retryLater,
      cause,
    ),
  /** For everything except storing a submission. */
  unavailable: (cause: StoreUnavailable) =>
    new HttpError(
      503,
      `The service is temporarily unavailable. Try again in ${RETRY_AFTER} seconds.`,
      retryLater,
      cause,
    ),
}

/** Turns any error into a response. An unknown error is logged in full; the client gets only a reference to the log. */
export function toHttpError(error: unknown, log: Logger): HttpError {
  if (error instanceof StoreUnavailable) return toHttpError(errors.unavailable(error), log)
  if (error instanceof HttpError) {
    if (error.cause instanceof StoreUnavailable) logUnavailable(error.cause, log)
    return error
  }
  const reference = randomUUID().slice(0, 8)
  log.error({ err: error, reference }, 'unexpected error')
  return errors.unexpected(reference)
}

/** Logs the error without its stack, because each request logs this while the database is unavailable. */
function logUnavailable(error: StoreUnavailable, log: Logger): void {
  const { message } = (error.cause ?? error) as Error
  log.error({ reason: message }, 'the database is unavailable')
}

const socketErrors: Record<string, () => HttpError> = {
  HPE_HEADER_OVERFLOW: errors.headersTooLarge,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: errors.chunkExtensionsTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: errors.requestTimeout,
}

/** The error for a request that Node's parser could not read, by the parser's code (RFC 9110 section 15.5). */
export const socketError = (code = ''): HttpError => (socketErrors[code] ?? errors.notHttp)()

/** The bytes of an error response, for a socket without an HTTP response object. */
export function rawResponse({ status, message }: HttpError): string {
  const body = JSON.stringify({ error: message })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Access-Control-Allow-Origin: *',
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
