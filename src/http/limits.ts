/** How often somebody may write in: limits by client address, and the lockout by e-mail address. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { emailKey } from '../leads/email.ts'
import { limitKey } from './client-address.ts'
import { HttpError } from './errors.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Both operations together, by client address. Seconds. */
export const addressLimits = {
  burst: { points: 10, duration: 10 * MINUTE },
  day: { points: 60, duration: DAY },
} as const

/** Student submissions by e-mail address: one more than `points` in `duration` locks it. Seconds. */
export const lockoutLimit = { points: 5, duration: HOUR, blockDuration: 15 * MINUTE } as const

/** For the headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). */
const POLICY = Object.entries(addressLimits)
  .map(([name, { points, duration }]) => `"${name}";q=${points};w=${duration}`)
  .join(', ')

export class AddressLimits {
  readonly #limiters = Object.entries(addressLimits).map(
    ([name, limit]) => [name, new RateLimiterMemory({ keyPrefix: name, ...limit })] as const,
  )
  /** Requests that were not limited although they seem to come from outside, through a proxy. */
  unlimited = 0

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
    const states: string[] = []
    let wait = 0
    for (const [name, limiter] of this.#limiters) {
      // What one limit has refused does not count against the next.
      const seen = wait > 0 ? await limiter.get(key) : null
      const { state, allowed } = seen ? { state: seen, allowed: true } : await consume(limiter, key)
      states.push(
        `"${name}";r=${Math.max(0, state.remainingPoints)};t=${seconds(state.msBeforeNext)}`,
      )
      if (!allowed) wait = Math.max(1, seconds(state.msBeforeNext))
    }
    const headers = { 'RateLimit-Policy': POLICY, RateLimit: states.join(', ') }
    if (wait > 0) throw tooMany(wait, headers)
    return headers
  }
}

const isLoopback = (address: string) => /^(::ffff:)?127\.|^::1$/.test(address)

function tooMany(wait: number, headers: Record<string, string>): HttpError {
  const { burst, day } = addressLimits
  const limits = `at most ${burst.points} in ${burst.duration / MINUTE} minutes and ${day.points} in a day`
  return new HttpError(
    429,
    `Too many submissions from this network address (${limits}). Try again in ${wait} seconds.`,
    { ...headers, 'Retry-After': wait },
  )
}

/** Keeps one e-mail address from being used over and over. Alike for known and unknown addresses. */
export class Lockout {
  readonly #limiter = new RateLimiterMemory({ keyPrefix: 'lockout', ...lockoutLimit })
  readonly #underWay = new Map<string, Promise<unknown>>()

  /**
   * Does what one request of an address asks for, after its earlier ones have ended: whether they
   * count is known only then. Throws what `work` throws.
   */
  async inTurn<T>(email: string, work: () => Promise<T>): Promise<T> {
    const key = emailKey(email)
    const earlier = this.#underWay.get(key)
    const turn = earlier === undefined ? work() : earlier.then(work, work)
    this.#underWay.set(key, turn)
    try {
      return await turn
    } finally {
      if (this.#underWay.get(key) === turn) this.#underWay.delete(key)
    }
  }

  /** Whether one more submission would lock the address, or it is locked. */
  async isFull(email: string): Promise<boolean> {
    const state = await this.#limiter.get(emailKey(email))
    return state !== null && state.remainingPoints <= 0
  }

  /** Counts a submission; returns for how many seconds the address is locked, 0 when it is not. */
  async count(email: string): Promise<number> {
    const { state, allowed } = await consume(this.#limiter, emailKey(email))
    return allowed ? 0 : seconds(state.msBeforeNext)
  }

  /** Brings back the counts that a restart has forgotten, from the moments of submissions. */
  async restore(recent: { email: string; at: number[] }[], now: number): Promise<void> {
    for (const { email, at } of recent) {
      const left = seconds((at[0] ?? now) + lockoutLimit.duration * 1000 - now)
      const points = Math.min(at.length, lockoutLimit.points)
      if (left > 0) await this.#limiter.set(emailKey(email), points, left)
    }
  }
}

export const lockedOut = (wait: number): HttpError =>
  new HttpError(
    429,
    `Too many submissions for this e-mail address (at most ${lockoutLimit.points} in an hour). Try again in ${Math.ceil(wait / MINUTE)} minutes.`,
    { 'Retry-After': wait },
  )

async function consume(limiter: RateLimiterMemory, key: string) {
  try {
    return { state: await limiter.consume(key), allowed: true }
  } catch (state) {
    if (state instanceof RateLimiterRes) return { state, allowed: false }
    throw state
  }
}

const seconds = (milliseconds: number) => Math.max(0, Math.ceil(milliseconds / 1000))
