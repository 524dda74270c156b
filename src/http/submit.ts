/** The two operations, from a request with a JSON body to its response. */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { VALIDATE_ONLY } from '../leads/body/dry-run-name.ts'
import { ignoredProperties } from '../leads/body/parse.ts'
import { asSentence } from '../leads/body/problems.ts'
import type { Kind } from '../leads/body/submission.ts'
import { readJson } from './body.ts'
import { readDryRun } from './dry-run-parameter.ts'
import { errors, HttpError, toHttpError } from './errors.ts'
import type { Gate } from './gate.ts'
import { headersOf } from './idempotency-key.ts'
import type { Intake, Received, Submitted } from './intake.ts'
import type { HttpResponse, Route } from './router.ts'
import type { Urls } from './urls.ts'

type OperationServices = { gate: Gate; intake: Intake; urls: Urls; log: Logger }

/** The path of a request: past the gate, through the reading of its body, to the intake. */
export function createOperations({ gate, intake, urls, log }: OperationServices): Record<Kind, Route> {
  const operation = (kind: Kind): Route => ({
    POST: async (request: IncomingMessage): Promise<HttpResponse> => {
      const asked = askedForDryRun(request)
      const reading = readJson(request)
      // A request that does not pass the gate gets no word about its body.
      reading.catch(() => {})
      const { address, headers } = await gate(request, { dryRun: asked !== false })
      try {
        if (asked instanceof HttpError) throw asked
        const [dryRun, body] = [asked, await reading]
        const submitted = { body, headers: headersOf(request), clientAddress: address, dryRun, form: undefined }
        const response = responseTo(kind, await intake[kind](submitted), submitted, urls)
        return { ...response, headers: Object.assign(headers, response.headers) }
      } catch (error) {
        // A rejected request has counted, too, so its response says what is left of the limits.
        const { status, message, headers: own } = toHttpError(error, log)
        throw new HttpError(status, message, { ...headers, ...own })
      }
    },
  })
  return { site: operation('site'), student: operation('student') }
}

/** A request that only seems to ask for a dry run gets an error, and counts as one. */
function askedForDryRun(request: IncomingMessage): boolean | HttpError {
  try {
    return readDryRun(request)
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
}

/** Throws every outcome that is an error. */
function responseTo(kind: Kind, received: Received, { body, dryRun }: Submitted, urls: Urls): HttpResponse {
  switch (received.outcome) {
    case 'accepted': {
      const { replayed } = received
      if (dryRun) return { status: 200, body: findings(kind, body, replayed) }
      return { status: 200, headers: replayed ? REPLAYED : {}, body: { success: true } }
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
 * The body of a dry run that found nothing wrong: also what the real request would ignore, so that no
 * words are lost unseen, and whether it has arrived before.
 */
function findings(kind: Kind, body: unknown, replayed: boolean) {
  const ignored = kind === 'student' ? ignoredProperties(body) : []
  return { valid: true, ...(ignored.length > 0 && { ignored }), ...(replayed && { alreadySubmitted: true }) }
}

/** The response repeats the first one. */
const REPLAYED = { 'Idempotent-Replayed': 'true' }
