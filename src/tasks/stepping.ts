/**
 * Stepping: carries out one step of a lead's cadence when it is due. The store checks again, at the last moment,
 * whether it may still happen. When the step was sent, skipped or given up, the next step opens.
 */
import {
  type ChatStep,
  type ClosingStep,
  laterMessages,
  type MessageStep,
  recipientOf,
  type Step,
  stepAt,
  templateOf,
  trackOf,
} from '../follow-up/cadence.ts'
import { lastCallAfter } from '../follow-up/last-call.ts'
import { closingMoment, nextStep, type PlannedStep } from '../follow-up/schedule.ts'
import { suppressionHashes } from '../leads/body/mailbox-key.ts'
import type { Content } from '../mail/messages.ts'
import type { Addressee } from '../mail/staff-addressees.ts'
import type { Mailbox } from '../mail/transport/mailer.ts'
import { HOUR, SECOND } from '../platform/time.ts'
import type { StepContext } from '../store/follow-up/claimed-steps.ts'
import type { FollowUp } from '../store/follow-up/steps.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { isOutage } from './lanes/outage.ts'
import { isTimeToGiveUp, retryDelay } from './lanes/retry.ts'
import { deliver, type Failure, judgeFailure } from './messages/delivery.ts'
import { personView, staffView } from './messages/message-data.ts'
import { recordOrEnd } from './messages/record-or-end.ts'
import { type FailedAttempt, reportFailure } from './messages/undelivered.ts'
import type { MailServices } from './outbox.ts'

const BROKEN = 'the step failed; the log says why'

/** Carries out the step of one claimed task, then concludes or postpones the task. */
export async function takeStep(deps: MailServices, task: Task): Promise<void> {
  try {
    await takeStepInHours(deps, task)
  } catch (error) {
    if (isOutage(error, task)) throw error
    await retryBroken(deps, task, error)
  }
}

async function takeStepInHours(deps: MailServices, task: Task): Promise<void> {
  const { store, clock, calendar } = deps
  const now = clock.now()
  const followUp = await store.readFollowUp(task.subject)
  const step = followUp?.cadence[task.step]
  if (followUp === undefined || step === undefined) {
    await store.finishTask(task, { state: 'skipped', note: 'the lead was erased', now })
    return
  }
  // A step that is late, or is attempted again, keeps to its hours like any other.
  const open = calendar.hoursFor(followUp.lead)[step.clock].open(now)
  if (open > now) {
    const note = `waits for the hours of the ${step.clock}`
    await store.postponeTask(task, { dueAt: open, note, now, countsAsAttempt: false })
    return
  }
  if ('close' in step) await closeLead(deps, task, followUp, step)
  else if ('channel' in step) await tellChat(deps, task, followUp, step)
  else await sendMessage(deps, task, followUp, step)
}

async function closeLead(deps: MailServices, task: Task, followUp: FollowUp, step: ClosingStep): Promise<void> {
  const { store, clock, calendar } = deps
  const now = clock.now()
  const hours = calendar.hoursFor(followUp.lead)
  const from = closingMoment(followUp, task.step, hours) ?? now + HOUR
  if (from > now) {
    const note = 'waits for the other steps'
    await store.postponeTask(task, { dueAt: from, note, now, countsAsAttempt: false })
    return
  }
  const context = stepContext(deps, task, followUp, step)
  await store.closeUnanswered(task, { ...context, lastCall: lastCallAfter(now, calendar) })
}

/** The store records the event when the step begins, so a further attempt does not record it again. */
async function tellChat(deps: MailServices, task: Task, followUp: FollowUp, step: ChatStep): Promise<void> {
  const { store } = deps
  if ((await store.beginStep(task, stepContext(deps, task, followUp, step))) !== 'go') return
  const hearing = (await store.listDestinations()).some(
    ({ events, off }) => off === undefined && events.includes('lead.late'),
  )
  const end = hearing
    ? ({ state: 'done', note: null } as const)
    : ({ state: 'skipped', note: 'no destination that is on gets lead.late' } as const)
  await conclude(deps, task, followUp, end)
}

