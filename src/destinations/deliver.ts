/**
 * Sends an event to a destination: one attempt for each claim of its task. A destination gets a lead's events in order.
 * A destination that hangs, fails, or has a long list of events does not delay the others.
 */
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { type Clock, MINUTE } from '../platform/time.ts'
import type { Attempt, Delivery, Outcome } from '../store/destinations/deliveries.ts'
import type { Store } from '../store/store.ts'
import type { Task } from '../store/tasks/tasks.ts'
import {
  AccessRefused,
  type DestinationKind,
  NotTold,
  type Sealed,
  type Told,
  type Verdict,
} from './destination-kind.ts'
import { payloadOf, samplePayload } from './event-payload.ts'
import { kindNamed } from './kinds.ts'
import { accessWords, NO_RESPONSE, wordsFor } from './response-words.ts'
import { askedWait, isGivenUp, pauseAfter, waitAfter } from './retries.ts'
import { openSettings } from './sealed-settings.ts'
import { guardedSender, LARGEST_SHOWN, type Received, TIMEOUT } from './send-request.ts'
import { AT_ONCE, Turns } from './turns.ts'

export const MOST_DESTINATIONS = 50

/**
 * How many events are claimed with one statement. While some of them wait for their turn, no more events for the same
 * destination are claimed, so that a long list for one destination does not keep the others waiting.
 */
export const DELIVERIES_AT_ONCE = 10

/** Enough slots for all destinations: for events under way, and for events that wait. */
export const DELIVERY_SLOTS = MOST_DESTINATIONS * (AT_ONCE + DELIVERIES_AT_ONCE)

/**
 * A 429 without a `Retry-After` counts as a request to wait a minute: some receivers block clients that continue (RFC
 * 6585 section 4).
 */
const TOO_MANY = 429

/** The receiver is gone for good (RFC 9110 section 15.5.11). */
const GONE = 410

type Deps = {
  store: Pick<
    Store,
    | 'waitForEarlier'
    | 'waitForDestination'
    | 'findDelivery'
    | 'recordAttempt'
    | 'holdDestination'
    | 'releaseDestination'
    | 'skipSettled'
  >
  clock: Clock
  config: Pick<Config, 'consoleUrl' | 'destinationNetworks'>
  secretKey: string
  log: Logger
  /** Called once there may be more events to claim: the next event of a lead, or events that had not had a turn. */
  wake: () => void
}

export type Deliverer = {
  /** Makes one attempt to send an event to a destination. */
  deliver: (task: Task) => Promise<void>
  /** The destinations for which events wait, once that is known of all events that were claimed. */
  crowded: () => Promise<number[]>
}

