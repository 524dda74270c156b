/** How many requests one client address may send. The store has the lockout of email addresses. */
import { isLoopback } from '../platform/loopback.ts'
import { type Address, networkAt, readAddress } from '../platform/networks.ts'
import { type Clock, DAY, MINUTE, SECOND } from '../platform/time.ts'
import type { Hit, Window } from '../store/acceptance/counting-windows.ts'
import type { Store } from '../store/store.ts'
import { errors, type RateLimits } from './errors.ts'

export const limitsOf = (burst: number, day: number): RateLimits => ({
  burst: { points: burst, duration: 10 * MINUTE },
  day: { points: day, duration: DAY },
})

/** The limits for both operations together. Durations are in milliseconds. */
export const addressLimits = limitsOf(10, 60)

/**
 * The limits of the IPv6 networks around a client's /64, by the length of their prefix. Providers give one customer a
 * /56 or a /48 (RIPE-690): 256 or 65,536 times as much as counts as one address.
 */
export const networkLimits = { 56: limitsOf(30, 180), 48: limitsOf(100, 600) } as const

/**
 * The limits for dry runs. They are counted separately, so that a client that learns from its mistakes can still
 * submit; and they are limited, since they cost as much and could be used to guess keys and accounts.
 */
export const dryRunLimits = limitsOf(30, 120)

/** How much one source may post, from all of its addresses together. `duration` is in milliseconds. */
export const sourceLimit = { points: 600, duration: 10 * MINUTE }

type Plan = {
  /** The beginning of the limits' names, in the headers and in the keys. */
  prefix: string
  own: RateLimits
  around: Record<56 | 48, RateLimits>
  tooMany: (typeof errors)['tooManyRequests']
  tooManyAround: (typeof errors)['tooManyFromNetwork']
}

const submissions: Plan = {
  prefix: '',
  own: addressLimits,
  around: networkLimits,
  tooMany: errors.tooManyRequests,
  tooManyAround: errors.tooManyFromNetwork,
}

const dryRuns: Plan = {
  prefix: 'dry-run-',
  own: dryRunLimits,
  around: { 56: limitsOf(90, 360), 48: limitsOf(300, 1200) },
  tooMany: errors.tooManyDryRuns,
  tooManyAround: errors.tooManyDryRunsFromNetwork,
}

/** For the headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). */
export const policyOf = ({ prefix, own }: Pick<Plan, 'prefix' | 'own'>): string =>
  Object.entries(own)
    .map(([name, { points, duration }]) => `"${prefix}${name}";q=${points};w=${duration / SECOND}`)
    .join(', ')

const policies = new Map([submissions, dryRuns].map(plan => [plan, policyOf(plan)]))

/** The headers of a request that was not counted. */
export const UNCOUNTED: Record<string, string> = Object.freeze({})

type Counter = Pick<Store, 'count'> & Partial<Pick<Store, 'countNow'>>

/** `forwarded`: the request came through a proxy that is not trusted. */
type About = { forwarded?: boolean; dryRun?: boolean }

/** The counts to make, one after the other. Each step gets the window after its hit. */
type Steps<Result> = Generator<{ key: string; hit: Hit }, Result, Window>

async function eachCounted<Result>(
  steps: Steps<Result>,
  count: (counted: { key: string; hit: Hit }) => Promise<Window>,
): Promise<Result> {
  let step = steps.next()
  while (!step.done) step = steps.next(await count(step.value))
  return step.value
}

export class AddressLimits {
  readonly #counter: Counter
  readonly #clock: Clock
  readonly #isUnlimited: (address: string) => boolean
  /** How many requests were not limited although they seem to come from outside, through a proxy. */
  unlimited = 0

  /** `isUnlimited` says whether the operator has exempted an address from the limits. */
  constructor(counter: Counter, clock: Clock, isUnlimited: (address: string) => boolean = () => false) {
    this.#counter = counter
    this.#clock = clock
    this.#isUnlimited = isUnlimited
  }