async function sendMessage(deps: MailServices, task: Task, followUp: FollowUp, step: MessageStep): Promise<void> {
  const { store } = deps
  if (await waitsForNotification(deps, task, step)) return
  const context = stepContext(deps, task, followUp, step)
  if ((await store.beginStep(task, context)) !== 'go') return
  const begun = { ...task, begun_at: task.begun_at ?? context.now }
  const outcome = await attempt(deps, begun, step, followUp)
  if ('sentTo' in outcome) {
    const to = step.to === 'student' ? undefined : outcome.sentTo.name
    await recordOrEnd(deps, task, () => conclude(deps, task, followUp, { state: 'done', note: null, to }))
  } else if ('skip' in outcome) {
    await conclude(deps, task, followUp, { state: 'skipped', note: outcome.skip })
  } else {
    const { failure } = outcome
    await reportFailure(deps, followUp.lead, outcome, { toStudent: step.to === 'student' })
    if (failure.final) await conclude(deps, task, followUp, { state: 'dead', note: failure.note })
    else await retry(deps, task, context, failure)
  }
}

/**
 * After an outage, a reminder lets the notification of its lead go first. It waits once before each attempt. If the
 * notification fails again, the reminder does not wait longer, since it may reach someone else.
 */
async function waitsForNotification({ store, clock }: MailServices, task: Task, step: MessageStep): Promise<boolean> {
  if (step.to === 'student' || task.note === WAITS) return false
  if (!(await store.hurryNotifications(task.subject))) return false
  const now = clock.now()
  const wait = { dueAt: now + NOTIFICATION_FIRST, note: WAITS, now, countsAsAttempt: false }
  await store.postponeTask(task, wait)
  return true
}

const WAITS = 'waits for the notification'

/** Enough for the notification to be sent by any worker, in milliseconds. */
const NOTIFICATION_FIRST = 15 * SECOND

async function attempt(
  deps: MailServices,
  task: Task,
  step: MessageStep,
  followUp: FollowUp,
): Promise<{ sentTo: Mailbox } | { skip: string } | FailedAttempt> {
  let to: Mailbox | undefined
  try {
    const content = await stepContentOf(deps, task, step, followUp)
    if ('skip' in content) return content
    to = content.to
    await deliver(deps, task, content)
    return { sentTo: to }
  } catch (error) {
    if (isOutage(error, task)) throw error
    return { failure: judgeFailure(deps, task, error, { toStudent: step.to === 'student' }), to }
  }
}

/** The message of a step, made from what the store contains now, or why there is none. */
export async function stepContentOf(
  deps: MailServices,
  task: Task,
  step: MessageStep,
  followUp: FollowUp,
): Promise<Content | { skip: string }> {
  const { lead, cadence } = followUp
  const { store, clock, addressees, messages, addressSecret } = deps
  const now = clock.now()
  if (step.to === 'student') {
    const view = await personView(deps, lead, now)
    return 'skip' in view ? view : messages.letter(step.message, view)
  }
  const last = laterMessages(cadence, task.step).length === 0
  const addressee = await addressees.find(lead, step.to, now, { last })
  if ('skip' in addressee) return addressee
  if (step.to === 'backup' && (await wasReminded(deps, followUp, task.step, addressee)))
    return { skip: 'they have been reminded in place of the counselor' }
  const latest = await store.readLatest(lead.id)
  if (latest === undefined) return { skip: 'the lead was erased' }
  const suppression = await store.readSuppression(suppressionHashes(addressSecret, lead.email))
  return messages.reminder(step.message, {
    ...staffView(deps, latest, addressee, now),
    role: step.to,
    waiting: now - (lead.unansweredSince ?? lead.createdAt),
    attempts: latest.attempts,
    tried: latest.tried,
    suppressed: suppression?.reason ?? null,
  })
}

/**
 * Whether the person who should take over already got the reminder, because the counselor was away. Otherwise, if a
 * counselor has no backup, the team would get the same email twice within minutes. The recorded recipient of that
 * reminder decides, since absences may have been entered later.
 */
