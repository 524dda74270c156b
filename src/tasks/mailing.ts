/**
 * Mailing: one message of the outbox, made from what the store holds at that moment and handed to
 * the mail server. Its Message-ID is fixed by its task, so that a second delivery (the server took
 * the message, but its answer was lost) can be told from a second message.
 */

import type { Config } from '../config/config.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { addressHash } from '../leads/email.ts'
import { signalNote } from '../leads/screening.ts'
import type { Content, LeadView, Messages, NewsView } from '../mail/render-messages.ts'
import type { LeadOfSubmission } from '../store/leads.ts'
import type { Store } from '../store/store.ts'
import type { Task } from '../store/tasks.ts'
import type { Clock } from '../time.ts'
import { MINUTE } from '../time.ts'
import type { Addressees } from './addressees.ts'
import { nextDigest } from './digest.ts'
import { letterView, staffView } from './message-data.ts'
import { retryDelay } from './retry.ts'
import type { Failure, NotSent, Send } from './sending.ts'

/** How many held submissions one digest lists. */
const DIGEST_LENGTH = 50

/**
 * A receipt answers what somebody did a moment ago, at whatever hour. One that comes later than this,
 * in milliseconds, keeps the quiet hours like a letter, and like a letter only goes to who is new.
 */
const AT_ONCE = 30 * MINUTE

export type MailParts = {
  store: Store
  clock: Clock
  config: Config
  calendar: Calendar
  addressees: Addressees
  messages: Messages
  send: Send
  /** What the hashes of addresses are made with. */
  addressSecret: string
}

/** Makes the job that sends the message of one claimed task. */
export function createMailing(parts: MailParts) {
  const { store, clock, config, calendar, addressees, messages, send, addressSecret } = parts
  return async ([task]: Task[]): Promise<void> => {
    if (task === undefined) return
    const outcome = await send(task, () => contentOf(task))
    if (outcome === 'sent') {
      // From here on it is sent: what fails now is not the message.
      await continueSeries(task)
      await store.recordSent(task, clock.now())
    } else if ('waitUntil' in outcome) {
      const note = 'waits for the end of the quiet hours'
      await store.postponeTask(task, {
        dueAt: outcome.waitUntil,
        note,
        countsAsAttempt: false,
      })
    } else if ('skip' in outcome) {
      await store.finishTask(task, { state: 'skipped', note: outcome.skip, now: clock.now() })
    } else {
      await failed(task, outcome.failure)
    }
  }

  async function contentOf(task: Task): Promise<Content | NotSent> {
    if (task.kind === 'digest') return digest()
    if (task.kind === 'news') return news(task.subject)
    const about = await store.readLeadOfSubmission(task.subject)
    if (about === undefined) return { skip: 'the submission is gone' }
    return task.kind === 'notify' ? notification(about) : receipt(task, about)
  }

  async function receipt(task: Task, about: LeadOfSubmission): Promise<Content | NotSent> {
    const now = clock.now()
    const { stage, state } = about.lead
    const late = now - about.submission.receivedAt >= AT_ONCE
    const open = late ? calendar.hoursFor(state).student.open(now) : now
    if (open > now) return { waitUntil: open }
    const suppression = await store.readSuppression(addressHash(addressSecret, about.lead.email))
    if (suppression) return { skip: `this address is left alone: ${suppression.reason}` }
    if (late && stage !== 'new') return { skip: `it comes too late: the lead is ${stage}` }
    const view = await letterView(about.lead, now, config, addressees)
    return task.kind === 'account' ? messages.accountNotice(view) : messages.receipt(view)
  }

  async function notification(about: LeadOfSubmission): Promise<Content> {
    const view = await viewFor(about, about.submission.kind === 'site' ? 'team' : 'counselor')
    return about.lead.kind === 'site'
      ? messages.siteNotification(view)
      : messages.studentNotification(view)
  }

  async function news(entryId: number): Promise<Content | { skip: string }> {
    const entry = await store.readEntry(entryId)
    const about = entry && (await store.readLatest(entry.leadId))
    if (!entry || !about) return { skip: 'the lead was erased' }
    // To whom it is given, it is a new one.
    if (entry.kind === 'assigned') return notification(about)
    const kind = entry.kind as NewsView['event']['kind']
    const event = { kind, text: entry.detail, at: entry.at }
    return messages.news({ ...(await viewFor(about, 'counselor')), event })
  }

  async function viewFor(about: LeadOfSubmission, role: 'team' | 'counselor'): Promise<LeadView> {
    const { lead } = about
    const now = clock.now()
    const found = await addressees.find(lead, role, now)
    const addressee = 'to' in found ? found : { to: addressees.team(lead.kind), actor: undefined }
    return staffView(about, addressee, now, addressees)
  }

  async function digest(): Promise<Content | { skip: string }> {
    const now = clock.now()
    await store.expireQuarantine(now, config.settings.quarantine)
    const entries = await store.listQuarantine({ state: 'held', limit: 1000 })
    if (entries.length === 0) return { skip: 'nothing is held' }
    const held = entries.slice(0, DIGEST_LENGTH).map(({ submission, reason, signals, heldAt }) => ({
      submission,
      reason,
      notes: signals.map(signalNote),
      heldAt,
    }))
    const date = new Date(now).toLocaleDateString('en-US', {
      timeZone: config.settings.school.timeZone,
      dateStyle: 'long',
    })
    return messages.quarantineDigest({ held, more: entries.length - held.length, date, now })
  }

  /**
   * As long as something is held there is a digest every day; the first hold begins the series.
   * Called before a digest is concluded, so that a crash in between does not end the series.
   */
  async function continueSeries(task: Task): Promise<void> {
    if (task.kind !== 'digest') return
    const now = clock.now()
    const held = await store.listQuarantine({ state: 'held', limit: 1 })
    if (held.length === 0) return
    const { timeZone } = config.settings.school
    const { digestHour } = config.settings.quarantine
    const next = nextDigest(now, timeZone, digestHour)
    // One that was sent ahead of its time, on somebody's request, was the digest of its day.
    const another = next.day === task.subject ? nextDigest(next.dueAt, timeZone, digestHour) : next
    await store.addDigest({ ...another, now })
  }

  async function failed(task: Task, { note, final, unknownAddress }: Failure): Promise<void> {
    const now = clock.now()
    if (!final) {
      await store.postponeTask(task, {
        dueAt: now + retryDelay(task.attempts, Math.random()),
        note,
      })
      return
    }
    await continueSeries(task)
    if (unknownAddress && (task.kind === 'receipt' || task.kind === 'account')) {
      const about = await store.readLeadOfSubmission(task.subject)
      if (about) await bounced(parts, about.lead, note)
    }
    await store.finishTask(task, { state: 'dead', note, now })
  }
}

/** The mail server knows no such mailbox: it is written to no more, and the counselor hears of it. */
export async function bounced(
  { store, clock, addressSecret }: Pick<MailParts, 'store' | 'clock' | 'addressSecret'>,
  lead: { id: number; email: string },
  detail: string,
): Promise<void> {
  await store.stopFollowUpEmails(lead.id, {
    addressHash: addressHash(addressSecret, lead.email),
    reason: 'bounced',
    detail,
    now: clock.now(),
  })
}
