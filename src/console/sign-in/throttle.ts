/**
 * Slows down those who guess passwords or codes, and locks no one out: after some attempts, each further one must
 * wait, longer and longer up to a minute. An account has its own count for every network, and one for all networks
 * from which its operator has never signed in, so that a stranger cannot make the operator wait.
 */
import { createHash } from 'node:crypto'
import { emailKey } from '../../leads/body/email.ts'
import { MINUTE, SECOND } from '../../platform/time.ts'
import type { ConsoleDeps } from '../frame/context.ts'

/** Attempts are counted over this time, in milliseconds. */
const COUNTED_OVER = 15 * MINUTE
const LONGEST_WAIT = 1 * MINUTE

/** How many attempts are free within that time. */
const FREE = { 'account in network': 5, network: 30, account: 20 }

type Attempt = {
  /** What someone typed, whether or not there is such an account. */
  email: string
  network: string
  /** Whether the operator of that address has signed in from there. */
  isKnownNetwork: boolean
}

/**
 * Counts an attempt, before it is checked. Returns how long the person must wait until the next one is
 * checked, in milliseconds; 0 if this one may be.
 */
export async function waitBeforeAttempt(
  { store, clock }: Pick<ConsoleDeps, 'store' | 'clock'>,
  { email, network, isKnownNetwork }: Attempt,
): Promise<number> {
  const now = clock.now()
  // First, and alone: a network that must wait anyway cannot fill the memory with invented addresses.
  const ofNetwork = await waitOf('network', network)
  if (ofNetwork > 0) return ofNetwork
  const account = createHash('sha256').update(emailKey(email)).digest('base64url').slice(0, 16)
  const keys: [keyof typeof FREE, string][] = [
    ['account in network', `${account} ${network}`],
    ...(isKnownNetwork ? [] : [['account', account] as [keyof typeof FREE, string]]),
  ]
  return Math.max(...(await Promise.all(keys.map(([kind, key]) => waitOf(kind, key)))))

  async function waitOf(kind: keyof typeof FREE, key: string): Promise<number> {
    const counter = `sign-in ${kind} ${key}`
    const { points } = await store.count(counter, { add: 1, duration: COUNTED_OVER, now })
    const beyond = points - FREE[kind]
    return beyond <= 0 ? 0 : waitFor(`${counter} wait`, beyond)
  }

  /** Begins the next wait if none is under way. */
  async function waitFor(key: string, beyond: number): Promise<number> {
    const under = await store.count(key, { add: 0, duration: LONGEST_WAIT, now })
    if (under.points > 0) return under.until - now
    const duration = Math.min(2 ** Math.min(beyond, 10) * SECOND, LONGEST_WAIT)
    await store.count(key, { add: 1, duration, now })
    return 0
  }
}
