/**
 * Every response of the two operations, with its reason and what to do about it: the one table behind the OpenAPI
 * description and the pages. Error texts come from the code that handles real requests.
 */
import { FINGERPRINT_LIFETIME } from '../../leads/body/idempotency.ts'
import { maxHeaderSize } from '../../platform/node-http.ts'
import { HOUR, MINUTE } from '../../platform/time.ts'
import { LOCKOUT } from '../../store/acceptance/inquiry-lockout.ts'
import { BODY_LIMIT } from '../body.ts'
import { errors } from '../errors.ts'
import { HEADERS_TIMEOUT, REQUEST_TIMEOUT } from '../listeners.ts'
import { addressLimits, dryRunLimits } from '../rate-limits.ts'
import { urlsOf } from '../urls.ts'
import { type Example, siteExamples, studentExamples } from './examples.ts'
import type { PublicConfig } from './public-config.ts'

export type ResponseHeader =
  | 'Accept'
  | 'Accept-Encoding'
  | 'Allow'
  | 'Idempotent-Replayed'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'Retry-After'

export type DocumentedResponse = {
  status: number
  /** When the client gets it, as a sentence. */
  when: string
  /** What the client should do, as a sentence. */
  advice: string
  headers: ResponseHeader[]
  /** Bodies of this status, each with a sentence that says what it is an example of. */
  examples: { name: string; summary: string; body: object }[]
}

const { points, duration, block } = LOCKOUT
const PER_HOUR = `${points} per ${duration === HOUR ? 'hour' : `${duration / HOUR} hours`}`

/** How many inquiries one email address may have, and what happens to the next ones. */
export const emailLimits = {
  student: `${PER_HOUR}; the next ones get 429 for ${block / MINUTE} minutes, and are quarantined for the team to review`,
  site: `${PER_HOUR}; the next ones get 200, and are quarantined for the team to review`,
} as const

const RATE: ResponseHeader[] = ['RateLimit-Policy', 'RateLimit']

/** All responses of operation A. `today`: when the day of the examples began. */
export function siteResponses(config: PublicConfig, today: number): DocumentedResponse[] {
  const { siteInterest, docs } = urlsOf(config)
  const accepted = `The inquiry is stored, and we notify the partnerships team: normally within seconds, or in the daily digest if the inquiry is quarantined: because it looks like spam, or because it is one of more than ${points} for one email address within ${duration / HOUR} hour. Also the response to a retry: the same idempotency key, or without a key the same body within ${FINGERPRINT_LIFETIME / HOUR} hours.`
  const examples = siteExamples(config.settings, today)
  return [success(accepted), ...errorsWith(examples, [siteInterest], docs)]
}

/** The errors that both operations have, with the bodies of both. */
export function sharedErrors(config: PublicConfig, today: number): DocumentedResponse[] {
  const { settings } = config
  const { siteInterest, studentInterest, docs } = urlsOf(config)
  const examples = [...siteExamples(settings, today), ...studentExamples(settings, today)]
  return errorsWith(examples, [siteInterest, studentInterest], docs)
}

/** The responses that operation B has besides the shared errors. */
export function studentResponses({ learnUrl, settings }: PublicConfig): DocumentedResponse[] {
  const reveals = settings.accounts.directory !== 'none' && settings.accounts.feedback === 'reveal'
  const accountConflict: DocumentedResponse = {
    status: 409,
    when: 'This email address has an account at the learning site. The inquiry is stored anyway (except in a dry run), and admissions sees it.',
    advice: `Tell the person to sign in at ${learnUrl}. Do not send the inquiry again.`,
    headers: ['Idempotent-Replayed', ...RATE],
    examples: [example('accountExists', 'There is an account.', errors.accountExists(learnUrl))],
  }
  const lockout: DocumentedResponse = {
    status: 429,
    when: `After ${points} inquiries for one email address within ${duration / HOUR} hour of the first, the next ones get 429 for ${block / MINUTE} minutes, and are quarantined for the team to review (except in a dry run), whether or not we know the address. Retries with the same key do not count.`,
    advice:
      'Tell the person when to try again. Do not use another email address or another key to get around the limit.',
    headers: ['Retry-After', ...RATE],
    examples: [example('lockout', 'Too many for one email address.', errors.lockedOut(block))],
  }
  return [
    success(
      'The inquiry is stored, and the admissions follow-up starts, unless the inquiry is quarantined: then admissions sees it in a daily digest. Also the response to a retry with the same idempotency key and body.',
    ),
    ...(reveals ? [accountConflict] : []),
    lockout,
  ]
}