async function wasReminded(
  { store }: MailServices,
  { lead, cadence, steps }: FollowUp,
  index: number,
  { to }: Addressee,
): Promise<boolean> {
  const last = steps.findLast(({ step, state }) => {
    const one = cadence[step]
    return step < index && state === 'done' && one !== undefined && trackOf(one) === 'staff' && 'message' in one
  })
  const step = last && cadence[last.step]
  if (step === undefined || !('to' in step) || step.to !== 'counselor') return false
  return (await store.readReminded(lead.id, step.name)) === to.name
}

/**
 * The mail server may reject a step for days. It must not hold up the next step, which often goes to another person:
 * that step opens now, and replaces this one when it is due if it sends an email.
 */
async function retry(
  { store, clock }: MailServices,
  task: Task,
  { next, now }: StepContext,
  { note, rejected, unknownAddress }: Failure,
): Promise<void> {
  if (next !== undefined && (rejected || unknownAddress)) {
    await store.openStep(task.subject, next, now)
  }
  const failedAt = clock.now()
  const dueAt = failedAt + retryDelay(task.attempts, Math.random())
  await store.postponeTask(task, { dueAt, note, now: failedAt })
}

/** A step that fails before its message exists is retried, and listed, like a message. */
async function retryBroken({ store, clock, log }: MailServices, task: Task, error: unknown): Promise<void> {
  log.error({ err: error, task: task.id, lead: task.subject }, 'a step failed')
  const now = clock.now()
  const since = task.begun_at ?? now
  if (isTimeToGiveUp(since, task.attempts, now)) {
    await store.finishTask(task, { state: 'dead', note: BROKEN, now })
  } else {
    const dueAt = now + retryDelay(task.attempts, Math.random())
    await store.postponeTask(task, { dueAt, note: BROKEN, now, begunAt: since })
  }
}

/** The data that is needed to conclude a step without carrying it out. */
export type Concluding = Pick<MailServices, 'store' | 'clock' | 'calendar' | 'log'>

/**
 * Concludes a claimed step without carrying it out, for the reason in `note`, and opens the next one. For a step that
 * closes its lead, returns false and leaves the claim.
 */
export async function skipStep(deps: Concluding, task: Task, note: string): Promise<boolean> {
  const followUp = await deps.store.readFollowUp(task.subject)
  const step = followUp?.cadence[task.step]
  if (followUp === undefined || step === undefined || 'close' in step) return false
  await conclude(deps, task, followUp, { state: 'skipped', note })
  return true
}

async function conclude(
  deps: Concluding,
  task: Task,
  followUp: FollowUp,
  end: { state: 'done' | 'dead' | 'skipped'; note: string | null; to?: string | undefined },
): Promise<void> {
  const { store, clock, log } = deps
  const now = clock.now()
  const step = stepAt(followUp.cadence, task.step)
  const next = nextOf(deps, task, followUp, { sent: end.state === 'done' })
  const noEmail = templateOf(step) === undefined
  const concluded = await store.concludeStep(task, { ...end, name: step.name, noEmail, next, now })
  if (!concluded) log.warn({ task: task.id }, 'another worker has concluded a step')
}

function stepContext(deps: MailServices, task: Task, followUp: FollowUp, step: Step): StepContext {
  const { clock, config, addressSecret } = deps
  return {
    track: trackOf(step),
    late: ['backup', 'manager', 'chat'].includes(recipientOf(step) ?? ''),
    addressHashes: suppressionHashes(addressSecret, followUp.lead.email),
    hasPostalAddress: config.settings.school.postalAddress !== undefined,
    next: nextOf(deps, task, followUp, { sent: false }),
    laterMessages: laterMessages(followUp.cadence, task.step),
    now: clock.now(),
  }
}

/** Reminders about someone who waits for an answer count from the moment that they wrote. */
function nextOf(
  { clock, calendar }: Pick<Concluding, 'clock' | 'calendar'>,
  { step: index }: Task,
  followUp: FollowUp,
  { sent }: { sent: boolean },
): PlannedStep | undefined {
  const { cadence, lead, since } = followUp
  const isReminder = trackOf(stepAt(cadence, index)) === 'staff'
  const counted = isReminder ? { ...followUp, since: Math.max(since, lead.unansweredSince ?? since) } : followUp
  return nextStep(counted, index, { sent, now: clock.now(), hours: calendar.hoursFor(lead) })
}
