/** The two operations, from a request with a JSON body to its response. */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { VALIDATE_ONLY } from '../leads/body/dry-run-name.ts'
import { ignoredProperties } from '../leads/body/parse.ts'
import { asSentence } from '../leads/body/problems.ts'
import type { Kind } from '../leads/body/submission.ts'
import { BODY_LIMIT, parseJson, readBytesWith, readJson } from './body.ts'
import { isEncoded } from './codings.ts'
import { readDryRun } from './dry-run-parameter.ts'
import { errors, HttpError, toHttpError } from './errors.ts'
import type { Gate, InstantGate } from './gate.ts'
import { headersOf } from './idempotency-key.ts'
import type { Intake, Received, Submitted } from './intake.ts'
import { UNCOUNTED } from './rate-limits.ts'
import type { CommonPath, Headers, HttpResponse, Route } from './router.ts'
import type { Urls } from './urls.ts'

type OperationServices = { gate: Gate; instantGate: InstantGate; intake: Intake; urls: Urls; log: Logger }

/** The path of a request: through the gate, the reading of its body, and the intake. */
export function createOperations(services: OperationServices): Record<Kind, Route> {
  const operation = (kind: Kind): Route => ({ POST: longPath(kind, services), common: commonPath(kind, services) })
  return { site: operation('site'), student: operation('student') }
}

/** `headers` say what is left of the limits. Errors have them, too, since a rejected request has also been counted. */
async function settle(
  { headers, log }: { headers: Headers; log: Logger },
  work: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    const response = await work()
    return { ...response, headers: { ...headers, ...response.headers } }
  } catch (error) {
    const { status, message, headers: own } = toHttpError(error, log)
    throw new HttpError(status, message, { ...headers, ...own })
  }
}

const longPath =
  (kind: Kind, { gate, intake, urls, log }: OperationServices) =>
  async (request: IncomingMessage): Promise<HttpResponse> => {
    const asked = askedForDryRun(request)
    const reading = readJson(request)
    // A request that does not pass the gate learns nothing about its body.
    reading.catch(() => {})
    const { address, headers } = await gate(request, { dryRun: asked !== false })
    return settle({ headers, log }, async () => {
      if (asked instanceof HttpError) throw asked
      const body = await reading
      const submitted = { body, headers: headersOf(request), clientAddress: address, dryRun: asked, form: undefined }
      return responseTo(kind, await intake[kind](submitted), submitted, urls)
    })
  }

/** What nearly every program sends, with callbacks in place of promises. What has to wait takes the long path. */
const commonPath = (kind: Kind, { instantGate, intake, urls, log }: OperationServices): CommonPath => ({
  body: SUCCESS,
  handle: (request, done, otherwise) => {
    if (!isCommon(request)) return false
    let passed: ReturnType<InstantGate>
    try {
      passed = instantGate(request)
    } catch (error) {
      request.resume()
      otherwise(Promise.reject(error))
      return true
    }
    if (passed === undefined) return false
    const { address, headers } = passed
    const later = (work: () => Promise<HttpResponse>) => otherwise(settle({ headers, log }, work))
    const failed = (error: unknown) => later(() => Promise.reject(error))
    const read = (bytes: Buffer) => {
      try {
        const body = parseJson(bytes)
        const submitted = { body, headers: headersOf(request), clientAddress: address, dryRun: false, form: undefined }
        const received = (one: Received) => {
          if (one.outcome === 'accepted' && !one.replayed) done(headers === UNCOUNTED ? undefined : headers)
          else later(async () => responseTo(kind, one, submitted, urls))
        }
        if (intake.common[kind](submitted, received, failed)) return
        later(async () => responseTo(kind, await intake[kind](submitted), submitted, urls))
      } catch (error) {
        failed(error)
      }
    }
    readBytesWith(request, BODY_LIMIT, read, failed)
    return true
  },
})

/** Whether a request is JSON of the plain type, with a length, and certainly no dry run. */
function isCommon(request: IncomingMessage): boolean {
  const { 'content-type': type, 'content-length': announced } = request.headers
  const length = Number(announced)
  const plain = type === 'application/json' && length > 0 && length <= BODY_LIMIT && !isEncoded(request)
  return plain && askedForDryRun(request) === false
}

/** A request that only seems to ask for a dry run gets an error, and counts as a dry run. */
function askedForDryRun(request: IncomingMessage): boolean | HttpError {
  try {
    return readDryRun(request)
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
}

/** The response to an outcome. Throws every outcome that is an error. */
function responseTo(kind: Kind, received: Received, { body, dryRun }: Submitted, urls: Urls): HttpResponse {
  switch (received.outcome) {
    case 'accepted': {
      const { replayed } = received
      if (dryRun) return { status: 200, body: findings(kind, body, replayed) }
      return { status: 200, headers: replayed ? REPLAYED : {}, body: SUCCESS }
    }
    case 'account':
      // A person who has an account can sign in there.
      throw errors.accountExists(urls.learn, received.replayed ? REPLAYED : {})
    case 'invalid':
      throw errors.invalidBody(asSentence(received.problems))
    case 'foreign':
      throw otherOperation(kind, received.properties, { dryRun, urls })
    case 'gone':
    case 'keyReused':
      throw errors.keyReused()
    case 'lockedOut':
      throw errors.lockedOut(received.lockedFor)
  }
}

/** A client that mixes up the operations learns where its body belongs, not what it lacks here. */
function otherOperation(
  kind: Kind,
  properties: readonly string[],
  { dryRun, urls }: { dryRun: boolean; urls: Urls },
): HttpError {
  const [other, url] =
    kind === 'site' ? (['student', urls.studentInterest] as const) : (['site', urls.siteInterest] as const)
  return errors.otherOperation(other, properties, dryRun ? `${url}?${VALIDATE_ONLY}=true` : url)
}

/**
 * The body of a dry run that found nothing wrong. It also says what the real request would ignore, so that no words are
 * lost unnoticed, and whether the same request has arrived before.
 */
function findings(kind: Kind, body: unknown, replayed: boolean) {
  const ignored = kind === 'student' ? ignoredProperties(body) : []
  return { valid: true, ...(ignored.length > 0 && { ignored }), ...(replayed && { alreadySubmitted: true }) }
}

const SUCCESS = { success: true }

/** The response repeats the first one. */
const REPLAYED = { 'Idempotent-Replayed': 'true' }
