/** How many requests a client address may send. The lockout of an email address is the store's. */
import ipaddr from 'ipaddr.js'
import { isLoopback } from '../platform/loopback.ts'
import { networkAround } from '../platform/networks.ts'
import { type Clock, DAY, MINUTE, SECOND } from '../platform/time.ts'
import type { Store } from '../store/store.ts'
import { errors } from './errors.ts'

type Limits = Record<'burst' | 'day', { points: number; duration: number }>

const limitsOf = (burst: number, day: number): Limits => ({
  burst: { points: burst, duration: 10 * MINUTE },
  day: { points: day, duration: DAY },
})

/** Both operations together. Durations are in milliseconds. */
export const addressLimits = limitsOf(10, 60)

/**
 * The limits of the IPv6 networks around a client's /64, by the length of their prefix. Providers give one
 * customer a /56 or a /48 (RIPE-690), which is 256 or 65,536 of what counts as one address.
 */
export const networkLimits = { 56: limitsOf(30, 180), 48: limitsOf(100, 600) } as const

/** For the headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). */
const POLICY = Object.entries(addressLimits)
  .map(([name, { points, duration }]) => `"${name}";q=${points};w=${duration / SECOND}`)
  .join(', ')

export class AddressLimits {
  readonly #counter: Pick<Store, 'count'>
  readonly #clock: Clock
  readonly #isUnlimited: (address: string) => boolean
  /** Requests that were not limited although they seem to come from outside, through a proxy. */
  unlimited = 0

  /** `isUnlimited` says which addresses the operator does not limit. */
  constructor(
    counter: Pick<Store, 'count'>,
    clock: Clock,
    isUnlimited: (address: string) => boolean = () => false,
  ) {
    this.#counter = counter
    this.#clock = clock
    this.#isUnlimited = isUnlimited
  }

  /**
   * Counts a request. Returns the headers that tell the client what is left of its limits, none for an address
   * that is never limited. `forwarded` says that the request came through a proxy that is not
   * trusted. Throws 429 when a limit is exceeded.
   */
  async count(address: string, { forwarded = false } = {}): Promise<Record<string, string>> {
    if (this.#isUnlimited(address)) return {}
    const key = limitKey(address)
    if (key === undefined) {
      if (forwarded || !isLoopback(address)) this.unlimited++
      return {}
    }
    const { states, wait } = await this.#countIn(key, addressLimits)
    const headers = { 'RateLimit-Policy': POLICY, RateLimit: states.join(', ') }
    if (wait > 0) throw errors.tooManyRequests(addressLimits, wait, headers)
    for (const bits of [56, 48] as const) {
      const network = networkAround(address, bits)
      // An IPv4 address has no network here: too many customers share one.
      if (network === key) break
      const limits = networkLimits[bits]
      const around = await this.#countIn(network, limits)
      if (around.wait > 0) throw errors.tooManyFromNetwork(limits, around.wait, headers)
    }
    return headers
  }

  /** How the limits of a key stand after one more request, and how many seconds to wait if it is one too many. */
  async #countIn(key: string, limits: Limits): Promise<{ states: string[]; wait: number }> {
    const now = this.#clock.now()
    const states: string[] = []
    let wait = 0
    for (const [name, limit] of Object.entries(limits)) {
      // A request that one limit has rejected does not count against the next.
      const add = wait > 0 ? 0 : 1
      const hit = { add, duration: limit.duration, now } as const
      const { points, until } = await this.#counter.count(`${name} ${key}`, hit)
      const left = Math.max(0, Math.ceil((until - now) / SECOND))
      states.push(`"${name}";r=${Math.max(0, limit.points - points)};t=${left}`)
      if (add > 0 && points > limit.points) wait = Math.max(1, left)
    }
    return { states, wait }
  }
}

const UNLIMITED = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal'])

/** The network of an address, in words: the key of its limits, or a private address as it is. */
export const networkOf = (address: string): string => limitKey(address) ?? address

/**
 * The key under which an address is limited: an IPv4 address as a whole, an IPv6 address by its /64
 * (one household or host has all of it), an IPv4 address mapped into IPv6 as itself. Undefined for a
 * loopback or private address, which is never limited: it is a proxy that is not configured, or a
 * test.
 */
export function limitKey(address: string): string | undefined {
  if (address === '127.0.0.1') return undefined
  if (ipaddr.isValid(address) && UNLIMITED.has(ipaddr.process(address).range())) return undefined
  return networkAround(address, 64)
}
