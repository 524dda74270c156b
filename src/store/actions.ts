/**
 * What people do with a lead: each is one transaction with the lead locked, leaves an entry in the
 * timeline that says who did it, and may be asked for twice.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { ClosedReason } from '../leads/stages.ts'
import { addMail } from './outbox.ts'
import type { Schema } from './schema.ts'
import {
  type LockedLead,
  lockLead,
  moveSteps,
  type PlannedStep,
  type Restart,
  restartSteps,
} from './steps.ts'
import { addEntry } from './timeline.ts'

/** `before`: it was so already, nothing changed. `gone`: there is no such lead. */
export type Acted = 'done' | 'before' | 'gone'

type By = { actor: string | null; now: number }

/**
 * Moves a lead to a stage, and keeps when somebody first reached them. `from` restricts it to leads in
 * that stage; others count as moved before. Throws where the person has another open lead by now, or
 * the kind has no such stage.
 */
export async function moveLead(
  db: Kysely<Schema>,
  id: number,
  to: { stage: string; closedReason: ClosedReason | null; from?: string | undefined } & By,
): Promise<Acted> {
  return changeLead(db, id, async (tx, lead) => {
    const { stage, closedReason, from, actor, now } = to
    if (lead.stage === stage && lead.closed_reason === closedReason) return 'before'
    if (from !== undefined && lead.stage !== from) return 'before'
    const contact = stage === 'new' || stage === 'closed' ? lead.first_contact_at : now
    await tx
      .updateTable('leads')
      .set({
        stage,
        closed_reason: closedReason,
        first_contact_at: lead.first_contact_at ?? contact,
        first_attempt_at: lead.first_attempt_at ?? contact,
        updated_at: now,
      })
      .where('id', '=', id)
      .execute()
    const detail = closedReason === null ? stage : `${stage}: ${closedReason}`
    await addEntry(tx, id, { at: now, kind: 'stage', detail, actor })
    return 'done'
  })
}

/** Gives a lead to a counselor, or with null to the team. */
export async function assignLead(
  db: Kysely<Schema>,
  id: number,
  { owner, actor, now }: { owner: string | null } & By,
): Promise<Acted> {
  return changeLead(db, id, async (tx, lead) => {
    if (lead.owner === owner) return 'before'
    await tx.updateTable('leads').set({ owner, updated_at: now }).where('id', '=', id).execute()
    const detail = owner === null ? 'the team' : owner
    await addEntry(tx, id, { at: now, kind: 'assigned', detail, actor })
    return 'done'
  })
}

/** Notes a try to reach somebody. It is no contact, and stops nothing. */
export async function recordAttempt(
  db: Kysely<Schema>,
  id: number,
  { detail, actor, now }: { detail: string } & By,
): Promise<Acted> {
  return changeLead(db, id, async (tx, lead) => {
    await tx
      .updateTable('leads')
      .set({ first_attempt_at: lead.first_attempt_at ?? now, updated_at: now })
      .where('id', '=', id)
      .execute()
    await addEntry(tx, id, { at: now, kind: 'attempt', detail, actor })
    return 'done'
  })
}

/** Writes something down about a lead. */
export async function noteLead(
  db: Kysely<Schema>,
  id: number,
  { text, actor, now }: { text: string } & By,
): Promise<Acted> {
  return changeLead(db, id, async tx => {
    await addEntry(tx, id, { at: now, kind: 'note', detail: text, actor })
    return 'done'
  })
}

/** Lets the follow-up of a lead rest until it is resumed. */
export async function pauseLead(
  db: Kysely<Schema>,
  id: number,
  { actor, now }: By,
): Promise<Acted> {
  return changeLead(db, id, async (tx, lead) => {
    if (lead.paused_at !== null) return 'before'
    await tx
      .updateTable('leads')
      .set({ paused_at: now, updated_at: now })
      .where('id', '=', id)
      .execute()
    await addEntry(tx, id, { at: now, kind: 'paused', actor })
    return 'done'
  })
}

/**
 * Takes the follow-up of a lead up again where it rested: from now on it counts from `since`, and its
 * open steps are due at the moments given, which the caller has worked out from there.
 */
export async function resumeLead(
  db: Kysely<Schema>,
  id: number,
  { since, steps, actor, now }: { since: number; steps: readonly PlannedStep[] } & By,
): Promise<Acted> {
  return changeLead(db, id, async (tx, lead) => {
    if (lead.paused_at === null) return 'before'
    await tx
      .updateTable('leads')
      .set({ paused_at: null, follow_up_since: since, updated_at: now })
      .where('id', '=', id)
      .execute()
    await moveSteps(tx, id, steps)
    await addEntry(tx, id, { at: now, kind: 'resumed', actor })
    return 'done'
  })
}

/** What came from the lead's side: an answer, a message that came back, a wish. */
export type News = {
  kind: 'reply' | 'auto-reply' | 'bounce' | 'complaint' | 'unsubscribed' | 'not-me'
  detail: string
  /** Whether the staff is told by e-mail. */
  tell: boolean
  /** The reminders that begin again, since somebody waits for an answer. */
  restart?: Restart | undefined
}

/** Writes down what came from the lead's side, which is locked. An answer ends the letters. */
export async function recordNews(
  tx: Transaction<Schema>,
  lead: LockedLead,
  { kind, detail, tell, restart }: News,
  now: number,
): Promise<void> {
  const { id } = lead
  const entry = await addEntry(tx, id, { at: now, kind, detail })
  if (tell) await addMail(tx, 'news', entry, { now })
  if (kind !== 'reply') return
  await tx
    .updateTable('leads')
    .set({ replied_at: now, updated_at: now })
    .where('id', '=', id)
    .execute()
  const waiting = lead.stage === 'new' || (await reopen(tx, lead, now))
  if (waiting && restart !== undefined) await restartSteps(tx, id, restart, now)
}

/** Who answers after all is a lead again, unless it was people who closed it, or there is a new one. */
async function reopen(tx: Transaction<Schema>, lead: LockedLead, now: number): Promise<boolean> {
  if (!ENDED_BY_ITSELF.includes(lead.closed_reason ?? '')) return false
  const other = await tx
    .selectFrom('leads')
    .select('id')
    .where('email_key', '=', lead.email_key)
    .where('kind', '=', lead.kind)
    .where('stage', '<>', sql.lit('closed'))
    .executeTakeFirst()
  if (other !== undefined) return false
  await tx
    .updateTable('leads')
    .set({ stage: 'new', closed_reason: null })
    .where('id', '=', lead.id)
    .execute()
  await addEntry(tx, lead.id, { at: now, kind: 'stage', detail: 'new: they answered' })
  return true
}

/** The reasons that the end of a cadence gives. */
const ENDED_BY_ITSELF = ['no reply', 'unsubscribed', 'unreachable']

type Change = (tx: Transaction<Schema>, lead: LockedLead) => Promise<Acted>

async function changeLead(db: Kysely<Schema>, id: number, change: Change): Promise<Acted> {
  return db.transaction().execute(async tx => {
    const lead = await lockLead(tx, id)
    return lead === undefined ? 'gone' : change(tx, lead)
  })
}
