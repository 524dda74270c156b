/**
 * Slows down people who guess passwords or codes, without locking anyone out: after some attempts, each further attempt
 * must wait, longer each time, up to a minute. Attempts with the right password or code do not count. A browser in
 * which an operator has signed in before has its own count for that operator (OWASP calls its cookie a device cookie),
 * so that no stranger can make the operator wait there.
 */
import { hash, randomBytes } from 'node:crypto'
import { emailKey } from '../../leads/body/email.ts'
import { isSigned, signature } from '../../platform/signature.ts'
import { DAY, MINUTE, SECOND } from '../../platform/time.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { keepCookie, readCookie } from '../frame/host-cookie.ts'

/** Attempts are counted over this time, in milliseconds. */
const COUNTED_OVER = 15 * MINUTE
const LONGEST_WAIT = 1 * MINUTE

/** How many wrong attempts are free within that time. */
const FREE = { device: 10, 'account in network': 5, network: 30, account: 20 }

export type Attempt = {
  /** The address that someone typed, as it was parsed, whether or not there is such an account. */
  email: string
  network: string
  /** The id of a known browser, or session, of the operator with that address; undefined for an unknown browser. */
  device: string | undefined
}

type Counting = Pick<ConsoleDeps, 'store' | 'clock'>

/**
 * Counts an attempt before it is checked. Returns how long the person must wait until it can be checked, in
 * milliseconds; 0 if it may be checked now. If the attempt turns out to be correct, `forgiveAttempt` takes it off the
 * counts.
 */
export async function waitBeforeAttempt({ store, clock }: Counting, attempt: Attempt): Promise<number> {
  const now = clock.now()
  const [first, ...others] = countersOf(attempt)
  // The first count is checked alone, so that a network that must wait anyway cannot fill the memory with invented
  // addresses.
  const wait = first === undefined ? 0 : await waitOf(first)
  return wait > 0 ? wait : Math.max(0, ...(await Promise.all(others.map(waitOf))))

  async function waitOf({ kind, name }: Counter): Promise<number> {
    const { points } = await store.count(name, { add: 1, duration: COUNTED_OVER, now })
    const beyond = points - FREE[kind]
    return beyond <= 0 ? 0 : waitFor(`${name} wait`, beyond)
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

/** Takes a correct attempt off the counts, since a whole school may sign in from one network. */
export async function forgiveAttempt({ store, clock }: Counting, attempt: Attempt): Promise<void> {
  const hit = { add: -1, duration: COUNTED_OVER, now: clock.now() }
  await Promise.all(countersOf(attempt).map(({ name }) => store.count(name, hit)))
}

type Counter = { kind: keyof typeof FREE; name: string }

function countersOf({ email, network, device }: Attempt): Counter[] {
  const counter = (kind: keyof typeof FREE, key: string): Counter => ({ kind, name: `sign-in ${kind} ${key}` })
  if (device !== undefined) return [counter('device', device)]
  const account = hash('sha256', emailKey(email), 'base64url').slice(0, 16)
  return [
    counter('network', network),
    counter('account in network', `${account} ${network}`),
    counter('account', account),
  ]
}

/** How long we recognize a browser after someone has signed in there, in milliseconds. */
const DEVICE_LIFETIME = 365 * DAY

/** From now on, this browser has its own count for an operator who has just signed in. */
export function rememberDevice(c: ConsoleContext, operatorId: number): void {
  const device = deviceOf(c, operatorId) ?? `${operatorId}.${randomBytes(12).toString('base64url')}`
  const { secretKey } = c.get('frame').deps
  keepCookie(c, cookieOf(operatorId), `${device}.${signature(secretKey, PURPOSE, device)}`, DEVICE_LIFETIME)
}

/** The id of this browser, if the operator has signed in with it before. */
export function deviceOf(c: ConsoleContext, operatorId: number): string | undefined {
  const [id = '', nonce = '', signed = ''] = readCookie(c, cookieOf(operatorId))?.split('.') ?? []
  const device = `${id}.${nonce}`
  const isTheirs = Number(id) === operatorId && isSigned(c.get('frame').deps.secretKey, PURPOSE, device, signed)
  return isTheirs ? device : undefined
}

const PURPOSE = 'device'

/** Each operator has a cookie of their own, because several may sign in at the same computer of a front desk. */
const cookieOf = (operatorId: number): string => `device-${operatorId}`
