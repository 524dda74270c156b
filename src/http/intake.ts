/**
 * The two operations, from a body to an answer: read it, make it one arrival, have it kept, say so.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import {
  clientKey,
  FINGERPRINT_LIFETIME,
  fingerprintKey,
  fingerprintOf,
  refusedKey,
} from '../leads/idempotency.ts'
import { type ParseContext, parseSiteInterest, parseStudentInterest } from '../leads/parse.ts'
import { asSentence, problems } from '../leads/problems.ts'
import { statesWith } from '../leads/states.ts'
import type { Body, Kind } from '../leads/submission.ts'
import type { Arrival } from '../store/acceptance.ts'
import type { Store } from '../store/store.ts'
import { HttpError } from './errors.ts'
import { type ClientKey, readClientKey } from './idempotency-key.ts'
import { type Lockout, lockedOut } from './limits.ts'

const SUCCESS = { success: true }

type Parts = {
  store: Store
  clock: { now(): number }
  settings: Config['settings']
  lockout: Lockout
  /** Called when a submission was accepted, so that it is followed up at once. */
  accepted: () => void
}

export function createIntake({ store, clock, settings, lockout, accepted }: Parts) {
  const states = statesWith(settings.studentInterest.states)
  const { answers } = settings.studentInterest
  const context = (): ParseContext => ({ now: clock.now(), states, answers })

  /** Operation A: an employer, partner or clinical site asks to be called. */
  async function siteInterest(request: FastifyRequest, reply: FastifyReply): Promise<object> {
    const key = readClientKey(request.headers)
    const parsed = parseSiteInterest(request.body, context())
    const found = [...(parsed.ok ? [] : [parsed.error]), ...key.problems]
    if (found.length === 0 && parsed.ok) {
      return keep(arrivalOf('site', parsed.value, key, request), reply)
    }
    const trapped = parsed.ok || key.problems.length > 0 ? undefined : parsed.trapped
    if (trapped !== undefined) {
      if (settings.siteInterest.honeypot === 'accept') {
        return keep(arrivalOf('site', trapped, key, request), reply)
      }
      await store.accept(refusedArrival(trapped, request))
      accepted()
    }
    throw new HttpError(400, asSentence(found))
  }

  /** Operation B: a prospective student asks to hear from admissions. */
  async function studentInterest(request: FastifyRequest, reply: FastifyReply): Promise<object> {
    const parsed = parseStudentInterest(request.body, context())
    const key = readClientKey(request.headers, parsed.idempotencyKey)
    const found = [...(parsed.ok ? [] : [parsed.error]), ...key.problems]
    if (parsed.ok && key.value === undefined && found.length === 0)
      found.push(problems.keyMissing())
    if (!parsed.ok || found.length > 0) throw new HttpError(400, asSentence(found))

    const arrival = arrivalOf('student', parsed.value, key, request)
    const locked = await lockout.count(arrival.email)
    if (locked > 0) return replayOrLocked(arrival, locked, reply)
    const answer = await keep(arrival, reply)
    if (reply.hasHeader(REPLAYED)) await lockout.uncount(arrival.email)
    return answer
  }

  async function keep(arrival: Arrival, reply: FastifyReply): Promise<object> {
    const outcome = await store.accept(arrival)
    if (outcome === 'conflict') throw keyReused()
    if (outcome === 'accepted') accepted()
    else reply.header(REPLAYED, 'true')
    return SUCCESS
  }

  /** A locked address still gets the answer that an earlier request has earned. */
  async function replayOrLocked(arrival: Arrival, locked: number, reply: FastifyReply) {
    const fingerprint = await store.lookUp(arrival.key)
    if (fingerprint === undefined) throw lockedOut(locked)
    if (fingerprint !== arrival.fingerprint) throw keyReused()
    reply.header(REPLAYED, 'true')
    return SUCCESS
  }

  function arrivalOf<K extends Kind>(
    kind: K,
    body: Body[K],
    key: ClientKey,
    request: FastifyRequest,
  ): Arrival {
    const fingerprint = fingerprintOf(kind, body)
    return {
      kind,
      receivedAt: clock.now(),
      key: key.value === undefined ? fingerprintKey(fingerprint) : clientKey(kind, key.value),
      keyLifetime: key.value === undefined ? FINGERPRINT_LIFETIME : null,
      fingerprint,
      email: body.email,
      answer: 200,
      body: JSON.stringify(body),
      clientAddress: request.ip,
    }
  }

  /** What the honeypot refused is kept all the same; the sender's key stays free for a corrected try. */
  function refusedArrival(body: Body['site'], request: FastifyRequest): Arrival {
    const arrival = arrivalOf('site', body, { value: undefined, problems: [] }, request)
    return { ...arrival, key: refusedKey(arrival.fingerprint), answer: 400 }
  }

  return { siteInterest, studentInterest }
}

const REPLAYED = 'Idempotent-Replayed'

const keyReused = () =>
  new HttpError(422, 'This idempotency key was used before with another body. Send a new key.')
