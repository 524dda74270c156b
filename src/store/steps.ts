/**
 * Queries on the steps of the cadence. A track of a lead has one open step at a time: whatever
 * concludes it, sent, skipped or given up, opens the next in the same transaction.
 */

import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Cadence, PlannedStep, Track } from '../follow-up/cadence.ts'
import { closingReason, type StopFacts, stopOf } from '../follow-up/stop-conditions.ts'
import type { Lead } from '../leads/lead.ts'
import { HOUR } from '../time.ts'
import { asLead } from './leads.ts'
import type { Schema } from './schema.ts'
import { readSuppression } from './suppressions.ts'
import { type ClaimedTask, deferTask, finishTask, LEASE, renewTasks, type Task } from './tasks.ts'
import { addEntry } from './timeline.ts'

export type FollowUp = {
  lead: Lead
  cadence: Cadence
  /** The moment that the cadence counts from. */
  since: number
  /** The steps that have come up so far, each with what became of it. */
  steps: Pick<Task, 'step' | 'state' | 'due_at' | 'finished_at' | 'note'>[]
}

/** The follow-up of a lead; undefined where there is no such lead, or nothing follows it up. */
export async function readFollowUp(
  db: Kysely<Schema>,
  leadId: number,
): Promise<FollowUp | undefined> {
  const row = await db
    .selectFrom('leads')
    .innerJoin('cadences', 'cadences.id', 'leads.cadence_id')
    .selectAll('leads')
    .select('cadences.steps')
    .where('leads.id', '=', leadId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const steps = await db
    .selectFrom('tasks')
    .select(['step', 'state', 'due_at', 'finished_at', 'note'])
    .where('kind', '=', 'step')
    .where('subject', '=', leadId)
    .orderBy('step')
    .execute()
  return {
    lead: asLead(row),
    cadence: JSON.parse(row.steps),
    since: row.follow_up_since ?? row.created_at,
    steps,
  }
}

/** Opens steps of a lead, each once however often it is asked for. */
export async function addSteps(
  db: Kysely<Schema>,
  leadId: number,
  steps: readonly PlannedStep[],
  now: number,
): Promise<void> {
  if (steps.length === 0) return
  await db
    .insertInto('tasks')
    .values(
      steps.map(({ step, track, dueAt }) => ({
        lane: track === 'student' ? ('letters' as const) : ('follow-up' as const),
        kind: 'step' as const,
        subject: leadId,
        step,
        through: null,
        due_at: dueAt,
        state: 'due' as const,
        attempts: 0,
        created_at: now,
      })),
    )
    .onConflict(oc => oc.columns(['kind', 'subject', 'step']).doNothing())
    .execute()
}

export type Circumstances = {
  track: Track
  /** The hash of the lead's address. */
  addressHash: string
  /** Whether the settings hold what each letter must have by law. */
  letters: boolean
  /** What comes after it on its track. */
  next: PlannedStep | undefined
  now: number
}

/**
 * What becomes of a claimed step at the moment of its doing. `go`: nothing speaks against it, and the
 * claim is held for another lease. `paused`: it waits. `skipped`: concluded, with the reason, and the
 * next is open. `lost`: the claim is no longer held, and nothing has changed.
 */
export type StepStart = 'go' | 'paused' | 'skipped' | 'lost'

/** Asks once more, with the lead locked, whether a claimed step may be done. */
export async function beginStep(
  db: Kysely<Schema>,
  task: Task,
  circumstances: Circumstances,
): Promise<StepStart> {
  return db.transaction().execute(async tx => {
    const facts = await factsUnderLock(tx, task, circumstances)
    const { now } = circumstances
    if (!(await renewTasks(tx, [task], now))) return 'lost'
    if (facts?.paused) {
      await deferTask(tx, task, { dueAt: now + PAUSE_CHECK, note: 'paused' })
      return 'paused'
    }
    const stop = facts ? stopOf(circumstances.track, facts) : ERASED
    const reason = stop ?? (await tooLate(tx, task, circumstances))
    if (reason !== undefined) {
      await finishTask(tx, task, { state: 'skipped', note: reason, now })
      if (facts) await openNext(tx, task, circumstances)
      return 'skipped'
    }
    await tx
      .updateTable('tasks')
      .set({ begun_at: task.begun_at ?? now, lease_until: now + LEASE })
      .where('id', '=', task.id)
      .execute()
    return 'go'
  })
}

/** One that was given up may be tried again on request; by then the next may be under way. */
async function tooLate(
  tx: Transaction<Schema>,
  task: Task,
  { next }: Circumstances,
): Promise<string | undefined> {
  if (task.begun_at === null || next === undefined) return undefined
  const after = await tx
    .selectFrom('tasks')
    .select('id')
    .where('kind', '=', 'step')
    .where('subject', '=', task.subject)
    .where('step', '=', next.step)
    .executeTakeFirst()
  return after && 'the next step has taken its place'
}

/** How often a paused lead's steps look whether it still is, in milliseconds. */
const PAUSE_CHECK = 6 * HOUR

const ERASED = 'the lead was erased'

/**
 * Concludes a step whose message was taken, given up, or had nobody to go to, and opens the next.
 * Returns false, and changes nothing, when the claim is no longer held.
 */
export async function concludeStep(
  db: Kysely<Schema>,
  task: Task,
  end: { state: 'done' | 'dead' | 'skipped'; note: string | null; name: string } & Pick<
    Circumstances,
    'next' | 'now'
  >,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    // It may have been erased while the message was on its way.
    const lead = await lockLeadShared(tx, task.subject)
    if (!(await finishTask(tx, task, end))) return false
    if (lead === undefined) return true
    if (end.state === 'done') {
      await addEntry(tx, task.subject, { at: end.now, kind: 'email', detail: end.name })
    }
    await openNext(tx, task, end)
    return true
  })
}

