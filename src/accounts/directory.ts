/** Whether a person has an account at the learning site: from an imported table, or from the site itself. */
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { addressHash } from '../leads/body/email.ts'
import { lazy } from '../platform/lazy.ts'
import { within } from '../platform/within.ts'
import type { Store } from '../store/store.ts'

export type AccountDirectory = {
  /**
   * Whether an address has an account. Never rejects: if we cannot find out in time, it is false, so
   * that the lead is accepted, and the log says why, without the address.
   */
  has(email: string): Promise<boolean>
  /** Which of these addresses have an account. This never rejects, either. */
  among(emails: readonly string[]): Promise<Set<string>>
}

type DirectoryServices = {
  settings: Settings
  /** The bearer token for the learning site. */
  accountsToken: string | undefined
  store: Pick<Store, 'accountsAmong'>
  /** The key of the hashes of the addresses in the table. */
  addressSecret: string
  log: Logger
  /** How long a lookup may take, in milliseconds. Default: TIME_LIMIT; tests set it. */
  timeLimit?: number
}

/** How long a lookup may delay the response to a submission, in milliseconds. */
export const TIME_LIMIT = 2000

/** How many addresses we ask the learning site about at the same time, so that lookups for submissions still get through. */
const AT_ONCE = 10

/** The directory that the settings name; undefined for 'none'. */
export function createDirectory(dependencies: DirectoryServices): AccountDirectory | undefined {
  const { settings, accountsToken: token, store, addressSecret, log } = dependencies
  const { timeLimit = TIME_LIMIT } = dependencies
  const { directory, url = '' } = settings.accounts
  if (directory === 'none') return undefined
  if (directory === 'table') {
    const among = neverRejecting(
      (emails: readonly string[]) => within(timeLimit, inTable(store, emails, addressSecret)),
      log,
      new Set<string>(),
    )
    return { has: async email => (await among([email])).has(email), among }
  }
  // These modules are loaded only if the school's accounts are looked up over HTTP.
  const site = lazy(async () => {
    const [{ askLearningSite }, { withCircuitBreaker }] = await Promise.all([
      import('./learning-site.ts'),
      import('./circuit-breaker.ts'),
    ])
    return withCircuitBreaker(email => askLearningSite({ url, token, timeLimit }, email), log)
  })
  const has = neverRejecting(async (email: string) => (await site())(email), log, false)
  return { has, among: emails => someAtOnce(emails, has) }
}

async function inTable(
  store: DirectoryServices['store'],
  emails: readonly string[],
  secret: string,
): Promise<Set<string>> {
  const hashes = emails.map(email => addressHash(secret, email))
  const found = await store.accountsAmong(hashes)
  return new Set(emails.filter((_, i) => found.has(hashes[i] ?? '')))
}

async function someAtOnce(emails: readonly string[], has: (email: string) => Promise<boolean>): Promise<Set<string>> {
  const found = new Set<string>()
  const waiting = emails.values()
  const askOneAfterTheOther = async () => {
    for (const email of waiting) if (await has(email)) found.add(email)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, askOneAfterTheOther))
  return found
}

/**
 * Answers `otherwise` when a lookup fails, or resolves to undefined because the circuit breaker is open and we did not
 * ask. Logs a reason once, and again only after a lookup has succeeded.
 */
function neverRejecting<Q, A>(
  lookUp: (question: Q) => Promise<A | undefined>,
  log: Logger,
  otherwise: A,
): (question: Q) => Promise<A> {
  let logged: string | undefined
  return async question => {
    try {
      const answer = await lookUp(question)
      if (answer !== undefined) logged = undefined
      return answer ?? otherwise
    } catch (error) {
      const { message: reason } = error as Error
      if (reason !== logged) log.warn({ reason }, 'could not find out whether a person has an account')
      logged = reason
      return otherwise
    }
  }
}
