/**
 * The gate before the operations: turns requests away while they can still be told so quickly,
 * before the process drowns, and counts the rest against the limits of their address.
 */
import type { IncomingMessage } from 'node:http'
import type { Store } from '../store/store.ts'
import type { ClientAddress } from './client-address.ts'
import { busy } from './errors.ts'
import type { AddressLimits } from './rate-limits.ts'
import type { Headers } from './router.ts'

/** Submissions that wait for the disk at once; more would wait too long to be worth it. */
const MOST_WAITING = 1000

/** A disk that has not answered for this long will not answer a new request soon, in milliseconds. */
const STALLED = 2000

/**
 * Lets a request pass, with the client's address and the headers that tell it where it stands.
 * Throws 503 under too much pressure, 429 over a limit.
 */
export type Gate = (request: IncomingMessage) => Promise<{ address: string; headers: Headers }>

type Parts = { store: Store; limits: AddressLimits; addressOf: ClientAddress }

export const createGate =
  ({ store, limits, addressOf }: Parts): Gate =>
  async request => {
    const { waiting, stalledFor } = store.load()
    if (waiting > MOST_WAITING || stalledFor > STALLED) throw busy()
    const address = addressOf(request)
    const forwarded = request.headers['x-forwarded-for'] !== undefined
    return { address, headers: await limits.count(address, { forwarded }) }
  }
