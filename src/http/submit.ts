/**
 * The two operations, from a body to an answer: read it, make it one arrival, have it kept, say so.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { AccountDirectory } from '../accounts/directory.ts'
import type { Config } from '../config/config.ts'
import {
  clientKey,
  FINGERPRINT_LIFETIME,
  fingerprintKey,
  fingerprintOf,
  refusedKey,
} from '../leads/idempotency.ts'
import {
  type ParseContext,
  type ParsedStudent,
  parseSiteInterest,
  parseStudentInterest,
} from '../leads/parse.ts'
import { asSentence, problems } from '../leads/problems.ts'
import { statesWith } from '../leads/states.ts'
import type { Body, Kind } from '../leads/submission.ts'
import type { Arrival } from '../store/acceptance.ts'
import { lockoutKey } from '../store/lockout.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../time.ts'
import { HttpError } from './errors.ts'
import { type ClientKey, readClientKey } from './idempotency-key.ts'
import { lockedOut } from './rate-limits.ts'

/** A request to an operation, past the gate. */
export type SubmissionRequest = {
  body: unknown
  headers: IncomingHttpHeaders
  address: string
  /** A dry run: it is answered as it would be, and nothing is kept, counted or followed up. */
  validateOnly: boolean
}

/**
 * It is kept, or of a dry run would be, and how that is answered; `replayed` says that the answer is
 * that of the first time.
 */
export type SubmissionResponse = {
  replayed: boolean
  status: 200 | 409
  body: { success: true } | { valid: true } | { error: string }
}

type Parts = {
  store: Store
  clock: Clock
  settings: Config['settings']
  /** Where somebody who has an account is told to sign in. */
  learnUrl: string
  /** Asked before the answer whether a student has an account; undefined where the answer does not tell. */
  directory: AccountDirectory | undefined
  /** Called when a submission was accepted, so that it is followed up at once. */
  accepted: () => void
}

export function createIntake(parts: Parts) {
  const { store, clock, settings, learnUrl, directory, accepted } = parts
  const states = statesWith(settings.studentInterest.states)
  const { answers } = settings.studentInterest
  const context = (): ParseContext => ({ now: clock.now(), states, answers })

  /** Operation A: an employer, partner or clinical site asks to be called. */
  async function siteInterest(submitted: SubmissionRequest): Promise<SubmissionResponse> {
    const key = readClientKey(submitted.headers)
    const parsed = parseSiteInterest(submitted.body, context())
    if (parsed.ok && key.problems.length === 0) {
      return keep(arrivalOf('site', parsed.value, key.value, submitted), submitted)
    }
    if (!parsed.ok && parsed.trapped !== undefined && key.problems.length === 0) {
      if (settings.siteInterest.honeypot === 'accept') {
        return keep(arrivalOf('site', parsed.trapped, key.value, submitted), submitted)
      }
      await keep(refusedArrival(parsed.trapped, submitted), submitted)
    }
    throw invalid(parsed, key)
  }

  /** Operation B: a prospective student asks to hear from admissions. */
  async function studentInterest(submitted: SubmissionRequest): Promise<SubmissionResponse> {
    const parsed = parseStudentInterest(submitted.body, context())
    const key = requireKey(readClientKey(submitted.headers, parsed.idempotencyKey), parsed)
    if (!parsed.ok || key.problems.length > 0) throw invalid(parsed, key)
    const arrival = arrivalOf('student', parsed.value, key.value, submitted)
    const answer = directory !== undefined && (await directory.has(arrival.email)) ? 409 : 200
    return keep({ ...arrival, answer, lockout: lockoutKey(arrival.email) }, submitted)
  }

  /** Has it kept, or in a dry run only foreseen, and says so. */
  async function keep(
    arrival: Arrival,
    { validateOnly }: SubmissionRequest,
  ): Promise<SubmissionResponse> {
    const outcome = await (validateOnly ? store.dryRun(arrival) : store.accept(arrival))
    if (outcome === 'conflict') throw keyReused()
    if (outcome !== 'accepted' && 'lockedFor' in outcome) throw lockedOut(outcome.lockedFor)
    if (outcome === 'accepted' && !validateOnly) accepted()
    const replayed = outcome !== 'accepted'
    const answer = replayed ? outcome.replayed : arrival.answer
    if (answer === 409) return { replayed, status: 409, body: { error: accountExists(learnUrl) } }
    return validateOnly
      ? { replayed: false, status: 200, body: { valid: true } }
      : { replayed, status: 200, body: { success: true } }
  }

  function arrivalOf<K extends Kind>(
    kind: K,
    body: Body[K],
    key: string | undefined,
    { address }: SubmissionRequest,
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
      clientAddress: address,
      lockout: null,
    }
  }

  /** What the honeypot refused is kept all the same; the sender's key stays free for a corrected try. */
  function refusedArrival(body: Body['site'], submitted: SubmissionRequest): Arrival {
    const arrival = arrivalOf('site', body, undefined, submitted)
    return { ...arrival, key: refusedKey(arrival.fingerprint), answer: 400 }
  }

  return { siteInterest, studentInterest }
}

/** Operation B cannot do without a key. */
const requireKey = (key: ClientKey, { keyRefused }: ParsedStudent): ClientKey =>
  key.value === undefined && !keyRefused ? { ...key, problems: [problems.keyMissing()] } : key

const invalid = (parsed: { ok: true } | { ok: false; error: string }, key: ClientKey) =>
  new HttpError(400, asSentence([...(parsed.ok ? [] : [parsed.error]), ...key.problems]))

/** The answer to a key that stands for another body. */
export const keyReused = (): HttpError =>
  new HttpError(422, 'This idempotency key was used before with another body. Send a new key.')

/** What somebody who has an account is told. */
export const accountExists = (learnUrl: string): string =>
  `There is an account for this e-mail address already: sign in at ${learnUrl}. Your enquiry has reached admissions all the same; there is no need to send it again.`
