/**
 * Emails that someone at the school writes to a person. Each is an entry of the timeline from the moment
 * it is written, and a task that sends it; the state of the task is the state of its delivery.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Lead } from '../../leads/lead/lead.ts'
import type { TimelineEntry, TimelineKind } from '../../leads/lead/timeline-entries.ts'
import { type ActionContext, type Changed, changeLead, concludeChange } from '../actions/change-lead.ts'
import { fileAttachments, listUploads } from '../attachments/attachments.ts'
import {
  ANSWERS_WITHIN,
  answerEarlier,
  endUnanswered,
  resumeUnanswered,
  stopReminders,
} from '../follow-up/unanswered.ts'
import { recordFailedMail } from '../leads/failed-mail.ts'
import { renewLastActivity } from '../leads/last-activity.ts'
import { asLead, type LockedLead, lockLead } from '../leads/leads.ts'
import { addEntry, readEntry } from '../leads/timeline.ts'
import { readChangesSince } from '../lookup/history-counts.ts'
import { countSent } from '../outbox/delivery-health.ts'
import { assignmentCopies } from '../outbox/mail-steps.ts'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { messagesAbout } from '../tasks/messages-about.ts'
import { finishTask, hasNoClaim, NO_LEASE, type Task } from '../tasks/tasks.ts'
import { recordContact } from './person-events.ts'

export type NewMessage = {
  subject: string
  text: string
  /** The Message-ID that it replies to; undefined if there is none. */
  answers: string | undefined
  /** Whether the person counts as reached once it is sent. */
  reached: boolean
  /** Identifies one form: it is the same each time its button is pressed. */
  token: string
  dueAt: number
  /** The operator who writes it, and whose uploads for this lead are sent with it. */
  operatorId?: number | undefined
}

/**
 * `entry` is the entry of the timeline, even if the message had been written before. `stale`: the person or a colleague
 * has written since the author saw the lead, and nothing was written.
 */
export type WrittenMessage =
  | { outcome: 'done' | 'before'; lead: Lead; entry: number }
  | { outcome: 'closed' | 'stale'; lead: Lead }
  | { outcome: 'gone' }

/**
 * Puts a message to the person of a lead into the outbox, only once for each combination of token and text: one draft
 * in two tabs has one token, and the texts may come to differ. A message that was canceled is written again. If the
 * person waits for an answer, even if their lead is closed, the message answers them: immediately if it will be sent
 * within ANSWERS_WITHIN, otherwise when it is sent.
 */
export async function writeMessage(
  db: Kysely<Schema>,
  leadId: number,
  { subject, text, answers, reached, token, dueAt, operatorId, ...by }: NewMessage & ActionContext,
): Promise<WrittenMessage> {
  const { actor, now } = by
  return db.transaction().execute(async tx => {
    const lead = await lockLead(tx, leadId)
    if (lead === undefined) return { outcome: 'gone' }
    const known = await findWritten(tx, lead.id, { token, subject, text })
    if (known !== undefined) return { outcome: 'before', lead: asLead(lead), entry: known }
    if (lead.stage === 'closed' && lead.unanswered_since === null) return { outcome: 'closed', lead: asLead(lead) }
    if (await hasNewEmail(tx, lead.id, by)) return { outcome: 'stale', lead: asLead(lead) }
    const answered = dueAt - now > ANSWERS_WITHIN ? {} : await endUnanswered(tx, lead)
    if (answered.unansweredSince !== undefined && lead.stage === 'new') await stopReminders(tx, lead.id, now)
    const entry = await addEntry(tx, lead.id, {
      at: now,
      kind: 'message',
      detail: text,
      actor,
      mail: {
        subject,
        token,
        ...(answers && { answers }),
        ...(reached && { reached }),
        ...(operatorId && { operator: operatorId }),
      },
      was: { ...answered, ...(lead.stage === 'closed' && { stage: 'closed' }) },
    })
    if (operatorId !== undefined) await fileUploads(tx, { leadId, operatorId, entry, now })
    await tx
      .insertInto('tasks')
      .values({
        lane: 'messages',
        kind: 'message',
        subject: entry,
        step: 0,
        through: null,
        due_at: dueAt,
        state: 'due',
        attempts: 0,
        note: null,
        created_at: now,
      })
      .execute()
    return { ...(await concludeChange(tx, lead, { ...by, entry })), entry }
  })
}

