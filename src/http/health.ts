/** Whether the service is alive, and whether it can accept submissions: for people and for load balancers. */

import type { Clock } from '../platform/time.ts'
import { within } from '../platform/within.ts'
import type { Backlog } from '../store/backlog.ts'
import type { Store } from '../store/store.ts'
import { errors } from './errors.ts'
import type { Route } from './router.ts'

/** A database that takes longer than this to respond is not ready, in milliseconds. */
const TIMEOUT = 1000

type Readiness = {
  ready: boolean
  database: 'ok' | 'not responding'
  mail: Omit<Backlog, 'unfiled' | 'oldestDueSince' | 'retryReason'> | undefined
  unfiled: number | undefined
  /** Sentences for the operator. */
  warnings: string[]
}

export type Health = { readiness(): Promise<Readiness> }

type Dependencies = {
  store: Store
  clock: Clock
  /** Whether the service is shutting down. */
  closing: () => boolean
  unlimitedRequests: () => number
  /** Why the mailbox is not being watched; undefined if it is, or if there is none. */
  mailboxTrouble: () => string | undefined
}

export function createHealth({
  store,
  clock,
  closing,
  unlimitedRequests,
  mailboxTrouble,
}: Dependencies): Health {
  async function backlog(): Promise<Backlog | undefined> {
    if (store.load().stalledFor > TIMEOUT) return undefined
    const now = clock.now()
    const count = store.countBacklog(now)
    // A database may be readable but not writable, such as after a failover.
    const write = store.count('readiness', { add: 1, duration: TIMEOUT, now })
    try {
      const [backlog] = await within(TIMEOUT, Promise.all([count, write]))
      return backlog
    } catch {
      return undefined
    }
  }

  // Requests that come while we ask the database share its response: anyone may ask, however often.
  let underWay: Promise<Backlog | undefined> | undefined
  const sharedBacklog = () => {
    underWay ??= backlog().finally(() => {
      underWay = undefined
    })
    return underWay
  }

  return {
    readiness: async () => {
      const found = await sharedBacklog()
      return {
        ready: found !== undefined && !closing(),
        database: found === undefined ? 'not responding' : 'ok',
        mail: found && {
          mailWaiting: found.mailWaiting,
          mailRetrying: found.mailRetrying,
          mailFailedToStaff: found.mailFailedToStaff,
          mailFailedToStudents: found.mailFailedToStudents,
        },
        unfiled: found?.unfiled,
        warnings: warningsOf(found, unlimitedRequests(), mailboxTrouble()),
      }
    },
  }
}

function warningsOf(
  backlog: Backlog | undefined,
  unlimited: number,
  mailbox: string | undefined,
): string[] {
  const warnings: string[] = []
  if (backlog === undefined) warnings.push('The database is not responding.')
  if (backlog !== undefined) warnings.push(...mailWarnings(backlog))
  if (mailbox !== undefined) warnings.push(`The mailbox is not being watched: ${mailbox}`)
  if (unlimited > 0) {
    warnings.push(
      `${unlimited} requests came from private addresses and were not rate-limited. If they came through a proxy, name it in TRUSTED_PROXIES`,
    )
  }
  return warnings
}

/** What the operator should know about messages that fail, in sentences. */
export function mailWarnings(backlog: Backlog): string[] {
  const { mailRetrying, retryReason, mailFailedToStaff, mailFailedToStudents } = backlog
  const warnings: string[] = []
  // An address of a student that does not exist is a note on the lead, where the counselor sees it.
  if (mailFailedToStaff > 0) {
    const all = mailFailedToStaff + mailFailedToStudents
    const rest = mailFailedToStudents === 0 ? '' : ` and ${mailFailedToStudents} to students`
    const given = `${all} ${all === 1 ? 'message was' : 'messages were'} given up`
    warnings.push(
      `${given}: ${mailFailedToStaff} to your staff (look at it)${rest}. See: frontdesk mail list --state failed`,
    )
  }
  if (mailRetrying > 0) {
    const waiting = mailRetrying === 1 ? 'message is' : 'messages are'
    warnings.push(
      `${mailRetrying} ${waiting} waiting for another attempt. ${retryReason ?? ''} See: frontdesk mail list --state retrying`,
    )
  }
  return warnings
}

const alive: Route = { GET: async () => ({ status: 200, body: { status: 'ok' } }) }

/** For a public host: 200 or 503, without details. */
export const publicHealth = (health: Health): Record<string, Route> => ({
  '/healthz': alive,
  '/readyz': {
    GET: async () => {
      const { ready } = await health.readiness()
      if (!ready) throw errors.notReady()
      return { status: 200, body: { status: 'ok' } }
    },
  },
})

/** For the console host: with everything that an operator wants to know. */
export const detailedHealth = (health: Health): Record<string, Route> => ({
  '/healthz': alive,
  '/readyz': {
    GET: async () => {
      const readiness = await health.readiness()
      return { status: readiness.ready ? 200 : 503, body: readiness }
    },
  },
})
