/** The two operations, from request to response: each is a straight line that reads from top to bottom. */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { AccountDirectory } from '../accounts/directory.ts'
import type { Settings } from '../config/settings.ts'
import { VALIDATE_ONLY } from '../leads/dry-run-name.ts'
import {
  clientKey,
  FINGERPRINT_LIFETIME,
  fingerprintKey,
  fingerprintOf,
  lockedOutKey,
  refusedKey,
} from '../leads/idempotency.ts'
import {
  ignoredProperties,
  meantForOther,
  type ParseContext,
  type ParsedStudent,
  parseSiteInterest,
  parseStudentInterest,
} from '../leads/parse.ts'
import { asSentence, problems } from '../leads/problems.ts'
import { statesWith } from '../leads/states.ts'
import type { Body, Kind } from '../leads/submission.ts'
import type { Clock } from '../platform/time.ts'
import type { Arrival } from '../store/acceptance.ts'
import type { Store } from '../store/store.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'
import { readJson } from './body.ts'
import { readDryRun } from './dry-run-parameter.ts'
import { errors, HttpError, toHttpError } from './errors.ts'
import type { Gate } from './gate.ts'
import { type ClientKey, type Headers, headersOf, readClientKey } from './idempotency-key.ts'
import type { HttpResponse, Route } from './router.ts'
import type { SecurityEvents } from './security-events.ts'
import type { Urls } from './urls.ts'

type Dependencies = {
  gate: Gate
  events: SecurityEvents
  store: Store
  clock: Clock
  settings: Settings
  log: Logger
  urls: Urls
  /** Knows whether a student has an account; undefined if the response must not depend on that. */
  directory: AccountDirectory | undefined
  /** Called when a submission was accepted, so that it is followed up at once. */
  accepted: () => void
}

/** A request to an operation, past the gate, with its body read. */
type SubmissionRequest = {
  body: unknown
  headers: Headers
  clientAddress: string
  /** The response says what the real one would; nothing is stored, counted against the email address, or followed up. */
  dryRun: boolean
}

