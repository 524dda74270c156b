/**
 * The outcome of a claimed step of the cadence. Each track of a lead has one open step at a time. Whether a step was
 * sent, was skipped or has failed, the transaction that finishes it opens the next one.
 */
import type { Kysely, Transaction } from 'kysely'
import type { Track } from '../../follow-up/cadence.ts'
import type { LastCall } from '../../follow-up/last-call.ts'
import type { PlannedStep } from '../../follow-up/schedule.ts'
import { closingReason, type StopFacts, stopOf } from '../../follow-up/stop-conditions.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { HOUR } from '../../platform/time.ts'
import { recordOnce } from '../events/record-events.ts'
import { recordFailedMail } from '../leads/failed-mail.ts'
import { type LockedLead, lockExactLead, lockLeadShared, markChanged } from '../leads/leads.ts'
import { mailboxHasStep } from '../leads/leads-of-mailbox.ts'
import { addEntryOf } from '../leads/merged-leads.ts'
import { addEntry } from '../leads/timeline.ts'
import { readTried } from '../leads/tried-to-reach.ts'
import { countSent } from '../outbox/delivery-health.ts'
import type { Schema } from '../tables/schema.ts'
import { type ClaimedTask, finishTask, LEASE, postponeTask, renewTasks, type Task } from '../tasks/tasks.ts'
import { addSteps } from './steps.ts'
import { readSuppression } from './suppressions.ts'
import { addUnattendedMail } from './unattended-leads.ts'

/** What the caller knows about a step when it is due. */
export type StepContext = {
  track: Track
  /** The hashes under which the lead's address may be suppressed. */
  addressHashes: readonly string[]
  /** Whether the settings have the postal address that the law requires in each follow-up email. */
  hasPostalAddress: boolean
  /** Whether the step reminds someone other than the counselor, because the person has waited too long. Default: no. */
  late?: boolean
  /** The step after it on its track. */
  next: PlannedStep | undefined
  /** The later steps of its track that send an email. */
  laterMessages: readonly number[]
  now: number
}

/**
 * Whether a claimed step may be carried out now. `go`: nothing stops it, and the claim is held for another lease.
 * `paused`: it waits. `skipped`: it is concluded, with the reason, and the next step is open. `lost`: the claim has
 * ended, and nothing has changed.
 */
export type StepStart = 'go' | 'paused' | 'skipped' | 'lost'

/** Checks once more, with the lead locked, whether a claimed step may be carried out. */
export async function beginStep(db: Kysely<Schema>, task: Task, context: StepContext): Promise<StepStart> {
  return db.transaction().execute(async tx => {
    const facts = await factsUnderLock(tx, task, context)
    const { now } = context
    if (!(await renewTasks(tx, [task], now))) return 'lost'
    if (facts?.paused && !(facts.unanswered && context.track === 'staff')) {
      await waitForPause(tx, task, now)
      return 'paused'
    }
    const stop = facts ? stopOf(context.track, facts) : ERASED
    const reason = stop ?? (await tooLate(tx, task, context)) ?? (facts && (await doubled(tx, task, facts, context)))
    if (reason !== undefined) {
      await finishTask(tx, task, { state: 'skipped', note: reason, now })
      if (facts) await openNext(tx, task, context)
      return 'skipped'
    }
    await tx
      .updateTable('tasks')
      .set({ begun_at: task.begun_at ?? now, lease_until: now + LEASE })
      .where('id', '=', task.id)
      .execute()
    if (context.late) await recordLate(tx, task, now)
    return 'go'
  })
}

/** A step that is attempted again is the same step, even after a pause. */
const recordLate = (tx: Transaction<Schema>, { subject, step, created_at }: Task, now: number): Promise<void> =>
  recordOnce(tx, {
    type: 'lead.late',
    leadId: subject,
    at: now,
    facts: {},
    eventId: `late-${subject}-${step}-${created_at}`,
  })

/**
 * The next email may be under way if this one was rejected for days, or was retried on request. A message to the chat
 * channels does not replace an email.
 */
async function tooLate(
  tx: Transaction<Schema>,
  task: Task,
  { laterMessages, now }: StepContext,
): Promise<string | undefined> {
  if (task.begun_at === null || laterMessages.length === 0) return undefined
  const after = await tx
    .selectFrom('tasks')
    .select('id')
    .where('kind', '=', 'step')
    .where('subject', '=', task.subject)
    .where('step', 'in', laterMessages)
    .where('due_at', '<=', now)
    .executeTakeFirst()
  return after && 'the next step has taken its place'
}

/** Emails to several addresses of one mailbox count as one. One that has begun may be on its way already. */
async function doubled(
  tx: Transaction<Schema>,
  task: Task,
  { lead }: LockedFacts,
  { track, now }: StepContext,
): Promise<string | undefined> {
  if (track !== 'student' || task.begun_at !== null) return undefined
  const has = await mailboxHasStep(tx, lead, task, now)
  return has ? 'another address of the same person got it' : undefined
}

/** How often the steps of a paused lead check whether it is still paused, in milliseconds. */
const PAUSE_CHECK = 6 * HOUR

const waitForPause = (tx: Transaction<Schema>, task: Task, now: number): Promise<boolean> =>
  postponeTask(tx, task, { dueAt: now + PAUSE_CHECK, note: 'paused', now, countsAsAttempt: false })

const ERASED = 'the lead was erased'

/**
 * Concludes a step whose message was sent or given up, or had no recipient, and opens the next step. If its track
 * started over meanwhile, this only records what was sent, and the new steps stay. Returns false, and changes nothing,
 * if another worker has the step. If the lead was erased, returns true: there is nothing left to conclude.
 */
