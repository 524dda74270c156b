/** How often somebody may write in: limits by client address, and the lockout by e-mail address. */
import ipaddr from 'ipaddr.js'
import { LOCKOUT } from '../store/lockout.ts'
import type { Store } from '../store/store.ts'
import { HttpError } from './errors.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Both operations together, by client address. Seconds. */
export const addressLimits = {
  burst: { points: 10, duration: 10 * MINUTE },
  day: { points: 60, duration: DAY },
} as const

/** For the headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). */
const POLICY = Object.entries(addressLimits)
  .map(([name, { points, duration }]) => `"${name}";q=${points};w=${duration}`)
  .join(', ')

export class AddressLimits {
  readonly #counter: Pick<Store, 'count'>
  readonly #clock: { now(): number }
  /** Requests that were not limited although they seem to come from outside, through a proxy. */
  unlimited = 0

  constructor(counter: Pick<Store, 'count'>, clock: { now(): number }) {
    this.#counter = counter
    this.#clock = clock
  }

  /**
   * Counts a request. Returns the headers that tell the client where it stands, none for an address
   * that is never limited. `forwarded` says that a proxy nobody trusts has passed the request on.
   * Throws 429 when a limit is exceeded.
   */
  async count(address: string, { forwarded = false } = {}): Promise<Record<string, string>> {
    const key = limitKey(address)
    if (key === undefined) {
      if (forwarded || !isLoopback(address)) this.unlimited++
      return {}
    }
    const now = this.#clock.now()
    const states: string[] = []
    let wait = 0
    for (const [name, limit] of Object.entries(addressLimits)) {
      // What one limit has refused does not count against the next.
      const add = wait > 0 ? 0 : 1
      const hit = { add, duration: limit.duration * 1000, now } as const
      const { points, until } = await this.#counter.count(`${name} ${key}`, hit)
      const left = seconds(until - now)
      states.push(`"${name}";r=${Math.max(0, limit.points - points)};t=${left}`)
      if (add > 0 && points > limit.points) wait = Math.max(1, left)
    }
    const headers = { 'RateLimit-Policy': POLICY, RateLimit: states.join(', ') }
    if (wait > 0) throw tooMany(wait, headers)
    return headers
  }
}

const isLoopback = (address: string) => /^(::ffff:)?127\.|^::1$/.test(address)

/**
 * The answer to a request beyond the limits of its address, which may come back after `wait` seconds.
 * `headers` tell where it stands.
 */
export function tooMany(wait: number, headers: Record<string, string>): HttpError {
  const { burst, day } = addressLimits
  const limits = `at most ${burst.points} in ${burst.duration / MINUTE} minutes and ${day.points} in a day`
  return new HttpError(
    429,
    `Too many submissions from this network address (${limits}). Try again in ${wait} seconds.`,
    { ...headers, 'Retry-After': wait },
  )
}

/** The answer to a submission whose address is locked for so many milliseconds. */
export function lockedOut(milliseconds: number): HttpError {
  const wait = seconds(milliseconds)
  return new HttpError(
    429,
    `Too many submissions for this e-mail address (at most ${LOCKOUT.points} in an hour). Try again in ${Math.ceil(wait / MINUTE)} minutes.`,
    { 'Retry-After': wait },
  )
}

const seconds = (milliseconds: number) => Math.max(0, Math.ceil(milliseconds / 1000))

const UNLIMITED = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal'])

/**
 * What an address is limited as: an IPv4 address whole, an IPv6 address as its /64 (one household or
 * host has all of it), an IPv4 address mapped into IPv6 as itself. Undefined for a loopback or
 * private address, which is never limited: it is a proxy that nobody configured, or a test.
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
