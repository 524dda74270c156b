/**
 * The intake: what the two operations, the forms and the sources share, from a body that was read to a stored
 * submission. It returns problems as data, and each caller words them in its own way.
 */
import type { AccountDirectory } from '../accounts/directory.ts'
import type { Settings } from '../config/settings.ts'
import { FINGERPRINT_LIFETIME, fingerprintOf, lockedOutKey, refusedKey } from '../leads/body/idempotency.ts'
import {
  meantForOther,
  type ParseContext,
  type ParsedStudent,
  parseSiteInterest,
  parseStudentInterest,
} from '../leads/body/parse.ts'
import type { Problem } from '../leads/body/problems.ts'
import { statesWith } from '../leads/body/states.ts'
import type { Body, Kind } from '../leads/body/submission.ts'
import type { Clock } from '../platform/time.ts'
import type { Arrival, Outcome } from '../store/acceptance/arrival.ts'
import { StoreUnavailable } from '../store/acceptance/store-unavailable.ts'
import type { Store } from '../store/store.ts'
import { errors } from './errors.ts'
import { type ClientKey, type Headers, readClientKey } from './idempotency-key.ts'
import { asFurther, type Completing, isCompleting, type StoredFirst, wholeOf } from './second-step.ts'
import type { SecurityEvents } from './security-events.ts'
import { type OnceOfForm, onceOf, onceOfForm } from './submission-key.ts'

/** A body that has passed the gate. */
export type Submitted = {
  body: unknown
  /** The headers of the request, which may hold the client's key. */
  headers: Headers
  clientAddress: string
  /** The outcome is the same as for the real request, but nothing is stored, counted or followed up. */
  dryRun: boolean
  form: SubmittedForm | undefined
}

/** What one of our forms, or a source, adds to the body. */
export type SubmittedForm = {
  once: OnceOfForm
  /** `FormDetails` as JSON. */
  details: string
  /** The fields that the form requires beyond the schema. */
  required: readonly string[]
  /** Whether the person will be asked for more, so that the outcome must name the stored submission. Default: false. */
  continues?: boolean
  /**
   * Whether someone at the school filled it in, or a source passes it on: then the lockout does not count it, and the
   * outcome does not depend on accounts. Default: false.
   */
  onBehalf?: boolean
}

/**
 * `account`: it is accepted, and the person may learn that they have an account. `replayed`: it had arrived before, and
 * this is the first outcome again. `foreign`: the body was clearly meant for the other operation, since it has these
 * properties. `key`: the key of a form's submission. `first`: for a form that continues, the submission, if we know it.
 * `gone`: the submission that it would complete does not exist. The time of a lockout is in milliseconds.
 */
export type Received =
  | { outcome: 'accepted' | 'account'; replayed: boolean; key?: string; first?: StoredFirst | undefined }
  | { outcome: 'gone' }
  | { outcome: 'invalid'; problems: readonly Problem[] }
  | { outcome: 'foreign'; properties: readonly string[] }
  | { outcome: 'keyReused' }
  | { outcome: 'lockedOut'; lockedFor: number }

/** Accepts a body of each kind. Throws 503 when the store is not available. */
export type Intake = { [K in Kind]: (submitted: Submitted) => Promise<Received> } & { common: CommonIntake }

/**
 * Accepts, with callbacks in place of promises, what nearly every program sends: a valid body that is neither from a
 * form nor for a dry run. Returns false for anything else, without having done anything.
 */
export type CommonIntake = {
  [K in Kind]: (submitted: Submitted, done: (received: Received) => void, failed: (error: unknown) => void) => boolean
}

type IntakeServices = {
  events: Pick<SecurityEvents, 'count'>
  store: Store
  clock: Clock
  settings: Settings
  /** Knows whether a student has an account; undefined if the response must not depend on that. */
  directory: AccountDirectory | undefined
  /** Called when a submission was accepted, so that it is followed up immediately. */
  accepted: () => void
}

