/**
 * Notices instead of emails: an operator can choose to be notified of new leads, replies and hand-overs in their
 * browser, or of new leads and hand-overs in one email a day. Reminders, warnings and everything for a team always come
 * by email. If a person wrote back and waits for an answer, operators who chose one email a day also get everything
 * about that person immediately.
 */
import type { Settings } from '../config/settings.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { nextMorning } from '../follow-up/school-mornings.ts'
import { timeZone } from '../follow-up/time-zones.ts'
import { emailKey } from '../leads/body/email.ts'
import type { Content } from '../mail/messages.ts'
import { type Clock, HOUR, SECOND } from '../platform/time.ts'
import type { PushResult } from '../push/web-push.ts'
import type { NoticeChoices, Recipient } from '../store/operators/browser-notices.ts'
import { INFECTED } from '../store/outbox/mail-steps.ts'
import type { Store } from '../store/store.ts'
import type { Task } from '../store/tasks/tasks.ts'

export type NoticeServices = {
  store: Pick<Store, 'addNotice' | 'listRecipients' | 'readEntry' | 'readLeadOfSubmission' | 'removePushSubscription'>
  clock: Clock
  calendar: Calendar
  settings: Pick<Settings, 'school'>
  /** Wakes up a browser, which then asks what to show. Never rejects. */
  wakeBrowser: (endpoint: string) => Promise<PushResult>
}

export type WakingServices = Pick<NoticeServices, 'clock' | 'settings' | 'wakeBrowser'> & {
  store: Pick<Store, 'removePushSubscription'>
}

/** The kinds of entries of the timeline about which an operator may choose notices; the other kinds are warnings. */
const BY_CHOICE: readonly string[] = ['reply', 'assigned', 'undone']

/** How long the operators' choices are cached, in milliseconds: otherwise, each email in a rush would read them. */
const READ_EVERY = 2 * SECOND

export type Notices = {
  /**
   * Gives the recipient of a message a notice, if they have chosen that. Returns why no email is sent; undefined if one
   * must be sent, for example because none of their browsers could be reached.
   */
  giveNotice(task: Task, content: Content): Promise<{ skip: string } | undefined>
}

export function createNotices(deps: NoticeServices): Notices {
  const { store, clock, calendar } = deps
  let read = { at: Number.NEGATIVE_INFINITY, recipients: [] as Recipient[] }

  async function recipients(): Promise<Recipient[]> {
    const at = clock.now()
    if (Math.abs(at - read.at) >= READ_EVERY) read = { at, recipients: await store.listRecipients(at) }
    return read.recipients
  }

  return {
    async giveNotice(task, { to }) {
      const isNew = task.kind === 'notify' && task.step === 0
      if (!isNew && task.kind !== 'news') return undefined
      const all = await recipients()
      const recipient = all.find(one => one.emailKey === emailKey(to.address))
      if (isNew)
        await tellOfUnassigned(
          deps,
          task,
          all.filter(one => one !== recipient),
        )
      if (recipient === undefined) return undefined
      const { choices, operatorId, subscriptions, signedIn } = recipient
      if (choices.email !== 'daily' && subscriptions.length === 0) return undefined
      const kind = isNew ? undefined : (await store.readEntry(task.subject))?.kind
      if (!isNew && (task.step === INFECTED || !BY_CHOICE.includes(kind ?? ''))) return undefined
      const canWait = choices.email === 'daily' && kind !== 'reply' && !(isNew && (await isFurther(deps, task)))
      if (!canWait && subscriptions.length === 0) return undefined
      const now = clock.now()
      const digest = canWait ? nextMorning(now, calendar) : undefined
      const first = await store.addNotice(operatorId, { taskId: task.id, digest, now })
      if (choices.email === 'browser' && signedIn)
        return (await wake(deps, recipient)) ? { skip: 'their browser shows it' } : undefined
      // Wakes the recipient only at the first attempt: the mail server may be tried for days.
      if (first) void wake(deps, recipient)
      return canWait ? { skip: 'it is in their daily digest' } : undefined
    },
  }
}

/** Whether the inquiry of a notification came from a person with a lead. A lead has the id of its first inquiry. */
async function isFurther({ store }: NoticeServices, { subject }: Task): Promise<boolean> {
  const about = await store.readLeadOfSubmission(subject)
  return about !== undefined && about.lead.id !== subject
}

/**
 * After an attempt at a digest: schedules one for the notices that remain. Some may have come for the same morning, if
 * the clock was set back or another process has a clock that is behind; and this digest may be given up.
 */
export async function continueDailyDigests(
  { store, clock, calendar }: Pick<NoticeServices, 'clock' | 'calendar'> & { store: Pick<Store, 'continueDaily'> },
  operatorId: number,
): Promise<void> {
  const now = clock.now()
  await store.continueDaily(operatorId, { ...nextMorning(now, calendar), now })
}

/** Tells the browsers of operators who asked for it that a new lead has no owner. */
async function tellOfUnassigned(deps: NoticeServices, task: Task, others: readonly Recipient[]): Promise<void> {
  const wanting = others.filter(({ choices }) => choices.unassigned)
  if (wanting.length === 0) return
  const about = await deps.store.readLeadOfSubmission(task.subject)
  if (about === undefined || about.lead.owner !== null) return
  for (const other of wanting) {
    const notice = { taskId: task.id, now: deps.clock.now() }
    if (await deps.store.addNotice(other.operatorId, notice)) void wake(deps, other)
  }
}

/** Wakes up an operator's browsers, unless in their quiet hours. Returns whether at least one was woken up. */
export async function wake(
  { store, clock, settings, wakeBrowser }: WakingServices,
  { choices, subscriptions }: Recipient,
): Promise<boolean> {
  if (isQuiet(choices, clock.now(), settings.school.timeZone)) return false
  const results = await Promise.all(
    subscriptions.map(async ({ endpoint }) => {
      const result = await wakeBrowser(endpoint)
      if (result === 'gone') await store.removePushSubscription({ endpoint }).catch(() => {})
      return result
    }),
  )
  return results.includes('woken')
}

/** Whether this hour is in the quiet hours, when browsers get no notices. These hours may go past midnight. */
export function isQuiet(
  { quietFrom, quietTo }: Pick<NoticeChoices, 'quietFrom' | 'quietTo'>,
  now: number,
  zone: string,
): boolean {
  const hour = Math.floor(timeZone(zone).localTime(now).time / HOUR)
  return quietFrom <= quietTo ? quietFrom <= hour && hour < quietTo : quietFrom <= hour || hour < quietTo
}