  /**
   * Counts a request; dry runs count separately. Returns the headers that tell the client what is left of its limits;
   * none for an address that is never limited. Throws 429 when a limit is exceeded.
   */
  async count(address: string, about: About = {}): Promise<Record<string, string>> {
    return eachCounted(this.#steps(address, about), ({ key, hit }) => this.#counter.count(key, hit))
  }

  /** Does the same without a promise. Returns undefined, without counting anything, if counting would take a moment. */
  countNow(address: string, about: About = {}): Record<string, string> | undefined {
    const { countNow } = this.#counter
    const steps = this.#steps(address, about)
    let step = steps.next()
    if (!step.done && countNow === undefined) return undefined
    while (!step.done) step = steps.next((countNow as NonNullable<typeof countNow>)(step.value.key, step.value.hit))
    return step.value
  }

  *#steps(address: string, { forwarded = false, dryRun = false }: About): Steps<Record<string, string>> {
    if (this.#isUnlimited(address)) return UNCOUNTED
    const parsed = address === LOOPBACK ? undefined : readAddress(address)
    if (address === LOOPBACK || isPrivate(parsed)) {
      if (forwarded || !isLoopback(address)) this.unlimited++
      return UNCOUNTED
    }
    const key = networkAt(parsed, 64)
    const plan = dryRun ? dryRuns : submissions
    const { prefix } = plan
    const now = this.#clock.now()
    const { states, wait } = yield* stepsIn(now, { key, prefix, limits: plan.own })
    const policy = policies.get(plan) as string
    const headers = { 'RateLimit-Policy': policy, RateLimit: states.join(', ') }
    if (wait > 0) throw plan.tooMany(plan.own, wait, headers)
    for (const bits of [56, 48] as const) {
      const network = networkAt(parsed, bits)
      // An IPv4 address has no network here: too many customers share one.
      if (network === key) break
      const limits = plan.around[bits]
      const around = yield* stepsIn(now, { key: network, prefix, limits })
      if (around.wait > 0) throw plan.tooManyAround(limits, around.wait, headers)
    }
    return headers
  }
}

/**
 * The limits of a key after one more request, and how many seconds to wait if that is one too many. `prefix`: the
 * beginning of the limits' names, in the headers and in the keys.
 */
export const countIn = (
  { store, clock }: { store: Pick<Store, 'count'>; clock: Clock },
  limited: Limited,
): Promise<Stand> => eachCounted(stepsIn(clock.now(), limited), ({ key, hit }) => store.count(key, hit))

type Limited = { key: string; prefix: string; limits: RateLimits }
type Stand = { states: string[]; wait: number }

function* stepsIn(now: number, { key, prefix, limits }: Limited): Steps<Stand> {
  const states: string[] = []
  let wait = 0
  for (const [name, limit] of Object.entries(limits)) {
    // A request that one limit has rejected does not count against the next.
    const add = wait > 0 ? 0 : 1
    const hit = { add, duration: limit.duration, now } as const
    const { points, until } = yield { key: `${prefix}${name} ${key}`, hit }
    const left = Math.max(0, Math.ceil((until - now) / SECOND))
    states.push(`"${prefix}${name}";r=${Math.max(0, limit.points - points)};t=${left}`)
    if (add > 0 && points > limit.points) wait = Math.max(1, left)
  }
  return { states, wait }
}

const UNLIMITED = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal'])

/** The network of an address, in words: the key of its limits, or a private address as it is. */
export const networkOf = (address: string): string => limitKey(address) ?? address

/**
 * The key under which an address is limited. For IPv4, the address; for IPv6, its /64, since one household or host has
 * all of that; for an IPv4 address mapped into IPv6, the IPv4 address. Undefined for a loopback or private address,
 * which is never limited: it is a proxy that is not configured, or a test.
 */
export function limitKey(address: string): string | undefined {
  if (address === LOOPBACK) return undefined
  const parsed = readAddress(address)
  return isPrivate(parsed) ? undefined : networkAt(parsed, 64)
}

/** The address of most connections here: they come from a proxy. */
const LOOPBACK = '127.0.0.1'

const isPrivate = (parsed: Address | undefined): boolean => parsed !== undefined && UNLIMITED.has(parsed.range())
