/** How many requests a client address may send. The lockout of an email address is the store's. */
import ipaddr from 'ipaddr.js'
import { isLoopback } from '../platform/loopback.ts'
import { type Clock, DAY, MINUTE, SECOND } from '../platform/time.ts'
import type { Store } from '../store/store.ts'
import { errors } from './errors.ts'

/** Both operations together. Durations are in milliseconds. */
export const addressLimits = {
  burst: { points: 10, duration: 10 * MINUTE },
  day: { points: 60, duration: DAY },
} as const

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
    const now = this.#clock.now()
    const states: string[] = []
    let wait = 0
    for (const [name, limit] of Object.entries(addressLimits)) {
      // A request that one limit has rejected does not count against the next.
      const add = wait > 0 ? 0 : 1
      const hit = { add, duration: limit.duration, now } as const
      const { points, until } = await this.#counter.count(`${name} ${key}`, hit)
      const left = Math.max(0, Math.ceil((until - now) / SECOND))
      states.push(`"${name}";r=${Math.max(0, limit.points - points)};t=${left}`)
      if (add > 0 && points > limit.points) wait = Math.max(1, left)
    }
    const headers = { 'RateLimit-Policy': POLICY, RateLimit: states.join(', ') }
    if (wait > 0) throw errors.tooManyRequests(addressLimits, wait, headers)
    return headers
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
  if (!ipaddr.isValid(address)) return 'unreadable'
  const parsed = ipaddr.process(address)
  if (UNLIMITED.has(parsed.range())) return undefined
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4)
  return `${network.map(part => part.toString(16)).join(':')}::/64`
}
