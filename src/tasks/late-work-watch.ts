/**
 * Reports that work is late, or that the clock has jumped: to the admins by email (and in their browsers, if emails are what is late), and to the
 * log, at its highest level. Each kind of late work is one alarm, however many processes watch and however often they
 * start.
 */
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { FAILED_OVER_AFTER, failedRequests } from '../leads/words/failed-requests.ts'
import { causeOf, isLate, LATE, type LateWork, lateWork, stuckMail } from '../leads/words/late-work.ts'
import { isAboutAllMail } from '../mail/transport/mailer.ts'
import { HOUR, MINUTE } from '../platform/time.ts'
import type { Backlog } from '../store/mail/backlog.ts'
import type { Store } from '../store/store.ts'
import { AGAIN_AND_AGAIN } from '../store/tasks/again-and-again.ts'
import { CLOCK_SKEW } from '../store/tasks/clock-skew.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { isQuiet, type WakingServices, wake } from './browser-notices.ts'
import { createClockWatch } from './clock-watch.ts'
import { keepLooking } from './lanes/in-portions.ts'

type WatchServices = WakingServices & {
  store: Pick<
    Store,
    | 'countBacklog'
    | 'lastSentAt'
    | 'listMail'
    | 'raiseAlarm'
    | 'settleAlarm'
    | 'listAlarms'
    | 'listRecipients'
    | 'addNotice'
    | 'removePushSubscription'
  >
  settings: Pick<Settings, 'lateness' | 'school'>
  log: Logger
  /** Called when emails may have been added. */
  changed: () => void
}

/** How often the log repeats it, in milliseconds. */
const AGAIN_AFTER = HOUR

/** If work is late again within this time, in milliseconds, it counts as late all along. */
const OVER_AFTER = 5 * MINUTE

const MAIL = causeOf('mail')

/** Returns a function that checks for late work. It raises an alarm if something is late at two checks in a row. */
export function createLateWorkWatch(deps: WatchServices): () => Promise<void> {
  const { store, clock, settings, log, changed } = deps
  const clockWatch = createClockWatch(clock, settings.lateness.clockMinutes * MINUTE)
  let before = new Set<string>()
  const saidAt = new Map<string, number>()
  return async () => {
    const now = clock.now()
    const raise = async ({ cause, title, text, path, since }: LateWork) => {
      if (await store.raiseAlarm({ cause: causeOf(cause), title, text, path, since }, now)) changed()
    }
    const jump = clockWatch.look()
    if (jump !== undefined) await raise(jump)
    const late = (await findLate(deps, now)).filter(one => one.cause !== 'clock' || !clockWatch.isOver(one.since))
    // After a start, work that waited meanwhile is done within moments.
    for (const one of late.filter(one => before.has(causeOf(one.cause)))) {
      const { title, text } = one
      const cause = causeOf(one.cause)
      if (now - (saidAt.get(cause) ?? Number.NEGATIVE_INFINITY) >= AGAIN_AFTER) {
        saidAt.set(cause, now)
        log.fatal(`${title} ${text}`)
      }
      await raise(one)
    }
    before = new Set(late.map(one => causeOf(one.cause)))
    for (const cause of saidAt.keys()) if (!before.has(cause)) saidAt.delete(cause)
    for (const { cause, told } of await store.listAlarms()) {
      if (cause.startsWith(LATE) && !before.has(cause)) {
        if (await store.settleAlarm(cause, { now, after: OVER_AFTER })) changed()
      } else if (cause === failedRequests.cause) {
        // The time begins again with each failure.
        if (await store.settleAlarm(cause, { now, after: FAILED_OVER_AFTER })) changed()
      } else if (cause === MAIL) await wakeAdmins(deps, told)
    }
  }
}

async function findLate(deps: WatchServices, now: number): Promise<LateWork[]> {
  const backlog = await deps.store.countBacklog(now)
  const late = lateWork(backlog, deps.settings.lateness, now)
  return late.some(({ cause }) => cause === 'mail') ? late : [...late, ...(await findStuckMail(deps, backlog, now))]
}

/** How many of the failed messages are read at each check. */
const LOOKED_AT = 100

async function findStuckMail(
  { store, settings }: WatchServices,
  { mailRetrying }: Backlog,
  now: number,
): Promise<LateWork[]> {
  if (mailRetrying === 0) return []
  // A time in the future is from before the clock was set back.
  const sentAt = await store.lastSentAt(now + CLOCK_SKEW)
  if (sentAt !== null && !isLate(sentAt, settings.lateness.emailMinutes, now)) return []
  const stuck = [stuckMail({ retrying: mailRetrying, sentAt }, now)]
  // Once the alarm was raised, only an email that goes out ends it, since all failed emails may now be waiting for
  // their hours.
  const told = (await store.listAlarms()).find(({ cause }) => cause === MAIL)
  if (told !== undefined && told.since <= now && (sentAt ?? 0) <= told.since) return stuck
  const failed = await store.listMail({ state: 'retrying', limit: LOOKED_AT })
  const last = { sentAt, lateAfter: settings.lateness.emailMinutes * MINUTE }
  return failed.some(task => task.attempts >= AGAIN_AND_AGAIN && saysSo(task, last)) ? stuck : []
}

/**
 * Whether a message shows that no email goes out: it failed after the last one went out, and was first tried not long
 * before that. Otherwise, other emails go out. Trouble with one address does not stop others, and a message that waits
 * for its hours was not tried.
 */
const saysSo = (task: Task, { sentAt, lateAfter }: { sentAt: number | null; lateAfter: number }): boolean =>
  (sentAt === null || ((task.scheduled_at ?? 0) > sentAt && (task.begun_at ?? task.created_at) > sentAt - lateAfter)) &&
  isAboutAllMail(task.note ?? '')

/** No email can tell admins that emails are late. So their browsers are woken up, once, after their quiet hours. */
async function wakeAdmins(deps: WatchServices, told: { taskId: number; operatorId: number }[]): Promise<void> {
  const { store, clock, settings } = deps
  const now = clock.now()
  for (const recipient of await store.listRecipients(clock.now())) {
    const email = told.find(({ operatorId }) => operatorId === recipient.operatorId)
    if (email === undefined || recipient.subscriptions.length === 0) continue
    if (isQuiet(recipient.choices, now, settings.school.timeZone)) continue
    if (await store.addNotice(recipient.operatorId, { taskId: email.taskId, now })) void wake(deps, recipient)
  }
}

/** Looks every minute, until `signal` is aborted. */
export const keepWatchingLateWork = (deps: WatchServices, signal: AbortSignal): Promise<void> =>
  keepLooking(createLateWorkWatch(deps), {
    every: MINUTE,
    log: deps.log,
    failed: 'whether work is late could not be read',
    signal,
  })
