/**
 * The gate before the operations: turns requests away while they can still be told so quickly,
 * before the process drowns, and counts the rest against their limits.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Store } from '../store/store.ts'
import { busy } from './errors.ts'
import type { AddressLimits } from './limits.ts'

/** Submissions under way at once: a tenth of a second's work of one core. */
const MOST_UNDER_WAY = 1000

/** A disk that has not answered for this long will not answer a new request soon, in milliseconds. */
const STALLED = 2000

export type Gate = {
  enter(request: FastifyRequest, reply: FastifyReply): Promise<void>
  leave(): Promise<void>
  /** How many submissions are under way. */
  readonly underWay: number
}

export function createGate({ store, limits }: { store: Store; limits: AddressLimits }): Gate {
  let underWay = 0
  return {
    enter: async (request, reply) => {
      underWay++
      if (underWay > MOST_UNDER_WAY || store.pressure().stalledFor > STALLED) throw busy()
      reply.headers(await limits.count(request.ip))
    },
    leave: async () => {
      underWay--
    },
    get underWay() {
      return underWay
    },
  }
}
