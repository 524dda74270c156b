/** The outbox: makes one message from what the store holds at that moment, sends it and records it. */
import type { Config } from '../config/config.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { suppressedNote } from '../follow-up/stop-conditions.ts'
import { suppressionHashes } from '../leads/body/email.ts'
import type { TimelineEntry } from '../leads/lead/timeline.ts'
import { failedDelivery } from '../leads/lead/timeline-details.ts'
import type { Addressees } from '../mail/addressees.ts'
import type { EventView } from '../mail/messages/event.ts'
import type { Content, Messages } from '../mail/messages.ts'
import type { Mailbox } from '../mail/transport/mailer.ts'
import type { LeadView } from '../mail/variables/lead.ts'
import { MINUTE } from '../platform/time.ts'
import type { Batcher } from '../store/acceptance/batcher.ts'
import type { LeadOfSubmission } from '../store/lookup/lead-of-submission.ts'
import type { SentMail } from '../store/mail/record-sent.ts'
import { gatheredKind, kindOfTeamMail } from '../store/outbox/mail-steps.ts'
import type { Store } from '../store/store.ts'
import { isToPerson, subjectOf } from '../store/tasks/kinds.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { retryDelay } from './lanes/retry.ts'
import { dailyDigest, endOfDigest } from './messages/daily-digest.ts'
import { type DeliveryDependencies, deliver, type Failure, judgeFailure } from './messages/delivery.ts'
import { erasureRequestMessage } from './messages/erasure-request.ts'
import { forwardedMail } from './messages/forwarding.ts'
import { gatheredNotification } from './messages/gathered-notification.ts'
import { handOverMessage } from './messages/hand-over.ts'
import { importedNotification } from './messages/imported.ts'
import { assignmentMessage, byWhom, callAgainMessage, freshLinkMessage, mergeMessage } from './messages/lead-changes.ts'
import { personView, staffView } from './messages/message-data.ts'
import { operatorMessage } from './messages/operators.ts'
import { continueDigests, digestContent } from './messages/quarantine-digest.ts'
import { retentionContent } from './messages/retention.ts'
import { scheduleUnattendedMail, unattendedContent } from './messages/unattended.ts'
import { type FailedAttempt, reportFailure } from './messages/undelivered.ts'
import { reportContent, scheduleReports } from './messages/weekly-report.ts'
import { writtenMessage } from './messages/written-messages.ts'
import type { Notices } from './notices.ts'

export type MailDependencies = DeliveryDependencies & {
  store: Store
  config: Config
  calendar: Calendar
  addressees: Addressees
  messages: Messages
}

type SendingDependencies = MailDependencies & {
  notices: Notices
  /** Records what was sent, a batch in one commit. */
  sent: Pick<Batcher<SentMail, boolean>, 'add'>
}

/**
 * A receipt goes out at any hour, right after the student has written. After this many milliseconds, it
 * is treated like a follow-up email: it waits for the end of the quiet hours, and goes only to a new lead.
 */
const RECEIPT_IS_LATE = 30 * MINUTE

/** Why there is nothing to send: never, or not before a moment. */
type NotSent = { skip: string } | { waitUntil: number; why?: string }

/** Sends the message of one claimed task, then concludes or postpones the task. */
export async function sendFromOutbox(deps: SendingDependencies, task: Task): Promise<void> {
  const { store, clock } = deps
  const outcome = await attempt(deps, task)
  if (task.kind === 'unattended') await scheduleUnattendedMail(deps)
  if (task.kind === 'report') await scheduleReports(deps)
  if ('sentTo' in outcome) {
    // The message is sent: an error from here on is not about it.
    if (task.kind === 'digest') await continueDigests(deps, task)
    if (task.kind === 'daily') await store.endDailyNotices(task.step, endOfDigest(task, clock.now()))
    const sent = { to: outcome.sentTo.name, now: clock.now() }
    await store.recordGathered(outcome.gathered, sent)
    if (task.kind === 'message') await store.recordMessageSent(task, clock.now())
    else await deps.sent.add({ task, ...sent })
  } else if ('waitUntil' in outcome) {
    const note = outcome.why ?? 'waits for the end of the quiet hours'
    const wait = { dueAt: outcome.waitUntil, note, now: clock.now(), countsAsAttempt: false }
    await store.postponeTask(task, wait)
  } else if ('skip' in outcome) {
    const end = { state: 'skipped', note: outcome.skip, now: clock.now() } as const
    if (task.kind === 'message') await store.recordMessageUnsent(task, end)
    else await store.finishTask(task, end)
  } else {
    const lead = await leadOf(deps, task)
    if (lead) await reportFailure(deps, lead, outcome, { toStudent: isToPerson(task) })
    if (outcome.failure.final) return giveUp(deps, task, outcome.failure)
    const now = clock.now()
    const dueAt = now + retryDelay(task.attempts, Math.random())
    await store.postponeTask(task, { dueAt, note: outcome.failure.note, now })
  }
}

