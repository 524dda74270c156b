/** Events by email: a reply, which may reopen the lead; a bounce; a request to stop; mail of a counselor. */
import type { Kysely, Transaction } from 'kysely'
import type { Restart } from '../../follow-up/schedule.ts'
import { endedByItself } from '../../leads/lead/stages.ts'
import { originOf } from '../../leads/lead/timeline-details.ts'
import type { EmailEventKind, MailFacts } from '../../leads/lead/timeline-entries.ts'
import { DAY } from '../../platform/time.ts'
import { fileAttachments, type NewAttachment } from '../attachments/attachments.ts'
import { beginUnanswered, endUnanswered } from '../follow-up/unanswered.ts'
import { hasOpenLead, type LockedLead, lockLead, markChanged } from '../leads/leads.ts'
import { addEntry, countEntries } from '../leads/timeline.ts'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'

export type LeadEvent = {
  kind: EmailEventKind
  detail: string
  /** Details of the email, if the event was one. */
  mail?: MailFacts
  /** The files that came with it. */
  attachments?: readonly NewAttachment[]
  /** Who at the school did it, if that was proven. */
  actor?: string
  /** Whether the staff gets an email about it (unless there were too many of that kind today). */
  tell: boolean
  /** The lead that the email was about, if that lead is merged into this one. */
  mergedFrom?: number | undefined
  /** The reminders that start again, since the person waits for an answer. */
  reminders?: Reminders | undefined
}

/** The reminders that start again. They belong to the cadence that the lead follows or, if it has none, gets now. */
export type Reminders = { cadenceId: number; restart: Restart }

/**
 * The staff gets emails about at most this many events of one kind per lead and day, so that someone who floods our
 * mailbox does not flood theirs.
 */
const MOST_A_DAY = 5

/** The kinds of events that are recorded only that often, so that they do not push everything else off the page. */
const LIMITED: readonly EmailEventKind[] = ['auto-reply', 'bounce', 'complaint', 'claim']

/**
 * Records an event of a lead, which must be locked. A reply ends the follow-up emails. Returns false, and
 * records nothing, if there were too many of the kind today.
 */
export async function recordLeadEvent(
  tx: Transaction<Schema>,
  lead: LockedLead,
  { kind, detail, tell, reminders, mail, attachments = [], actor, mergedFrom }: LeadEvent,
  now: number,
): Promise<boolean> {
  const { id } = lead
  const origin = originOf(mail)
  const many = (await countEntries(tx, id, { kind, origin, since: now - DAY })) >= MOST_A_DAY
  if (many && LIMITED.includes(kind)) return false
  const about = { detail, mail, mergedFrom, actor: actor ?? null }
  const entry = await addEntry(tx, id, { at: now, kind, ...about })
  await fileAttachments(tx, entry, attachments, now)
  if (tell && !many) await addMail(tx, 'news', entry, { now })
  if (kind === 'copy') {
    await endUnanswered(tx, lead)
    await recordContact(tx, lead, actor ?? null, now)
  }
  if (kind !== 'reply') {
    await markChanged(tx, id)
    return true
  }
  await tx.updateTable('leads').set({ replied_at: now, updated_at: now }).where('id', '=', id).execute()
  const stage = (await reopen(tx, lead, now)) ? 'new' : lead.stage
  if (lead.closed_reason !== 'spam') await waitForAnswer(tx, { ...lead, stage }, many ? undefined : reminders, now)
  return true
}

/** The person waits for an answer, and reminders start again. A lead without a cadence, if imported, gets one. */
async function waitForAnswer(
  tx: Transaction<Schema>,
  lead: LockedLead,
  reminders: Reminders | undefined,
  now: number,
): Promise<void> {
  if (reminders !== undefined && lead.cadence_id === null)
    await tx
      .updateTable('leads')
      .set({ cadence_id: reminders.cadenceId, follow_up_since: now })
      .where('id', '=', lead.id)
      .execute()
  const fits = [null, reminders?.cadenceId].includes(lead.cadence_id)
  await beginUnanswered(tx, lead, { reminders: fits ? reminders?.restart : undefined, now })
}

/** Reports that a message about a lead was not delivered to someone at the school. */
export type UndeliveredReport = {
  detail: string
  /** This report is left out if the same one was recorded since this time. */
  since: number
  /** Whether there is someone else to notify by email. */
  tell: boolean
}

/** Records such a report in the lead's timeline. */
export async function recordUndelivered(
  db: Kysely<Schema>,
  leadId: number,
  report: UndeliveredReport,
  now: number,
): Promise<void> {
  await db.transaction().execute(async tx => {
    const lead = await lockLead(tx, leadId)
    if (lead !== undefined) await addUndelivered(tx, lead, report, now)
  })
}

/** Does the same for a lead that is locked. */
export async function addUndelivered(
  tx: Transaction<Schema>,
  { id }: LockedLead,
  { detail, since, tell }: UndeliveredReport,
  now: number,
): Promise<void> {
  if ((await countEntries(tx, id, { kind: 'email', detail, since })) > 0) return
  const entry = await addEntry(tx, id, { at: now, kind: 'email', detail })
  if (tell) await addMail(tx, 'news', entry, { now })
}

/** Records that someone at the school has written to the person: the same as pressing *Reached*. */
export async function recordContact(
  tx: Transaction<Schema>,
  { id, stage, closed_reason, first_attempt_at, first_contact_at }: LockedLead,
  actor: string | null,
  now: number,
): Promise<void> {
  if (stage !== 'new' && !endedByItself(closed_reason)) return
  await tx
    .updateTable('leads')
    .set({
      stage: 'contacted',
      closed_reason: null,
      stage_since: now,
      first_attempt_at: first_attempt_at ?? now,
      first_contact_at: first_contact_at ?? now,
      updated_at: now,
    })
    .where('id', '=', id)
    .execute()
  await addEntry(tx, id, { at: now, kind: 'stage', detail: 'contacted', actor })
}

/**
 * A reply reopens a lead that was closed automatically, unless the person has another open lead. A lead that someone at
 * the school closed stays closed, since an enrolled student who says thanks is not a new lead; but the person waits for
 * an answer.
 */
async function reopen(tx: Transaction<Schema>, lead: LockedLead, now: number): Promise<boolean> {
  if (!endedByItself(lead.closed_reason) || (await hasOpenLead(tx, lead))) return false
  await tx.updateTable('leads').set({ stage: 'new', closed_reason: null }).where('id', '=', lead.id).execute()
  await addEntry(tx, lead.id, { at: now, kind: 'stage', detail: 'new: they replied' })
  return true
}