export function createDeliverer(deps: Deps): Deliverer {
  const turns = new Turns(deps.wake)
  /**
   * Counts an event as under way if it may be sent now. A destination that keeps failing gets one event, and the others
   * wait outside of the slots for its outcome.
   */
  const begins = async ({ id, failures }: Delivery['destination']): Promise<boolean> => {
    if (turns.isFull(id)) return false
    turns.begin(id)
    if (failures === 0) return true
    const now = deps.clock.now()
    let isFirst = false
    try {
      isFirst = await deps.store.holdDestination(id, { now, until: now + TIMEOUT })
    } finally {
      if (!isFirst) turns.cancel(id)
    }
    return isFirst
  }
  const holding = new Map<number, Promise<void>>()
  /** Postpones the events of a destination that is slow to respond, once for all that wait for it. */
  const holdBack = (id: number): Promise<void> => {
    const held = holding.get(id) ?? holdAll(id).finally(() => holding.delete(id))
    holding.set(id, held)
    return held
  }
  const holdAll = async (id: number) => {
    const now = deps.clock.now()
    if (!(await deps.store.holdDestination(id, { now, until: now + TIMEOUT }))) return
    // The events under way may have ended in the meantime.
    if (!turns.isIdle(id)) return
    await deps.store.releaseDestination(id, deps.clock.now())
    deps.wake()
  }
  let ends = 0
  const lastEnd = new Map<number, number>()
  /** Reads a delivery once the last attempt for its destination has ended, whose result decides about the next. */
  const ready = async (task: Task): Promise<Delivery | undefined> => {
    const before = ends
    const delivery = await readyDelivery(deps, task)
    const isStale = delivery !== undefined && (lastEnd.get(delivery.destination.id) ?? 0) > before
    return isStale ? ready(task) : delivery
  }
  /** Waits for the turn of an event; undefined if the task is concluded or postponed. `waits`: called once it waits. */
  const inTurn = async (task: Task, waits: () => void): Promise<Delivery | undefined> => {
    let delivery = await ready(task)
    // A destination gets many events one after the other. Once it fails, the events that wait here are postponed.
    while (delivery !== undefined && !(await begins(delivery.destination))) {
      const { id } = delivery.destination
      if (turns.isFull(id)) {
        const turn = turns.next(id)
        waits()
        if (!(await turn)) await holdBack(id)
      }
      delivery = await ready(task).catch(error => {
        turns.wakeNext(id)
        throw error
      })
      if (delivery === undefined) turns.wakeNext(id)
    }
    return delivery
  }
  /** The events that have not found out yet whether they wait. */
  const looking = new Set<Promise<void>>()
  const deliver = async (task: Task) => {
    const { promise: looked, resolve: hasLooked } = Promise.withResolvers<void>()
    looking.add(looked)
    const delivery = await inTurn(task, hasLooked).finally(() => {
      hasLooked()
      looking.delete(looked)
    })
    if (delivery === undefined) return
    const { id } = delivery.destination
    try {
      await tryOnce(deps, task, delivery)
    } finally {
      lastEnd.set(id, ++ends)
      turns.end(id)
    }
  }
  const crowded = async () => {
    await Promise.all(looking)
    return [...turns.crowded, ...holding.keys()]
  }
  return { deliver, crowded }
}

/** The delivery of a task, if it may be tried now; otherwise the task is concluded or postponed. */
async function readyDelivery(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  task: Task,
): Promise<Delivery | undefined> {
  const now = clock.now()
  const delivery = await store.findDelivery(task.subject)
  // The data that was read may be out of date: the destination may have been switched off or on, or an earlier event
  // may have ended.
  const again = () => readyDelivery({ store, clock }, task)
  if (delivery === undefined) return (await store.skipSettled(task, now)) ? undefined : again()
  if (delivery.after !== undefined) return (await store.waitForEarlier(task, { delivery, now })) ? undefined : again()
  const { id, retryAt } = delivery.destination
  if (retryAt === null || retryAt <= now) return delivery
  return (await store.waitForDestination(task, { id, now })) ? undefined : again()
}

async function tryOnce(deps: Deps, task: Task, delivery: Delivery): Promise<void> {
  const { store, clock, log } = deps
  const { destination } = delivery
  const at = clock.now()
  const began = performance.now()
  const again = delivery.tried || task.attempts > 1
  const { verdict, status, response, reason, asked } = await tell(deps, delivery, { now: at, again })
  const duration = Math.round(performance.now() - began)
  const attempt = { at, duration, status, response }
  const delivered = verdict === 'delivered'
  // While a destination fails, only some events are tried, so the first one may have its turn much later.
  const isDown = !delivered && isGivenUp(destination.failingSince ?? at, at)
  // If the receiver accepts other events, only this event is given up.
  const givenUp = isDown || (!delivered && isGivenUp(task.begun_at ?? at, at))
  const wait = Math.max(waitAfter(task.attempts, Math.random()), asked ?? 0)
  const settled = delivered || givenUp || verdict !== 'failed'
  const off = isDown ? 'given up' : verdict === 'gone' ? 'gone' : undefined
  const outcome: Outcome = settled ? { settled: STATES[verdict], off } : { again: at + wait }
  const pause =
    delivered || verdict === 'stop' || verdict === 'not told' ? undefined : pauseAfter(destination.failures + 1, at)
  const note = delivered ? '' : `${reason}${givenUp ? '; given up after five days' : ''}`
  const recorded: Attempt = { ...attempt, note }
  if (!(await store.recordAttempt({ task, delivery, attempt: recorded, outcome, pause, asked }))) return
  if (settled) deps.wake()
  if (delivered || verdict === 'not told') return
  log.warn({ destination: destination.id, delivery: delivery.id, status }, 'an event could not be delivered')
  if (off !== undefined)
    log.error({ destination: destination.id }, 'a destination was switched off, because it no longer receives events')
}