const success = (when: string): DocumentedResponse => ({
  status: 200,
  when,
  advice: 'Nothing more to do.',
  headers: ['Idempotent-Replayed', ...RATE],
  examples: [{ name: 'success', summary: 'Accepted.', body: { success: true } }],
})

/** The errors of the operations at these URLs, including those of `examples`. */
function errorsWith(examples: Example[], urls: string[], docs: string): DocumentedResponse[] {
  const rejected = examples.filter(({ status }) => status === 400)
  const { burst, day } = addressLimits
  return [
    {
      status: 400,
      when: 'The body is not valid JSON, or a field or the idempotency key breaks a rule.',
      advice: '`error` names every problem. Change the request and send it again.',
      headers: RATE,
      examples: rejected.map(({ name, summary, response }) => ({ name, summary, body: response })),
    },
    {
      status: 404,
      when: 'There is no operation at this URL.',
      advice: 'Use the URL exactly as given here.',
      headers: [],
      examples: urls.map(url => example('wrongUrl', 'Another path.', errors.notAnOperation(url, docs))),
    },
    {
      status: 405,
      when: 'The method is neither POST nor OPTIONS.',
      advice: 'Send POST.',
      headers: ['Allow'],
      examples: [example('wrongMethod', 'PUT instead of POST.', errors.methodNotAllowed('PUT', { POST: true }, docs))],
    },
    {
      status: 408,
      when: `The headers did not arrive within ${HEADERS_TIMEOUT / 1000} seconds, or the whole request within ${REQUEST_TIMEOUT / 1000}.`,
      advice: 'Send it again.',
      headers: [],
      examples: [example('timeout', 'Too slow.', errors.requestTimeout())],
    },
    {
      status: 413,
      when: `The body is larger than ${BODY_LIMIT / 1024} KiB.`,
      advice: 'Send less.',
      headers: RATE,
      examples: [example('tooLarge', 'Too large.', errors.bodyTooLarge(BODY_LIMIT))],
    },
    {
      status: 415,
      when: 'The body is not sent as JSON, or is compressed.',
      advice: 'Send uncompressed JSON with `Content-Type: application/json`.',
      headers: ['Accept', 'Accept-Encoding', ...RATE],
      examples: [example('formData', 'Form data.', errors.notJson('application/x-www-form-urlencoded'))],
    },
    {
      status: 422,
      when: 'The idempotency key was already used with a different body. Nothing is stored.',
      advice: 'If you are retrying, send the original body. Use a new key only for a different inquiry.',
      headers: RATE,
      examples: [example('keyReused', 'A key that was already used.', errors.keyReused())],
    },
    {
      status: 429,
      when: 'Too many requests came from this IP address, or from the IPv6 network around it.',
      advice: 'Wait as many seconds as `Retry-After` says, then send the same request.',
      headers: ['Retry-After', ...RATE],
      examples: [
        example(
          'rateLimit',
          `More than ${burst.points} requests in ${burst.duration / MINUTE} minutes, or ${day.points} in a day.`,
          errors.tooManyRequests(addressLimits, 420),
        ),
        example(
          'dryRunLimit',
          `More than ${dryRunLimits.burst.points} dry runs in ${dryRunLimits.burst.duration / MINUTE} minutes, or ${dryRunLimits.day.points} in a day.`,
          errors.tooManyDryRuns(dryRunLimits, 420),
        ),
      ],
    },
    {
      status: 431,
      when: `The URL and the headers of the request together are larger than ${maxHeaderSize / 1024} KiB.`,
      advice: 'Shorten them.',
      headers: [],
      examples: [example('headersTooLarge', 'Too large.', errors.headersTooLarge())],
    },
    {
      status: 500,
      when: 'Something unexpected went wrong in the service.',
      advice: 'Resend the same request with the same key; it is never counted twice.',
      headers: RATE,
      examples: [example('unexpected', 'With a reference for the log.', errors.unexpected('1f0c9a3e'))],
    },
    {
      status: 503,
      when: 'The service cannot accept inquiries right now.',
      advice: 'Wait as many seconds as `Retry-After` says, then resend the same request with the same key.',
      headers: ['Retry-After', ...RATE],
      examples: [example('busy', 'Busy.', errors.busy())],
    },
  ]
}

const example = (name: string, summary: string, { message }: { message: string }) => ({
  name,
  summary,
  body: { error: message },
})