export function createIntake(dependencies: IntakeServices): Intake {
  const { events, store, clock, settings, directory, accepted } = dependencies
  const states = statesWith(settings.studentInterest.states)
  const context = ({ form }: Submitted): ParseContext => {
    const now = clock.now()
    const { answers } = settings.studentInterest
    if (form === undefined) return { now, states, answers }
    return { now, states, answers, required: form.required, onBehalf: form.onBehalf === true }
  }

  /** The outcome for a valid body; undefined if the body is not valid. */
  const valid = {
    site: (submitted: Submitted): Arrival | undefined => {
      if (meantForOther('site', submitted.body).length > 0) return undefined
      const key = readClientKey(submitted.headers)
      const parsed = parseSiteInterest(submitted.body, context(submitted))
      if (!parsed.ok || key.problems.length > 0) return undefined
      return arrivalOf('site', parsed.value, key.value, submitted)
    },
    student: (submitted: Submitted): Arrival | undefined => {
      if (meantForOther('student', submitted.body).length > 0) return undefined
      const parsed = parseStudentInterest(submitted.body, context(submitted))
      const key = studentKey(submitted, parsed)
      if (!parsed.ok || key.problems.length > 0) return undefined
      return arrivalOf('student', parsed.value, key.value, submitted)
    },
  }

  const common = (kind: Kind): CommonIntake[Kind] => {
    // Looking an account up may take a while.
    if (kind === 'student' && directory !== undefined) return () => false
    return (submitted, done, failed) => {
      const arrival = valid[kind](submitted)
      if (arrival === undefined) return false
      store.acceptWith(
        arrival,
        outcome => {
          if (outcome !== 'accepted') return void conclude(outcome, arrival, submitted).then(done, failed)
          accepted()
          done(ACCEPTED)
        },
        error => failed(asNotStored(error)),
      )
      return true
    }
  }

  /** Accepts a site interest: an employer, partner or clinical site asks to be called. */
  async function site(submitted: Submitted): Promise<Received> {
    const arrival = valid.site(submitted)
    if (arrival !== undefined) return accept(arrival, submitted)
    const foreign = meantForOther('site', submitted.body)
    if (foreign.length > 0) return { outcome: 'foreign', properties: foreign }
    const key = readClientKey(submitted.headers)
    const parsed = parseSiteInterest(submitted.body, context(submitted))
    if (!parsed.ok && parsed.trapped !== undefined && key.problems.length === 0) {
      if (!submitted.dryRun) events.count('trapped')
      if (settings.siteInterest.honeypot === 'accept') {
        return accept(arrivalOf('site', parsed.trapped, key.value, submitted), submitted)
      }
      const trapped = await accept(trappedArrival(parsed.trapped, submitted), submitted)
      if (trapped.outcome !== 'accepted') return trapped
    }
    return invalid(parsed, key)
  }

  /** Accepts a student interest: a prospective student asks to hear from admissions. */
  async function student(submitted: Submitted): Promise<Received> {
    const arrival = valid.student(submitted)
    if (arrival === undefined) {
      const foreign = meantForOther('student', submitted.body)
      if (foreign.length > 0) return { outcome: 'foreign', properties: foreign }
      const parsed = parseStudentInterest(submitted.body, context(submitted))
      return invalid(parsed, studentKey(submitted, parsed))
    }
    if (submitted.form?.onBehalf || isCompleting(submitted.form)) return accept(arrival, submitted)
    const known = directory !== undefined && arrival.email !== null && (await directory.has(arrival.email))
    const answer = known ? 409 : 200
    return accept({ ...arrival, answer }, submitted)
  }

  function arrivalOf<K extends Kind>(
    kind: K,
    body: Body[K],
    key: string | undefined,
    { clientAddress, form }: Submitted,
  ): Arrival {
    const text = JSON.stringify(body)
    // If the key is not made from the body, the details besides the body distinguish two requests, too.
    const fingerprint = fingerprintOf(kind, isCompleting(form) ? `${text}\n${form.once.nonce}` : text)
    const once = form === undefined ? onceOf(kind, key, fingerprint) : onceOfForm(form.once, fingerprint)
    return {
      kind,
      receivedAt: clock.now(),
      key: once.key,
      keyLifetime: once.lifetime,
      fingerprint,
      email: body.email ?? null,
      answer: 200,
      body: text,
      form: form === undefined ? null : form.details,
      clientAddress,
      lockout: kind === 'student' && !form?.onBehalf && !isCompleting(form),
    }
  }

  /** A submission caught by the honeypot is stored anyway; its key stays free for a corrected request. */
  function trappedArrival(body: Body['site'], submitted: Submitted): Arrival {
    const arrival = arrivalOf('site', body, undefined, submitted)
    return { ...arrival, key: refusedKey(arrival.fingerprint), answer: 400 }
  }

  /** A submission that a lockout rejects is stored anyway, so that no one can shut out the owner of an address. */
  async function keepLockedOut(arrival: Arrival): Promise<void> {
    const key = lockedOutKey(arrival.fingerprint)
    const kept = { ...arrival, key, keyLifetime: FINGERPRINT_LIFETIME, lockout: false } as const
    const outcome = await store.accept({ ...kept, answer: 429 }).catch(notStored)
    if (outcome === 'accepted') accepted()
  }

  /** Stores an arrival. In a dry run, only determines the outcome. */
  async function accept(arrival: Arrival, submitted: Submitted): Promise<Received> {
    const { dryRun } = submitted
    const outcome = await (dryRun ? store.dryRun(arrival) : store.accept(arrival).catch(notStored))
    return conclude(outcome, arrival, submitted)
  }

  /** The outcome of an arrival in the store, and its consequences. */
  async function conclude(outcome: Outcome, arrival: Arrival, { dryRun, form }: Submitted): Promise<Received> {
    if (outcome === 'accepted') {
      if (!dryRun) accepted()
      const received = arrival.answer === 409 ? ACCOUNT : ACCEPTED
      return dryRun || form === undefined ? received : withFirst(received, arrival, form)
    }
    if (outcome === 'conflict') return { outcome: 'keyReused' }
    if ('replayed' in outcome) {
      const received = { outcome: outcome.replayed === 409 ? 'account' : 'accepted', replayed: true } as const
      return dryRun || form === undefined ? received : withFirst(received, arrival, form)
    }
    if (!dryRun) {
      events.count('lockedOut')
      await keepLockedOut(arrival)
    }
    return { outcome: 'lockedOut', lockedFor: outcome.lockedFor }
  }

  /** The inquiry is stored even if we cannot find it. Then the person is simply not asked for more. */
  async function withFirst(one: Received, { key }: Arrival, form: SubmittedForm): Promise<Received> {
    const received = { ...one, key }
    if (form.continues !== true || received.outcome !== 'accepted') return received
    const id = await store.findAccepted(key).catch(() => undefined)
    return id === undefined ? received : { ...received, first: { id, key } }
  }

  const receive = { site, student }

  /** Accepts a submission that completes another as one whole inquiry. */
  async function receiveWhole(kind: Kind, submitted: Submitted, form: SubmittedForm & { once: Completing }) {
    const whole = await wholeOf(store, submitted, form)
    if (whole === undefined) return { outcome: 'gone' } as const
    const received = await receive[kind](whole)
    return received.outcome === 'keyReused' ? receive[kind]({ ...whole, form: asFurther(whole.form) }) : received
  }

  // Submissions from programs and most forms continue directly.
  const receiveAny = (kind: Kind) => (one: Submitted) =>
    isCompleting(one.form) ? receiveWhole(kind, one, one.form) : receive[kind](one)
  return {
    site: receiveAny('site'),
    student: receiveAny('student'),
    common: { site: common('site'), student: common('student') },
  }
}

const ACCEPTED: Received = { outcome: 'accepted', replayed: false }
const ACCOUNT: Received = { outcome: 'account', replayed: false }

/** Operation B requires a key; a form has the nonce of its page instead. */
function studentKey({ headers, form }: Submitted, parsed: ParsedStudent): ClientKey {
  const key = readClientKey(headers, parsed.idempotencyKey)
  return key.value === undefined && !parsed.keyRefused && form === undefined
    ? { ...key, problems: [{ code: 'keyMissing' }] }
    : key
}

const invalid = (parsed: { ok: true } | { ok: false; problems: readonly Problem[] }, key: ClientKey): Received => ({
  outcome: 'invalid',
  problems: [...(parsed.ok ? [] : parsed.problems), ...key.problems],
})

const asNotStored = (error: unknown) => (error instanceof StoreUnavailable ? errors.notStored(error) : error)

function notStored(error: unknown): never {
  throw asNotStored(error)
}
