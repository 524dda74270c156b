/**
 * Whether a person already has an account at the learning site: from a table that the operator imports,
 * or from the learning site itself. A directory that fails never costs a lead.
 */
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
}

type Dependencies = {
  settings: Settings
  /** The bearer token for the learning site. */
  accountsToken: string | undefined
  store: Pick<Store, 'hasAccount'>
  /** The key of the hashes of the addresses in the table. */
  addressSecret: string
  log: Logger
  /** In milliseconds; TIME_LIMIT unless a test says otherwise. */
  timeLimit?: number
}

/** How long a look-up may delay the response to a submission, in milliseconds. */
export const TIME_LIMIT = 2000

/** The directory that the settings name; undefined for 'none'. */
export function createDirectory(dependencies: Dependencies): AccountDirectory | undefined {
  const { settings, accountsToken: token, store, addressSecret, log } = dependencies
  const { timeLimit = TIME_LIMIT } = dependencies
  const { directory, url = '' } = settings.accounts
  if (directory === 'none') return undefined
  if (directory === 'table') {
    return neverRejecting(email => within(timeLimit, store.hasAccount(addressHash(addressSecret, email))), log)
  }
  // Only a school that asks over HTTP loads these modules.
  const site = lazy(async () => {
    const [{ askLearningSite }, { withCircuitBreaker }] = await Promise.all([
      import('./learning-site.ts'),
      import('./circuit-breaker.ts'),
    ])
    return withCircuitBreaker(email => askLearningSite({ url, token, timeLimit }, email), log)
  })
  return neverRejecting(async email => (await site())(email), log)
}

/** Resolves to undefined if the circuit breaker is open, so that we did not ask. */
type LookUp = (email: string) => Promise<boolean | undefined>

/** Logs a reason once, and again only after a look-up has succeeded. */
function neverRejecting(lookUp: LookUp, log: Logger): AccountDirectory {
  let logged: string | undefined
  return {
    has: async email => {
      try {
        const has = await lookUp(email)
        if (has !== undefined) logged = undefined
        return has ?? false
      } catch (error) {
        const { message: reason } = error as Error
        if (reason !== logged) log.warn({ reason }, 'could not find out whether a person has an account')
        logged = reason
        return false
      }
    },
  }
}
