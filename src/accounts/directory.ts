/**
 * Who has an account at the learning site, as far as anybody here can be asked: nobody, a table that
 * the operator imports, or the learning site itself. A directory that fails costs no lead.
 */
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { lazy } from '../lazy.ts'
import { addressHash } from '../leads/email.ts'
import type { Store } from '../store/store.ts'
import { within } from '../within.ts'

/** Knows who has an account at the learning site. */
export type AccountDirectory = {
  /**
   * Whether an address has an account. Never rejects: where that cannot be told in time it is false,
   * so that the lead is taken in, and the log says why, without the address.
   */
  has(email: string): Promise<boolean>
}

type Parts = {
  settings: Settings
  /** Sent to the learning site as a bearer token. */
  accountsToken: string | undefined
  store: Pick<Store, 'hasAccount'>
  /** What the addresses of the table are hashed with. */
  addressSecret: string
  log: Logger
  /** For how long somebody may wait for it, in milliseconds. */
  timeLimit?: number
}

/** Nobody who writes in waits longer for an answer, in milliseconds. */
export const TIME_LIMIT = 2000

/** The directory that the settings name; undefined where nobody is to be asked. */
export function createDirectory(parts: Parts): AccountDirectory | undefined {
  const { settings, accountsToken: token, store, addressSecret, log } = parts
  const { timeLimit = TIME_LIMIT } = parts
  const { directory, url = '' } = settings.accounts
  if (directory === 'none') return undefined
  if (directory === 'table') {
    return forgiving(
      email => within(timeLimit, store.hasAccount(addressHash(addressSecret, email))),
      log,
    )
  }
  // What it takes to ask over HTTP is loaded only where that is done.
  const site = lazy(async () => {
    const [{ askLearningSite }, { withCircuitBreaker: guarded }] = await Promise.all([
      import('./learning-site.ts'),
      import('./circuit-breaker.ts'),
    ])
    return guarded(email => askLearningSite({ url, token, timeLimit }, email), log)
  })
  return forgiving(async email => (await site())(email), log)
}

/** Undefined: nobody was asked. */
type LookUp = (email: string) => Promise<boolean | undefined>

/** Says a reason once, and again only after there has been an answer. */
function forgiving(lookUp: LookUp, log: Logger): AccountDirectory {
  let said: string | undefined
  return {
    has: async email => {
      try {
        const has = await lookUp(email)
        if (has !== undefined) said = undefined
        return has ?? false
      } catch (error) {
        const { message: reason } = error as Error
        if (reason !== said) log.warn({ reason }, 'it could not be told who has an account')
        said = reason
        return false
      }
    },
  }
}
