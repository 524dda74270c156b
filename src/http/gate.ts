/**
 * The gate before the operations. It rejects requests while the service is overloaded, since a quick 503 is better than
 * a late one, and counts the others against the limits of their address.
 */
import type { IncomingMessage } from 'node:http'
import type { Store } from '../store/store.ts'
import type { ClientAddress } from './client-address.ts'
import { errors, HttpError } from './errors.ts'
import type { AddressLimits } from './rate-limits.ts'
import type { Headers } from './router.ts'
import type { SecurityEvents } from './security-events.ts'

/**
 * Once a submission has waited this long, in milliseconds, more requests come in than the service can handle. New ones
 * are then rejected, so that the waiting ones get their responses soon, instead of all getting them late.
 */
const LONGEST_WAIT = 500

/** Fewer submissions than this may wait for a slow disk, because all of them share one commit. */
const FEW = 32

/** After this long without a response, in milliseconds, the disk will not serve a new request soon. */
const STALLED = 2000

/** Lets a request pass, with the client's address and headers about its limits. Throws 503 or 429. */
export type Gate = (request: IncomingMessage, options?: { dryRun: boolean }) => Promise<Passed>

type Passed = { address: string; headers: Headers }

/** Throws 503 under too much load. */
export function rejectOverload(store: Pick<Store, 'load'>): void {
  const { waiting, waitedFor, stalledFor } = store.load()
  if ((waiting >= FEW && waitedFor > LONGEST_WAIT) || stalledFor > STALLED) throw errors.busy()
}

type GateServices = { store: Store; limits: AddressLimits; addressOf: ClientAddress; events: SecurityEvents }

export const createGate =
  ({ store, limits, addressOf, events }: GateServices): Gate =>
  async (request, { dryRun } = { dryRun: false }) => {
    rejectOverload(store)
    const address = addressOf(request)
    const headers = await limits.count(address, { forwarded: isForwarded(request), dryRun }).catch(error => {
      throw noted(error, events)
    })
    return { address, headers }
  }

/**
 * Does what the gate does, without a promise. It is for real requests only, not for dry runs. It returns undefined, and
 * counts nothing, if counting would take a moment.
 */
export type InstantGate = (request: IncomingMessage) => Passed | undefined

export const createInstantGate =
  ({ store, limits, addressOf, events }: GateServices): InstantGate =>
  request => {
    rejectOverload(store)
    const address = addressOf(request)
    try {
      const headers = limits.countNow(address, { forwarded: isForwarded(request) })
      return headers && { address, headers }
    } catch (error) {
      throw noted(error, events)
    }
  }

const isForwarded = ({ headers }: IncomingMessage): boolean => headers['x-forwarded-for'] !== undefined

function noted(error: unknown, events: SecurityEvents): unknown {
  if (error instanceof HttpError) events.count('rateLimited')
  return error
}
