/** The outbox: makes one message from what the store contains at that moment, sends it and records it. */
import type { Mailbox } from '../mail/transport/mailer.ts'
import type { Batcher } from '../store/acceptance/batcher.ts'
import type { SentMail } from '../store/mail/record-sent.ts'
import type { Lane } from '../store/tables/schema.ts'
import { isToPerson, subjectOf } from '../store/tables/task-kinds.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { continueDailyDigests, type Notices } from './browser-notices.ts'
import { isOutage } from './lanes/outage.ts'
import { retryDelay } from './lanes/retry.ts'
import { contentOf } from './messages/content-of-task.ts'
import { type DeliveryServices, deliver, type Failure, judgeFailure } from './messages/delivery.ts'
import type { MessageServices, NotSent } from './messages/message-data.ts'
import { continueDigests } from './messages/quarantine-digest.ts'
import { recordOrEnd } from './messages/record-or-end.ts'
import { scheduleUnattendedMail } from './messages/unattended.ts'
import { type FailedAttempt, reportFailure } from './messages/undelivered.ts'
import { scheduleReports, tellOfWeek } from './messages/weekly-report.ts'

export type MailServices = DeliveryServices & MessageServices

type SendingServices = MailServices & {
  notices: Notices
  /** Records what was sent, in batches of one commit each. What cannot be recorded has the error as its result. */
  sent: Pick<Batcher<SentMail, boolean | Error>, 'add'>
  wake: (lanes: readonly Lane[]) => void
}

/** Sends the message of one claimed task, then concludes or postpones the task. */
export async function sendFromOutbox(deps: SendingServices, task: Task): Promise<void> {
  const { store, clock } = deps
  const outcome = await attempt(deps, task)
  if (task.kind === 'report' && !('waitUntil' in outcome)) await tellOfWeek(deps, task)
  if (task.kind === 'unattended') await scheduleUnattendedMail(deps)
  if (task.kind === 'report') await scheduleReports(deps)
  if ('sentTo' in outcome) {
    await recordOrEnd(deps, task, () => recordSent(deps, task, outcome))
  } else if ('waitUntil' in outcome) {
    const note = outcome.why ?? 'waits for the end of the quiet hours'
    const wait = { dueAt: outcome.waitUntil, note, now: clock.now(), countsAsAttempt: false }
    await store.postponeTask(task, wait)
  } else if ('skip' in outcome) {
    const end = { state: 'skipped', note: outcome.skip, now: clock.now() } as const
    if (task.kind === 'message') await store.recordMessageUnsent(task, end)
    else await store.finishTask(task, end)
  } else {
    await fail(deps, task, outcome)
    deps.wake(['deliveries'])
  }
  if (task.kind === 'daily') await continueDailyDigests(deps, task.step)
}

/** Concludes the failure; destinations may hear about it. */
async function fail(deps: SendingServices, task: Task, outcome: FailedAttempt): Promise<void> {
  const { store, clock } = deps
  await tellOthers(deps, task, outcome)
  if (outcome.failure.final) return giveUp(deps, task, outcome.failure)
  const now = clock.now()
  const dueAt = now + retryDelay(task.attempts, Math.random(), { soon: task.kind === 'notify' })
  await store.postponeTask(task, { dueAt, note: outcome.failure.note, now })
}

/** The message is sent, so an error from here on is not about sending it. */
async function recordSent(deps: SendingServices, task: Task, { sentTo, gathered }: Sent): Promise<void> {
  const { store, clock } = deps
  if (task.kind === 'digest') await continueDigests(deps, task)
  if (task.kind === 'daily') await store.endDailyNotices(task.step, gathered)
  const sent = { to: sentTo.name, now: clock.now() }
  if (task.kind === 'notify' && gathered.length > 0) await store.recordGathered(gathered, sent)
  if (task.kind === 'message') return void (await store.recordMessageSent(task, clock.now()))
  const recorded = await deps.sent.add({ task, ...sent })
  if (recorded instanceof Error) throw recorded
}

type Sent = { sentTo: Mailbox; gathered: readonly number[] }

async function attempt(deps: SendingServices, task: Task): Promise<Sent | NotSent | FailedAttempt> {
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
    if (isOutage(error, task)) throw error
    return { failure: judgeFailure(deps, task, error, { toStudent: isToPerson(task) }), to }
  }
}

/** Tells others at the school about the failure. If that fails as well, the failure is recorded anyway. */
async function tellOthers(deps: MailServices, task: Task, failed: FailedAttempt): Promise<void> {
  try {
    const lead = await leadOf(deps, task)
    if (lead) await reportFailure(deps, lead, failed, { toStudent: isToPerson(task) })
  } catch (error) {
    if (isOutage(error, task)) throw error
    deps.log.error({ err: error, task: task.id }, 'the failure of a message could not be reported')
  }
}

/** The lead that a message is about; undefined if the lead is gone, or the message is not about one. */
async function leadOf({ store }: MailServices, { kind, subject }: Task) {
  const about = subjectOf(kind)
  if (about === 'submission') return (await store.readLeadOfSubmission(subject))?.lead
  const entry = about === 'entry' ? await store.readEntry(subject) : undefined
  return entry && (await store.readLatest(entry.leadId))?.lead
}

async function giveUp(deps: MailServices, task: Task, { note, unknownAddress }: Failure): Promise<void> {
  const { store, clock } = deps
  const end = { state: 'dead', note, now: clock.now() } as const
  // If the address does not exist, the counselor is notified anyway.
  if (task.kind === 'message' && !unknownAddress) {
    await store.recordMessageUnsent(task, end)
    return
  }
  if (task.kind === 'digest') await continueDigests(deps, task)
  await store.giveUpMail(task, { note, now: end.now })
}