/** The end of a task that is not tried again. */
const STATES = { delivered: 'done', 'not told': 'skipped', failed: 'dead', gone: 'dead', stop: 'dead' } as const

type AttemptResult = {
  verdict: Verdict | 'not told'
  status: number | null
  response: string
  reason: string
  /** How long the receiver asks us to wait, in milliseconds. */
  asked: number | undefined
}

async function tell(
  { config, secretKey }: Deps,
  delivery: Delivery,
  { now, again }: Pick<Told, 'now' | 'again'>,
): Promise<AttemptResult> {
  const failed = { verdict: 'failed', status: null, response: '', asked: undefined } as const
  const { destination } = delivery
  const sealed = openSettings(secretKey, destination)
  if (sealed === undefined) return { ...failed, reason: 'its keys cannot be read: SECRET_KEY was changed or lost' }
  const kind = kindNamed(destination.kind)
  if (kind === undefined)
    return { ...failed, reason: `this version has no destinations of the kind ${destination.kind}` }
  const told = toldOf(delivery, { kind, sealed, consoleUrl: config.consoleUrl, now, again })
  try {
    const received = await kind.tell(told, guardedSender(config.destinationNetworks))
    return {
      ...responded(received, now),
      verdict: received.status === GONE ? 'gone' : kind.verdict(received, delivery.type),
      reason: `it responded ${received.status}: ${wordsFor(received.status, kind.responses)}`,
    }
  } catch (error) {
    const { message: reason } = error as Error
    if (error instanceof NotTold) return { ...failed, verdict: 'not told', reason }
    if (error instanceof AccessRefused) {
      const { response } = error
      const means = accessWords(response.status, kind.responses)
      return { ...failed, ...responded(response, now), reason: `${reason}: ${means}` }
    }
    return { ...failed, reason: reasonOf(error as Error & { code?: string }) }
  }
}

function responded({ status, headers, body }: Received, now: number) {
  const asked = askedWait(headers['retry-after'], now) ?? (status === TOO_MANY ? MINUTE : undefined)
  return { status, response: Buffer.from(body).subarray(0, LARGEST_SHOWN).toString(), asked }
}

function toldOf(
  delivery: Delivery,
  {
    kind,
    sealed,
    consoleUrl,
    now,
    again,
  }: { kind: DestinationKind; sealed: Sealed; consoleUrl: string; now: number; again: boolean },
): Told {
  const { destination, type, eventId } = delivery
  const invented = type === 'test' && kind.test === 'an invented lead'
  const payload = invented
    ? samplePayload(type, destination.fields, { now, consoleUrl })
    : payloadOf(delivery, consoleUrl)
  return { ...payload, eventId, values: sealed.values, keys: sealed.keys, now, again }
}

/** The reason without the URL, which may be a secret. */
const reasonOf = ({ name, message, code }: Error & { code?: string }): string => {
  if (name === 'ForbiddenUrl' || name === 'Unsendable') return message
  if (name === 'AbortError' || name === 'TimeoutError') return NO_RESPONSE
  return `the connection failed${code === undefined ? '' : ` (${code})`}. Check the host in the URL, and whether the receiver runs`
}