/** Closes a lead that nobody has reached to the end of the cadence, unless something speaks against it. */
export async function closeUnanswered(
  db: Kysely<Schema>,
  task: Task,
  circumstances: Circumstances,
): Promise<void> {
  const { now, track } = circumstances
  await db.transaction().execute(async tx => {
    const facts = await factsUnderLock(tx, task, circumstances)
    if (facts?.paused) {
      await deferTask(tx, task, { dueAt: now + PAUSE_CHECK, note: 'paused' })
      return
    }
    const stop = facts ? stopOf(track, facts) : ERASED
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
    }
    await openNext(tx, task, circumstances)
  })
}

export type LockedLead = Selectable<Schema['leads']>

/** The lead first, then its tasks: everybody locks in this order. */
export async function lockLead(
  tx: Transaction<Schema>,
  leadId: number,
): Promise<LockedLead | undefined> {
  return tx
    .selectFrom('leads')
    .selectAll()
    .where('id', '=', leadId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** Keeps a lead from being erased meanwhile, and waits for nobody but who erases it. */
export async function lockLeadShared(
  tx: Transaction<Schema>,
  leadId: number,
): Promise<{ id: number } | undefined> {
  return tx
    .selectFrom('leads')
    .select('id')
    .where('id', '=', leadId)
    .forKeyShare()
    .executeTakeFirst()
}

async function factsUnderLock(
  tx: Transaction<Schema>,
  task: ClaimedTask & Pick<Task, 'subject'>,
  { addressHash, letters }: Circumstances,
): Promise<StopFacts | undefined> {
  const lead = await lockLead(tx, task.subject)
  if (lead === undefined) return undefined
  const suppression = await readSuppression(tx, addressHash)
  return {
    stage: lead.stage,
    paused: lead.paused_at !== null,
    replied: lead.replied_at !== null,
    account: lead.account === 1,
    suppressed: suppression?.reason ?? null,
    letters,
  }
}

async function openNext(
  tx: Transaction<Schema>,
  task: Task,
  { next, now }: Pick<Circumstances, 'next' | 'now'>,
) {
  if (next !== undefined) await addSteps(tx, task.subject, [next], now)
}