/** Whether the person or a colleague has written since the author saw the lead. */
const hasNewEmail = async (tx: Kysely<Schema>, leadId: number, { actor, seen }: ActionContext): Promise<boolean> =>
  seen !== undefined &&
  (await readChangesSince(tx, leadId, { seen, actor: actor ?? '' })).some(({ kind }) => WRITTEN.includes(kind))

const WRITTEN: readonly TimelineKind[] = ['submission', 'reply', 'message', 'copy']

/** Files the uploads that were made for the form's lead, even if that lead has been merged into another by now. */
async function fileUploads(
  tx: Transaction<Schema>,
  { leadId, operatorId, entry, now }: { leadId: number; operatorId: number; entry: number; now: number },
): Promise<void> {
  const uploads = await listUploads(tx, leadId, operatorId)
  await fileAttachments(
    tx,
    entry,
    uploads.map(({ id }) => ({ stored: id })),
    now,
  )
}

async function findWritten(
  db: Kysely<Schema>,
  leadId: number,
  { token, subject, text }: Pick<NewMessage, 'token' | 'subject' | 'text'>,
): Promise<number | undefined> {
  const rows = await db
    .selectFrom('timeline')
    .select(['id', 'mail'])
    .where('lead_id', '=', leadId)
    .where('kind', '=', sql.lit('message'))
    .where('detail', '=', text)
    .where('undone_at', 'is', null)
    .orderBy('id', 'desc')
    .execute()
  return rows.find(({ mail }) => {
    const written = JSON.parse(mail ?? '{}')
    return written.token === token && written.subject === subject
  })?.id
}

/**
 * Cancels a message that has not been sent. `before`: it was already canceled, or it is too late, since it was sent or
 * is being sent. `gone`: the message does not exist.
 */
export async function cancelMessage(
  db: Kysely<Schema>,
  entryId: number,
  { audit, now }: Omit<ActionContext, 'actor'>,
): Promise<Changed> {
  const entry = await readEntry(db, entryId)
  if (entry?.kind !== 'message') return { outcome: 'gone' }
  return changeLead(db, { id: entry.leadId, audit }, async (tx, lead) => {
    if (!(await skipMessage(tx, entryId, { note: 'canceled', now }))) return 'before'
    await tx.updateTable('timeline').set({ undone_at: now }).where('id', '=', entryId).execute()
    await waitAgain(tx, lead, entry)
    await renewLastActivity(tx, lead.id)
    return undefined
  })
}

/** Skips a message that has not been sent. Returns false if it is too late. */
export async function skipMessage(
  tx: Transaction<Schema>,
  entryId: number,
  { note, now }: { note: string; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('tasks')
    .set({ state: 'skipped', note, finished_at: now, ...NO_LEASE })
    .where('kind', '=', sql.lit('message'))
    .where('subject', '=', entryId)
    .where('state', '=', sql.lit('due'))
    .where(hasNoClaim(now))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The person waits again for an answer, since this one was not sent, unless someone has closed the lead meanwhile. */
export async function waitAgain(tx: Transaction<Schema>, lead: LockedLead, entry: TimelineEntry): Promise<void> {
  const { stage, unansweredSince } = entry.was ?? {}
  const ended = lead.stage === 'closed' && stage !== 'closed'
  if (unansweredSince !== undefined && !ended) await resumeUnanswered(tx, lead, unansweredSince, entry)
}

/**
 * Concludes the task of a message that is not sent, and has its author notified, and the counselor if that is someone
 * else. Returns false, and changes nothing, when the claim has ended.
 */
export async function recordMessageUnsent(
  db: Kysely<Schema>,
  task: Task,
  { state, note, now }: { state: 'skipped' | 'dead'; note: string; now: number },
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const entry = await readEntry(tx, task.subject)
    // The lead is locked before the task, as everywhere.
    const lead = entry && (await lockLead(tx, entry.leadId))
    if (!(await finishTask(tx, task, { state, note, now }))) return false
    if (entry === undefined || lead === undefined) return true
    await waitAgain(tx, lead, entry)
    for (const step of [assignmentCopies.owner, assignmentCopies.formerOwner])
      await addMail(tx, 'news', entry.id, { step, now })
    if (state === 'dead') await recordFailedMail(tx, lead.id, task, now)
    return true
  })
}

