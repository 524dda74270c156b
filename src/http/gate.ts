/**
 * The gate before the operations: rejects requests while the service is overloaded, since a quick 503
 * is better than a late one, and counts the others against the limits of their address.
 */
import type { IncomingMessage } from 'node:http'
import type { Store } from '../store/store.ts'
import type { ClientAddress } from './client-address.ts'
import { errors } from './errors.ts'
import type { AddressLimits } from './rate-limits.ts'
import type { Headers } from './router.ts'

/** At most this many submissions wait for the disk; more would wait too long to be worth it. */
const MOST_WAITING = 1000

/** After this long without a response, in milliseconds, the disk will not serve a new request soon. */
const STALLED = 2000

/**
 * Lets a request pass, with the client's address and the headers that say what is left of its limits.
 * Throws 503 under too much load, 429 over a limit.
 */
export type Gate = (request: IncomingMessage) => Promise<{ address: string; headers: Headers }>

type Dependencies = { store: Store; limits: AddressLimits; addressOf: ClientAddress }

export const createGate =
  ({ store, limits, addressOf }: Dependencies): Gate =>
  async request => {
    const { waiting, stalledFor } = store.load()
    if (waiting > MOST_WAITING || stalledFor > STALLED) throw errors.busy()
    const address = addressOf(request)
    const forwarded = request.headers['x-forwarded-for'] !== undefined
    return { address, headers: await limits.count(address, { forwarded }) }
  }