export function createOperations(dependencies: Dependencies): Record<Kind, Route> {
  const { gate, events, store, clock, settings, log, urls, directory, accepted } = dependencies
  const states = statesWith(settings.studentInterest.states)
  const { answers } = settings.studentInterest
  const context = (): ParseContext => ({ now: clock.now(), states, answers })

  /** The path of every submission: past the gate, through the reading of its body, to its operation. */
  const operation = (submit: (request: SubmissionRequest) => Promise<HttpResponse>): Route => ({
    POST: async (request: IncomingMessage): Promise<HttpResponse> => {
      const { address, headers } = await gate(request)
      try {
        const dryRun = readDryRun(request)
        const body = await readJson(request)
        const submission = {
          body,
          headers: headersOf(request),
          clientAddress: address,
          dryRun,
        }
        const response = await submit(submission)
        return { ...response, headers: Object.assign(headers, response.headers) }
      } catch (error) {
        // A rejected request has counted, too, so its response says what is left of the limits.
        const { status, message, headers: own } = toHttpError(error, log)
        throw new HttpError(status, message, { ...headers, ...own })
      }
    },
  })

  /** Operation A: an employer, partner or clinical site asks to be called. */
  async function siteInterest(request: SubmissionRequest): Promise<HttpResponse> {
    requireOwnBody('site', request)
    const key = readClientKey(request.headers)
    const parsed = parseSiteInterest(request.body, context())
    if (parsed.ok && key.problems.length === 0) {
      return accept(arrivalOf('site', parsed.value, key.value, request), request)
    }
    if (!parsed.ok && parsed.trapped !== undefined && key.problems.length === 0) {
      if (!request.dryRun) events.count('trapped')
      if (settings.siteInterest.honeypot === 'accept') {
        return accept(arrivalOf('site', parsed.trapped, key.value, request), request)
      }
      await accept(trappedArrival(parsed.trapped, request), request)
    }
    throw invalid(parsed, key)
  }

  /** Operation B: a prospective student asks to hear from admissions. */
  async function studentInterest(request: SubmissionRequest): Promise<HttpResponse> {
    requireOwnBody('student', request)
    const parsed = parseStudentInterest(request.body, context())
    const key = requireKey(readClientKey(request.headers, parsed.idempotencyKey), parsed)
    if (!parsed.ok || key.problems.length > 0) throw invalid(parsed, key)
    const arrival = arrivalOf('student', parsed.value, key.value, request)
    const answer = directory !== undefined && (await directory.has(arrival.email)) ? 409 : 200
    return accept({ ...arrival, answer, lockout: true }, request)
  }

  /** A client that mixes up the operations learns where its body belongs, not what it lacks here. */
  function requireOwnBody(kind: Kind, { body, dryRun }: SubmissionRequest): void {
    const foreign = meantForOther(kind, body)
    if (foreign.length === 0) return
    const [other, url] =
      kind === 'site'
        ? (['student', urls.studentInterest] as const)
        : (['site', urls.siteInterest] as const)
    throw errors.otherOperation(other, foreign, dryRun ? `${url}?${VALIDATE_ONLY}=true` : url)
  }

  function arrivalOf<K extends Kind>(
    kind: K,
    body: Body[K],
    key: string | undefined,
    { clientAddress }: SubmissionRequest,
  ): Arrival {
    const text = JSON.stringify(body)
    const fingerprint = fingerprintOf(kind, text)
    return {
      kind,
      receivedAt: clock.now(),
      key: key === undefined ? fingerprintKey(fingerprint) : clientKey(kind, key),
      keyLifetime: key === undefined ? FINGERPRINT_LIFETIME : null,
      fingerprint,
      email: body.email,
      answer: 200,
      body: text,
      clientAddress,
      lockout: false,
    }
  }

  /** A submission caught by the honeypot is stored anyway; its key stays free for a corrected request. */
  function trappedArrival(body: Body['site'], request: SubmissionRequest): Arrival {
    const arrival = arrivalOf('site', body, undefined, request)
    return { ...arrival, key: refusedKey(arrival.fingerprint), answer: 400 }
  }

  /**
   * What a lockout refuses is kept, so that no one can shut out the owner of an email address. Its own key
   * stays free for the retry.
   */
  async function keepLockedOut(arrival: Arrival): Promise<void> {
    const key = lockedOutKey(arrival.fingerprint)
    const kept = { ...arrival, key, keyLifetime: FINGERPRINT_LIFETIME, lockout: false } as const
    const outcome = await store.accept({ ...kept, answer: 429 }).catch(notStored)
    if (outcome === 'accepted') accepted()
  }

  /** Stores an arrival, or in a dry run only judges it, and responds. */
  async function accept(
    arrival: Arrival,
    { dryRun, body }: SubmissionRequest,
  ): Promise<HttpResponse> {
    const outcome = await (dryRun ? store.dryRun(arrival) : store.accept(arrival).catch(notStored))
    if (outcome === 'conflict') throw errors.keyReused()
    if (outcome !== 'accepted' && 'lockedFor' in outcome) {
      if (!dryRun) {
        events.count('lockedOut')
        await keepLockedOut(arrival)
      }
      throw errors.lockedOut(outcome.lockedFor)
    }
    if (outcome === 'accepted' && !dryRun) accepted()
    const replayed = outcome !== 'accepted'
    if ((replayed ? outcome.replayed : arrival.answer) === 409) {
      // A person who has an account can sign in there.
      throw errors.accountExists(urls.learn, replayed ? REPLAYED : {})
    }
    if (dryRun) return { status: 200, body: findings(arrival.kind, body, replayed) }
    return { status: 200, headers: replayed ? REPLAYED : {}, body: { success: true } }
  }

  return { site: operation(siteInterest), student: operation(studentInterest) }
}

/**
 * The body of a dry run that found nothing wrong: also what the real request would ignore, so that no
 * words are lost unseen, and whether it has arrived before.
 */
function findings(kind: Kind, body: unknown, replayed: boolean) {
  const ignored = kind === 'student' ? ignoredProperties(body) : []
  return {
    valid: true,
    ...(ignored.length > 0 && { ignored }),
    ...(replayed && { alreadySubmitted: true }),
  }
}

/** The response repeats the first one. */
const REPLAYED = { 'Idempotent-Replayed': 'true' }

/** Operation B requires a key. */
const requireKey = (key: ClientKey, { keyRefused }: ParsedStudent): ClientKey =>
  key.value === undefined && !keyRefused ? { ...key, problems: [problems.keyMissing()] } : key

const invalid = (parsed: { ok: true } | { ok: false; error: string }, key: ClientKey): HttpError =>
  errors.invalidBody(asSentence([...(parsed.ok ? [] : [parsed.error]), ...key.problems]))

function notStored(error: unknown): never {
  throw error instanceof StoreUnavailable ? errors.notStored(error) : error
}