async function attempt(
  deps: SendingDependencies,
  task: Task,
): Promise<{ sentTo: Mailbox; gathered: readonly number[] } | NotSent | FailedAttempt> {
  let to: Mailbox | undefined
  try {
    const content = await contentOf(deps, task)
    if (!('to' in content)) return content
    const otherwise = await deps.notices.giveNotice(task, content)
    if (otherwise !== undefined) return otherwise
    to = content.to
    await deliver(deps, task, content)
    return { sentTo: to, gathered: content.gathered ?? [] }
  } catch (error) {
    return { failure: judgeFailure(deps, task, error, { toStudent: isToPerson(task) }), to }
  }
}

/** The lead that a message is about; undefined if it is gone, or the message is about none. */
async function leadOf({ store }: MailDependencies, { kind, subject }: Task) {
  const about = subjectOf(kind)
  if (about === 'submission') return (await store.readLeadOfSubmission(subject))?.lead
  const entry = about === 'entry' ? await store.readEntry(subject) : undefined
  return entry && (await store.readLatest(entry.leadId))?.lead
}

async function giveUp(deps: MailDependencies, task: Task, { note, unknownAddress }: Failure): Promise<void> {
  const { store, clock } = deps
  const end = { state: 'dead', note, now: clock.now() } as const
  // The counselor learns anyway of an address that does not exist.
  if (task.kind === 'message' && !unknownAddress) {
    await store.recordMessageUnsent(task, end)
    return
  }
  if (task.kind === 'digest') await continueDigests(deps, task)
  await store.finishTask(task, end)
}

/** The message of a task, made from what the store holds now, or why there is none. */
export async function contentOf(deps: MailDependencies, task: Task): Promise<Content | NotSent> {
  if (task.kind === 'digest') return digestContent(deps, kindOfTeamMail('digest', task.step))
  if (task.kind === 'forward' || task.kind === 'strays') return forwardedMail(deps, task)
  if (task.kind === 'unattended') return unattendedContent(deps, task)
  if (task.kind === 'report') return reportContent(deps, task)
  if (task.kind === 'imported') return importedNotification(deps, task)
  if (task.kind === 'daily') return dailyDigest(deps, task, one => contentOf(deps, one))
  if (task.kind === 'news') return eventMessage(deps, task)
  if (task.kind === 'invitation' || task.kind === 'reset') return operatorMessage(deps, task)
  if (task.kind === 'erasure') return erasureRequestMessage(deps, task)
  if (task.kind === 'hand-over') return handOverMessage(deps, task)
  if (task.kind === 'retention') return retentionContent(deps, task)
  if (task.kind === 'message') return writtenMessage(deps, task.subject)
  const gathered = gatheredKind(task)
  if (gathered !== undefined) return gatheredNotification(deps, task, gathered)
  const about = await deps.store.readLeadOfSubmission(task.subject)
  if (about === undefined) return { skip: 'the submission is gone' }
  if (task.kind !== 'notify') return receipt(deps, task, about)
  const { lead, submission } = about
  if (lead.owner !== null && lead.owner === submission.form?.entered?.by) return { skip: 'their counselor entered it' }
  return notification(deps, about)
}

