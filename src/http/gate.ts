/**
 * The gate before the operations: turns requests away while they can still be told so quickly,
 * before the process drowns, and counts the rest against their limits.
 */
import type { onRequestAsyncHookHandler } from 'fastify'
import type { Store } from '../store/store.ts'
import { busy } from './errors.ts'
import type { AddressLimits } from './limits.ts'

/** Submissions that wait for the disk at once; more would wait too long to be worth it. */
const MOST_WAITING = 1000

/** A disk that has not answered for this long will not answer a new request soon, in milliseconds. */
const STALLED = 2000

export type Gate = onRequestAsyncHookHandler

export const createGate =
  ({ store, limits }: { store: Store; limits: AddressLimits }): Gate =>
  async (request, reply) => {
    const { waiting, stalledFor } = store.pressure()
    if (waiting > MOST_WAITING || stalledFor > STALLED) throw busy()
    const headers = await limits.count(request.ip)
    if (headers !== undefined) reply.headers(headers)
  }
