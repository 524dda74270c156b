/**
 * The staff's actions on a lead. Each action is one transaction with the lead locked, leaves an entry in
 * the timeline that says who did it, and may safely be asked for twice.
 */
import type { Kysely, Transaction } from 'kysely'
import type { Restart } from '../../follow-up/schedule.ts'
import { emailKey } from '../../leads/body/email.ts'
import { type ClosedReason, endedByItself } from '../../leads/lead/stages.ts'
import { MINUTE } from '../../platform/time.ts'
import { restartSteps } from '../follow-up/steps.ts'
import { findLead, findOpenLead, type LockedLead, lockLead } from '../leads/leads.ts'
import { addEntry, countEntries } from '../leads/timeline.ts'
import { readChangesSince } from '../lookup/lead-page.ts'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'

/**
 * `before`: it had been done before, and nothing changed. `gone`: the lead does not exist. `stale`: others have
 * changed the lead since the person saw it, and nothing changed.
 */
export type ActionResult = 'done' | 'before' | 'gone' | 'stale'

/** `duplicate`: the person has another open lead of that kind, so this one stays closed. */
export type StageResult = ActionResult | 'duplicate'

/** Who acts, and when. The actor is the id of a counselor, `manager`, or words such as `command line`. */
export type ActionContext = {
  actor: string | null
  now: number
  /** The newest entry of the timeline that the person saw. Default: it does not matter. */
  seen?: number | undefined
}

export type StageChange = {
  stage: string
  closedReason: ClosedReason | null
  /** Only from these stages; a lead that was closed automatically counts as new. */
  from?: readonly string[] | undefined
  /** The reminders and the end of the cadence, which restart for a lead that is new again. */
  restarts?: readonly Restart[] | undefined
}

/**
 * Changes the stage of a lead, and records when the person was first reached. A lead in none of the
 * stages `from` counts as changed before. Throws when the kind has no such stage.
 */
export async function changeStage(
  db: Kysely<Schema>,
  id: number,
  change: StageChange & ActionContext,
): Promise<StageResult> {
  try {
    return await changeLead(db, { id, ...change }, (tx, lead) => moveToStage(tx, lead, change))
  } catch (error) {
    // The database rejects a second open lead, also one that is opened at the same moment, which no look
    // before the change would find.
    if (change.stage !== 'closed' && (await hasAnotherOpenLead(db, id))) return 'duplicate'
    throw error
  }
}

async function hasAnotherOpenLead(db: Kysely<Schema>, id: number): Promise<boolean> {
  const lead = await findLead(db, id)
  if (lead === undefined) return false
  const other = await findOpenLead(db, { email_key: emailKey(lead.email), kind: lead.kind })
  return other !== undefined && other !== lead.id
}

/** The same for a lead that is locked. */
export async function moveToStage(
  tx: Transaction<Schema>,
  lead: LockedLead,
  { stage, closedReason, from, restarts = [], actor, now }: StageChange & ActionContext,
): Promise<ActionResult> {
  if (lead.stage === stage && lead.closed_reason === closedReason) return 'before'
  const before = endedByItself(lead.closed_reason) ? 'new' : lead.stage
  if (from !== undefined && !from.includes(before)) return 'before'
  const contact = stage === 'new' || stage === 'closed' ? null : now
  await tx
    .updateTable('leads')
    .set({
      stage,
      closed_reason: closedReason,
      stage_since: now,
      // A lead that is new again has not been reached after all.
      first_contact_at: stage === 'new' ? null : (lead.first_contact_at ?? contact),
      first_attempt_at: lead.first_attempt_at ?? contact,
      updated_at: now,
    })
    .where('id', '=', lead.id)
    .execute()
  const detail = closedReason === null ? stage : `${stage}: ${closedReason}`
  const was = {
    stage: lead.stage,
    closedReason: lead.closed_reason,
    stageSince: lead.stage_since,
    firstAttemptAt: lead.first_attempt_at,
    firstContactAt: lead.first_contact_at,
  }
  await addEntry(tx, lead.id, { at: now, kind: 'stage', detail, actor, was })
  await restartSteps(tx, lead.id, restarts, now)
  return 'done'
}

/** In milliseconds: a button pressed twice within this time is one call attempt, or one note. */
const SAME_ATTEMPT = 5 * MINUTE

/** Records an attempt to reach the person. It does not count as contact and stops nothing. */
export async function recordCallAttempt(
  db: Kysely<Schema>,
  id: number,
  { detail, actor, now }: { detail: string } & ActionContext,
): Promise<ActionResult> {
  return changeLead(db, { id }, async (tx, lead) => {
    const same = { kind: 'attempt', actor, detail, since: now - SAME_ATTEMPT } as const
    if ((await countEntries(tx, lead.id, same)) > 0) return 'before'
    await tx
      .updateTable('leads')
      .set({ first_attempt_at: lead.first_attempt_at ?? now, updated_at: now })
      .where('id', '=', lead.id)
      .execute()
    const was = { firstAttemptAt: lead.first_attempt_at }
    await addEntry(tx, lead.id, { at: now, kind: 'attempt', detail, actor, was })
    return 'done'
  })
}

/** Adds a note to a lead. */
export async function addNote(
  db: Kysely<Schema>,
  id: number,
  { text, actor, now }: { text: string } & ActionContext,
): Promise<ActionResult> {
  return changeLead(db, { id }, async (tx, lead) => {
    const same = { kind: 'note', actor, detail: text, since: now - SAME_ATTEMPT } as const
    if ((await countEntries(tx, lead.id, same)) > 0) return 'before'
    await addEntry(tx, lead.id, { at: now, kind: 'note', detail: text, actor })
    return 'done'
  })
}

/** A further request for fresh links within this time, in milliseconds, changes nothing. */
const FRESH_LINK_TIME = 10 * MINUTE

/** Asks for an email with fresh links, to the counselor, manager or team that acts. */
export async function requestFreshLink(
  db: Kysely<Schema>,
  id: number,
  { actor, now }: ActionContext,
): Promise<ActionResult> {
  return changeLead(db, { id }, async (tx, lead) => {
    const recent = { kind: 'fresh-link', actor, since: now - FRESH_LINK_TIME } as const
    if ((await countEntries(tx, lead.id, recent)) > 0) return 'before'
    const entry = await addEntry(tx, lead.id, { at: now, kind: 'fresh-link', actor })
    await addMail(tx, 'news', entry, { now })
    return 'done'
  })
}

/** Without `seen`, it does not matter what others have changed meanwhile. */
type LeadToChange = { id: number } & Partial<Pick<ActionContext, 'actor' | 'seen'>>

type Change = (tx: Transaction<Schema>, lead: LockedLead) => Promise<ActionResult>

/**
 * Changes a lead in a transaction of its own, with the lead locked. One that was merged into another, perhaps a
 * moment ago, stays as it is, and `change` gets that other.
 */
export async function changeLead(
  db: Kysely<Schema>,
  { id, actor = null, seen }: LeadToChange,
  change: Change,
): Promise<ActionResult> {
  return db.transaction().execute(async tx => {
    const lead = await lockLead(tx, id)
    if (lead === undefined) return 'gone'
    return (await isStale(tx, lead.id, { actor, seen })) ? 'stale' : change(tx, lead)
  })
}

/** Whether others have changed a lead, which is locked, since the person saw it. */
export async function isStale(
  tx: Transaction<Schema>,
  id: number,
  { actor, seen }: Pick<ActionContext, 'actor' | 'seen'>,
): Promise<boolean> {
  if (seen === undefined) return false
  return (await readChangesSince(tx, id, { seen, actor: actor ?? '' })).length > 0
}
