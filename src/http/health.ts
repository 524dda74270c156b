/** Whether the service is alive, and whether it can accept submissions: for people and for load balancers. */
import { counted } from '../leads/body/tidy-text.ts'
import { type LateAfter, lateWork } from '../leads/words/late-work.ts'
import { lostDestination } from '../leads/words/lost-destinations.ts'
import type { Clock } from '../platform/time.ts'
import { TimeoutError, within } from '../platform/within.ts'
import type { Backlog } from '../store/mail/backlog.ts'
import type { Store } from '../store/store.ts'
import { errors } from './errors.ts'
import type { FailedRequests } from './failed-requests.ts'
import type { Route } from './router.ts'

/** A database that takes longer than this to respond is not ready, in milliseconds. */
const TIMEOUT = 1000

type Readiness = {
  ready: boolean
  database: 'ok' | Trouble
  mail:
    | Pick<Backlog, 'unmatchedMail' | 'mailWaiting' | 'mailRetrying' | 'mailFailedToStaff' | 'mailFailedToStudents'>
    | undefined
  unfiled: number | undefined
  /** Sentences for the operator. */
  warnings: string[]
}

type Trouble = 'not responding' | 'not writable'

/** What we found out about the database, with the backlog if it was read in time. `reason` is for the operator. */
type Findings = { backlog: Backlog | undefined } | { trouble: Trouble; reason: string }

export type Health = { readiness(): Promise<Readiness> }

type HealthSources = {
  store: Store
  clock: Clock
  /** How long work may wait before it is late. */
  lateAfter: LateAfter
  /** Whether the service is shutting down. */
  closing: () => boolean
  unlimitedRequests: () => number
  /** Why the mailbox is not being watched; undefined if it is, or if there is none. */
  mailboxTrouble: () => string | undefined
  failures: Pick<FailedRequests, 'warning'>
}

export function createHealth({
  store,
  clock,
  lateAfter,
  closing,
  unlimitedRequests,
  mailboxTrouble,
  failures,
}: HealthSources): Health {
  // If the database does not answer a count, that count keeps using one of the few connections, so we never start a
  // second one.
  const count = shared(() => store.countBacklog(clock.now()))

  // Requests that come while we ask the database share its answer: anyone may ask, as often as they like.
  const ask = shared(async (): Promise<Findings> => {
    if (store.load().stalledFor > TIMEOUT) return NOT_RESPONDING
    // The figures share connections with the console and the worker. What delays these does not have to delay the
    // intake.
    const figures = within(TIMEOUT, count()).catch(() => undefined)
    // Reading may work where writing does not: on a full disk, or after a failover.
    const write = within(TIMEOUT, store.probe()).then(() => undefined, asTrouble)
    const [backlog, trouble] = await Promise.all([figures, write])
    if (trouble === undefined) return { backlog }
    return backlog === undefined ? { ...trouble, trouble: 'not responding' } : trouble
  })

  return {
    readiness: async () => {
      const found = await ask()
      const backlog = 'backlog' in found ? found.backlog : undefined
      return {
        ready: !('trouble' in found) && !closing(),
        database: 'trouble' in found ? found.trouble : 'ok',
        mail: backlog && {
          unmatchedMail: backlog.unmatchedMail,
          mailWaiting: backlog.mailWaiting,
          mailRetrying: backlog.mailRetrying,
          mailFailedToStaff: backlog.mailFailedToStaff,
          mailFailedToStudents: backlog.mailFailedToStudents,
        },
        unfiled: backlog?.unfiled,
        warnings: warningsOf(found, {
          now: clock.now(),
          lateAfter,
          unlimited: unlimitedRequests(),
          mailbox: mailboxTrouble(),
          failed: failures.warning(),
        }),
      }
    },
  }
}

/** Calls that come while one is under way share its result. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

const UNKNOWN = 'What is waiting or has failed is not known: the database did not say so within a second.'

const NOT_RESPONDING: Findings = { trouble: 'not responding', reason: 'The database is not responding.' }

function asTrouble(error: Error): Findings {
  if (error instanceof TimeoutError) return NOT_RESPONDING
  const { message } = (error.cause ?? error) as Error
  return { trouble: 'not writable', reason: `The database cannot be written: ${message}.` }
}

function warningsOf(
  found: Findings,
  {
    now,
    lateAfter,
    unlimited,
    mailbox,
    failed,
  }: { now: number; lateAfter: LateAfter; unlimited: number; mailbox: string | undefined; failed: string | undefined },
): string[] {
  const warnings: string[] = []
  if ('trouble' in found) warnings.push(found.reason)
  else if (found.backlog === undefined) warnings.push(UNKNOWN)
  else
    warnings.push(
      ...[...lateWork(found.backlog, lateAfter, now), ...found.backlog.lostDestinations.map(lostDestination)].map(
        ({ title, text }) => `${title} ${text}`,
      ),
      ...mailWarnings(found.backlog),
    )
  if (failed !== undefined) warnings.push(failed)
  if (mailbox !== undefined) warnings.push(`The mailbox is not being watched: ${mailbox}`)
  if (unlimited > 0) {
    warnings.push(
      `${unlimited} ${unlimited === 1 ? 'request' : 'requests'} from private addresses had no rate limit. If they came through a proxy, name it in TRUSTED_PROXIES`,
    )
  }
  return warnings
}

/** What the operator should know about messages that fail, in sentences. */
export function mailWarnings(backlog: Backlog): string[] {
  const { mailRetrying, retryReason, mailFailedToStaff, mailFailedToStudents, scansFailing } = backlog
  const warnings: string[] = []
  // If a student's address does not exist, the lead says so, and its counselor sees it there.
  if (mailFailedToStaff > 0) {
    const all = mailFailedToStaff + mailFailedToStudents
    const rest = mailFailedToStudents === 0 ? '' : ` and ${mailFailedToStudents} to students`
    const given = `${all} ${all === 1 ? 'message was' : 'messages were'} given up`
    warnings.push(
      `${given}: ${mailFailedToStaff} to your staff (look at it)${rest}. See: npx frontdesk mail list --state failed`,
    )
  }
  if (mailRetrying > 0) {
    const waiting = mailRetrying === 1 ? 'message is' : 'messages are'
    warnings.push(
      `${mailRetrying} ${waiting} waiting for another attempt. ${retryReason ?? ''} See: npx frontdesk mail list --state retrying`,
    )
  }
  if (scansFailing !== null) warnings.push(scannerFails(scansFailing))
  return warnings
}

/** A sentence that says that attachments are not scanned, how many emails wait for the scan, and why. */
export const scannerFails = ({ emails, reason }: NonNullable<Backlog['scansFailing']>): string =>
  `The attachments of ${counted(emails, 'email')} cannot be opened or sent: ${reason}. Check the scanner (attachments.scanCommand in the settings); it is tried again automatically.`

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

/** For the console host: with all details for the operator. */
export const detailedHealth = (health: Health): Record<string, Route> => ({
  '/healthz': alive,
  '/readyz': {
    GET: async () => {
      const readiness = await health.readiness()
      return { status: readiness.ready ? 200 : 503, body: readiness }
    },
  },
})