/** A message by its entry, with its lead as it is now, and why it was not sent; undefined if it is gone. */
export async function readMessage(
  db: Kysely<Schema>,
  entryId: number,
): Promise<{ entry: TimelineEntry; lead: Lead; unsent: string | null } | undefined> {
  const entry = await readEntry(db, entryId)
  if (entry?.kind !== 'message') return undefined
  const task = await db
    .selectFrom('tasks')
    .select(['state', 'note'])
    .where('kind', '=', sql.lit('message'))
    .where('subject', '=', entryId)
    .executeTakeFirst()
  const ended = task?.state === 'skipped' || task?.state === 'dead'
  const row = await db.selectFrom('leads').selectAll().where('id', '=', entry.leadId).executeTakeFirst()
  return row && { entry, lead: asLead(row), unsent: ended ? (task?.note ?? null) : null }
}

/**
 * Concludes the task of a message that the mail server has accepted. The message was an attempt to reach the person; if
 * its author said so, the person counts as reached. Returns false, and changes nothing, if the claim is no longer held.
 */
export async function recordMessageSent(db: Kysely<Schema>, task: Task, now: number): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const entry = await readEntry(tx, task.subject)
    // The lead is locked before the task, as everywhere.
    const lead = entry && (await lockLead(tx, entry.leadId))
    if (!(await finishTask(tx, task, { state: 'done', note: null, now }))) return false
    if (entry === undefined || lead === undefined) return true
    // It may have been written for a day far away, or have failed for long.
    await answerEarlier(tx, lead, entry.id, now)
    if (entry.mail?.reached) await recordContact(tx, lead, entry.actor, now)
    await tx
      .updateTable('leads')
      .set(eb => ({ first_attempt_at: eb.fn.coalesce('first_attempt_at', eb.val(now)), updated_at: now }))
      .where('id', '=', lead.id)
      .execute()
    await countSent(tx, [{ task, now }])
    return true
  })
}

export async function readConversation(
  db: Kysely<Schema>,
  leadId: number,
): Promise<{
  /** The person's latest email whose Message-ID we know. */
  theirs: { id: string; subject: string } | undefined
  /** Our latest email to them: its task, and its subject if a person wrote it. */
  ours: { task: number; subject: string | undefined } | undefined
}> {
  const entries = await db
    .selectFrom('timeline')
    .select(['id', 'kind', 'mail', 'submission_id'])
    .where('lead_id', '=', leadId)
    .where('kind', 'in', ['submission', 'reply', 'message'])
    .orderBy('id', 'desc')
    .limit(MOST_READ)
    .execute()
  const facts = entries.map(({ mail, ...entry }) => ({ ...entry, mail: JSON.parse(mail ?? '{}') }))
  const theirs = facts.find(({ kind, mail }) => kind === 'reply' && mail.original)
  const submissions = facts.flatMap(entry => (entry.kind === 'submission' ? (entry.submission_id ?? []) : []))
  const messages = facts.flatMap(({ id, kind }) => (kind === 'message' ? id : []))
  const ours = await db
    .selectFrom('tasks')
    .select(['id', 'kind', 'subject'])
    .where('state', '=', sql.lit('done'))
    .where(messagesAbout({ submission: submissions, entry: messages, lead: [leadId] }, 'person'))
    .orderBy('finished_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const written = ours?.kind === 'message' ? facts.find(({ id }) => id === ours.subject)?.mail.subject : undefined
  return { theirs: theirs?.mail.original, ours: ours && { task: ours.id, subject: written } }
}

/** An email further back than this many entries is too old to reply to. */
const MOST_READ = 100