export async function concludeStep(
  db: Kysely<Schema>,
  task: Task,
  end: {
    state: 'done' | 'dead' | 'skipped'
    note: string | null
    name: string
    /** Whether the step did something other than sending an email. */
    noEmail?: boolean
    /** The name of the person or team at the school who got its message. */
    to?: string | undefined
  } & Pick<StepContext, 'next' | 'now'>,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    // The lead may have been erased while the message was on its way.
    const toPerson = task.lane === 'letters'
    const lead = await (toPerson ? lockExactLead : lockLeadShared)(tx, task.subject)
    const sent = end.state === 'done' && !end.noEmail
    const finished = await finishTask(tx, task, { ...end, note: sent && !toPerson ? (end.to ?? null) : end.note })
    if (lead === undefined) return true
    if (!finished && (await exists(tx, task))) return false
    if (sent) {
      const mail = toPerson ? { toPerson } : { ...(end.to !== undefined && { to: end.to }) }
      await addEntryOf(tx, lead, { at: end.now, kind: 'email', detail: end.name, mail })
      if (toPerson) await markChanged(tx, lead.merged_into ?? lead.id)
    }
    // Only a message that we tried to send has begun; lists of messages leave others out.
    if (end.noEmail) await tx.updateTable('tasks').set({ begun_at: null }).where('id', '=', task.id).execute()
    if (finished) await openNext(tx, task, end)
    if (end.state === 'dead') await recordFailedMail(tx, lead.merged_into ?? lead.id, task, end.now)
    if (sent) await countSent(tx, [{ task, now: end.now }])
    return true
  })
}

async function exists(tx: Transaction<Schema>, { id }: Task): Promise<boolean> {
  const row = await tx.selectFrom('tasks').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}

/**
 * Closes a lead that no one has reached by the end of the cadence, unless something stops it. A lead that no one has
 * even tried to reach stays open until the mail about unattended leads has named it. After it is closed, the next such
 * mail names it again.
 */
export async function closeUnanswered(
  db: Kysely<Schema>,
  task: Task,
  context: StepContext & { lastCall: LastCall },
): Promise<void> {
  const { now, track, lastCall } = context
  await db.transaction().execute(async tx => {
    const facts = await factsUnderLock(tx, task, context)
    // A lead stays open if its person was promised a call or waits for an answer. If the person has replied, this step
    // has already ended.
    const waits = facts?.paused || facts?.lead.callback_at != null || (facts?.unanswered && !facts.replied)
    if (facts && waits) {
      await waitForPause(tx, task, now)
      return
    }
    const stop = facts ? stopOf(track, facts) : ERASED
    const warned = facts?.closingAt != null && facts.closingAt <= now
    if (facts && stop === undefined && !facts.tried && !warned) {
      await warnFirst(tx, task, facts, lastCall, now)
      return
    }
    const end = { state: stop ? 'skipped' : 'done', note: stop ?? null, now } as const
    if (!(await finishTask(tx, task, end)) || facts === undefined) return
    if (stop === undefined) {
      const reason = closingReason(facts)
      await tx
        .updateTable('leads')
        .set({ stage: 'closed', closed_reason: reason, updated_at: now })
        .where('id', '=', task.subject)
        .execute()
      await addEntry(tx, task.subject, { at: now, kind: 'stage', detail: `closed: ${reason}` })
      if (reason === 'never contacted')
        await addUnattendedMail(tx, { kind: facts.kind, morning: lastCall.morning, now })
    }
    await openNext(tx, task, context)
  })
}

/** Postpones the close of a lead until someone has been warned and has had time to act. */
async function warnFirst(
  tx: Transaction<Schema>,
  task: Task,
  { kind, closingAt }: LockedFacts,
  lastCall: LastCall,
  now: number,
): Promise<void> {
  const note = 'no one has tried to reach them: the manager is notified first'
  // A warning that names a later moment than this was made by a clock that was ahead.
  const dueAt = Math.min(closingAt ?? Number.POSITIVE_INFINITY, lastCall.closingAt)
  if (!(await postponeTask(tx, task, { dueAt, note, now, countsAsAttempt: false }))) return
  if (closingAt === dueAt) return
  await tx.updateTable('leads').set({ closing_at: dueAt, updated_at: now }).where('id', '=', task.subject).execute()
  await addEntry(tx, task.subject, { at: now, kind: 'closing' })
  await addUnattendedMail(tx, { kind, morning: lastCall.morning, now })
}

type LockedFacts = StopFacts & { lead: LockedLead; kind: Kind; closingAt: number | null }

async function factsUnderLock(
  tx: Transaction<Schema>,
  task: ClaimedTask & Pick<Task, 'subject'>,
  { addressHashes, hasPostalAddress }: StepContext,
): Promise<LockedFacts | undefined> {
  // A lead that was merged into another is closed, and its own steps stop.
  const lead = await lockExactLead(tx, task.subject)
  if (lead === undefined) return undefined
  const suppression = await readSuppression(tx, addressHashes)
  return {
    lead,
    kind: lead.kind,
    closingAt: lead.closing_at,
    tried: await readTried(tx, task.subject),
    stage: lead.stage,
    // Only the follow-up of a new lead can be paused. The pause is kept in case the lead becomes new again.
    paused: lead.paused_at !== null && lead.stage === 'new',
    replied: lead.replied_at !== null,
    unanswered: lead.unanswered_since !== null,
    account: lead.account === 1,
    suppressed: suppression?.reason ?? null,
    hasAddress: lead.email !== null,
    hasPostalAddress,
  }
}

async function openNext(tx: Transaction<Schema>, task: Task, { next, now }: Pick<StepContext, 'next' | 'now'>) {
  if (next !== undefined) await addSteps(tx, task.subject, [next], now)
}