/** The receipt of a student, or the notice that they already have an account. */
async function receipt(deps: MailDependencies, task: Task, about: LeadOfSubmission): Promise<Content | NotSent> {
  const { store, clock, calendar, messages, addressSecret } = deps
  const now = clock.now()
  const { stage, state } = about.lead
  const late = now - about.submission.receivedAt >= RECEIPT_IS_LATE
  const open = late ? calendar.hoursFor(state).student.open(now) : now
  if (open > now) return { waitUntil: open }
  const suppression = await store.readSuppression(suppressionHashes(addressSecret, about.lead.email))
  if (suppression) return { skip: suppressedNote(suppression.reason) }
  if (late && stage !== 'new') return { skip: `it is too late: the lead is ${stage}` }
  const view = await personView(deps, about.lead, now)
  return task.kind === 'account' ? messages.accountNotice(view) : messages.receipt(view)
}

async function notification(deps: MailDependencies, about: LeadOfSubmission): Promise<Content> {
  const view = await leadView(deps, about, about.submission.kind === 'site' ? 'team' : 'counselor')
  return about.lead.kind === 'site' ? deps.messages.siteInterest(view) : deps.messages.studentInterest(view)
}

/** The message that tells the staff about an entry of a lead's timeline. */
async function eventMessage(
  deps: MailDependencies,
  { subject, step: copy }: Task,
): Promise<Content | { skip: string }> {
  const { store, messages } = deps
  const entry = await store.readEntry(subject)
  const about = entry && (await store.readLatest(entry.leadId))
  if (!entry || !about) return { skip: 'the lead was erased' }
  if (entry.kind === 'assigned' || entry.kind === 'undone') return assignmentMessage(deps, entry, about, copy)
  if (entry.kind === 'resumed') return callAgainMessage(deps, entry, about)
  if (entry.kind === 'fresh-link') return freshLinkMessage(deps, entry, about)
  if (entry.kind === 'email') return undelivered(deps, about, entry)
  if (entry.kind === 'message') return unsent(deps, about, entry)
  if (entry.kind === 'merged') return mergeMessage(deps, entry, about, copy)
  const kind = entry.kind as EventView['event']['kind']
  const { detail: text, at, actor, mail } = entry
  const by = byWhom(actor, deps.config.settings.admissions)
  const event = { kind, text, at, recipient: null, mail, by }
  const view = await leadView(deps, about, 'counselor')
  // A counselor who writes to us about their own lead knows what they wrote; the team may not.
  const own = entry.kind === 'staff-mail' && view.actor === actor
  const team = { to: deps.addressees.team(about.lead.kind), actor: undefined }
  return messages.event({ ...view, ...(own ? team : {}), event })
}

/** Tells the author of a message to the person that it was not sent; or the counselor, if they are not in the settings. */
async function unsent(
  deps: MailDependencies,
  about: LeadOfSubmission,
  { id, actor, at, mail }: TimelineEntry,
): Promise<Content | { skip: string }> {
  const { store, clock, addressees, messages } = deps
  const reason = (await store.readMessage(id))?.unsent
  if (reason == null) return { skip: 'the message is sent after all' }
  const author = actor === null ? undefined : addressees.member(actor, about.lead.kind)
  const view = author ? staffView(deps, about, author, clock.now()) : await leadView(deps, about, 'counselor')
  const event = { kind: 'unsent' as const, text: reason, at, recipient: null, mail }
  return messages.event({ ...view, event })
}

/** Tells someone else at the school that a message to the staff does not arrive. */
async function undelivered(
  deps: MailDependencies,
  about: LeadOfSubmission,
  { detail, at }: TimelineEntry,
): Promise<Content | { skip: string }> {
  const { clock, addressees, messages } = deps
  const failed = failedDelivery(detail)
  const addressee = failed && addressees.otherMailbox(about.lead, failed.address)
  if (!failed || !addressee) return { skip: 'there is no one else to notify' }
  const view = staffView(deps, about, addressee, clock.now())
  const event = { kind: 'undelivered' as const, text: failed.reason, at, recipient: failed.name }
  return messages.event({ ...view, event })
}

async function leadView(
  deps: MailDependencies,
  about: LeadOfSubmission,
  role: 'team' | 'counselor',
): Promise<LeadView> {
  const { clock, addressees } = deps
  const { lead } = about
  const now = clock.now()
  const found = await addressees.find(lead, role, now)
  const addressee = 'to' in found ? found : { to: addressees.team(lead.kind), actor: undefined }
  return staffView(deps, about, addressee, now)
}
