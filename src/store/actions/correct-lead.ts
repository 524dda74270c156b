/**
 * Correcting the contact data of a lead that someone has mistyped, and the language in which we write to them. What
 * they sent stays as it is, and the timeline has both; emails to the old address that failed can be sent again to the
 * new one.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { isSuppressedNote } from '../../follow-up/stop-conditions.ts'
import { personKey } from '../../leads/body/person-key.ts'
import { correctionInWords } from '../../leads/lead/corrections.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { indexedWords } from '../../leads/words/search-words.ts'
import { addWords } from '../leads/lead-words.ts'
import { addressColumns, asLead, findOpenLead, type LockedLead, lockLead } from '../leads/leads.ts'
import { addEntry } from '../leads/timeline.ts'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { messagesAbout } from '../tasks/messages-about.ts'
import { BEGINS_AGAIN, hasNoClaim, type Task } from '../tasks/tasks.ts'
import { type ActionContext, type Changed, concludeChange, isStale } from './change-lead.ts'

/** The address and the number are not both null. */
export type NewContact = {
  email: string | null
  phone: string | null
  /** E.164; null if the number cannot be read. */
  phoneE164: string | null
  /** The language to set; undefined if it stays as it is. */
  language?: string | undefined
  /** The tasks of the emails to send again, out of those that `listEmailsToPerson` names. */
  again: readonly number[]
}

/** `taken`: the person with the new address or number has another open lead of the same kind; neither lead changes. */
export type Corrected = Changed | { outcome: 'taken'; by: number }

/**
 * Gives a lead another address, number or language. The counselor gets an email about it, unless they did it. Emails
 * that wait for another attempt go to the new address immediately. If the person sends another form later, its language
 * applies.
 */
export async function correctLead(
  db: Kysely<Schema>,
  id: number,
  { email, phone, phoneE164, language, again, ...by }: NewContact & ActionContext,
): Promise<Corrected> {
  const { actor, now, audit } = by
  return db.transaction().execute(async tx => {
    const lead = await lockLead(tx, id)
    if (lead === undefined) return { outcome: 'gone' }
    if (await isStale(tx, lead.id, by)) return { outcome: 'stale', lead: asLead(lead) }
    const detail = correctionInWords(lead, { email, phone, language })
    if (detail === '') return { outcome: 'before', lead: asLead(lead) }
    const person_key = personKey({ email, phone }, phoneE164)
    if (person_key !== lead.person_key && lead.stage !== 'closed') {
      const other = await findOpenLead(tx, { person_key, kind: lead.kind })
      if (other !== undefined) return { outcome: 'taken', by: other }
    }
    const entry = await correctIn(tx, lead, { email, phone, phoneE164, language, again }, { actor, now })
    return concludeChange(tx, lead, { entry, audit })
  })
}

/** Corrects a locked lead; returns the entry of the timeline. `actor`: null if the person corrects what they sent. */
export async function correctIn(
  tx: Transaction<Schema>,
  lead: LockedLead,
  { email, phone, phoneE164, language, again }: NewContact,
  { actor, now }: { actor: string | null; now: number },
): Promise<number> {
  const detail = correctionInWords(lead, { email, phone, language })
  await change(tx, lead, { email, phone, phoneE164, language }, now)
  const was = {
    ...(email !== lead.email && { email: lead.email }),
    ...(phone !== lead.phone && { phone: lead.phone, phoneE164: lead.phone_e164, latestPhone: lead.latest_phone }),
    ...(isNew(language, lead) && { language: lead.language, languageAt: lead.language_at }),
  }
  const entry = await addEntry(tx, lead.id, { at: now, kind: 'corrected', detail, actor, was })
  if (lead.owner === null || lead.owner !== actor) await addMail(tx, 'news', entry, { now })
  if (email !== lead.email) await sendAgain(tx, asLead(lead), again, now)
  return entry
}

const isNew = (language: string | undefined, lead: LockedLead): language is string =>
  language !== undefined && language !== lead.language

async function change(
  tx: Transaction<Schema>,
  lead: LockedLead,
  { email, phone, phoneE164, language }: Omit<NewContact, 'again'>,
  now: number,
): Promise<void> {
  const changed = await tx
    .updateTable('leads')
    .set({
      ...addressColumns({ email, phone, phone_e164: phoneE164 }),
      ...(phone !== lead.phone && {
        phone,
        phone_e164: phoneE164,
        ...(lead.latest_phone === phoneE164 && { latest_phone: null }),
      }),
      ...(isNew(language, lead) && { language, language_at: now }),
      // Distinguishes emails that went to the old address from emails to the new one.
      ...((email !== lead.email || phone !== lead.phone) && { corrected_at: now }),
      updated_at: now,
    })
    .where('id', '=', lead.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await addWords(tx, { leadId: lead.id, words: indexedWords(asLead(changed), []) })
}

/** An email to the person of a lead, and whether we know that it did not arrive. */
export type EmailToPerson = { task: Task; failed: boolean }

/**
 * The emails to the person of a lead that could be sent again, newest first: receipts while the lead is new, and what
 * someone at the school wrote. Follow-up emails continue automatically.
 */
export async function listEmailsToPerson(
  db: Kysely<Schema>,
  { id, stage, correctedAt }: Pick<Lead, 'id' | 'stage' | 'correctedAt'>,
): Promise<EmailToPerson[]> {
  if (stage === 'closed') return []
  const { submission, entry } = subjectsOf(db, id)
  const tasks = await db
    .selectFrom('tasks')
    .selectAll()
    .where(messagesAbout(stage === 'new' ? { submission, entry } : { entry }, 'person'))
    .where('state', 'in', ['done', 'dead', 'skipped'])
    .orderBy('id', 'desc')
    .limit(MOST_AGAIN)
    .execute()
  const { bounced } = await db
    .selectFrom('timeline')
    .select(eb => eb.fn.max('at').as('bounced'))
    .where('lead_id', '=', id)
    .where('kind', 'in', ['bounce', 'not-me'])
    .where('mail', 'is', null)
    .where('at', '>', correctedAt ?? 0)
    .executeTakeFirstOrThrow()
  return tasks
    .filter(({ state, note }) => state !== 'skipped' || isSuppressedNote(note))
    .map(task => ({ task, failed: task.state !== 'done' || (task.finished_at ?? 0) <= Number(bounced ?? 0) }))
}

const MOST_AGAIN = 10

/** What emails to the person of a lead are about: its submissions, and the entries of messages. */
function subjectsOf(db: Kysely<Schema>, leadId: number) {
  const entries = db.selectFrom('timeline').where('lead_id', '=', leadId)
  const submission = entries.select('submission_id as subject').where('kind', '=', sql.lit('submission'))
  const entry = entries.select('id as subject').where('kind', '=', sql.lit('message'))
  return { submission: submission.$castTo<{ subject: number }>(), entry }
}

async function sendAgain(tx: Transaction<Schema>, lead: Lead, again: readonly number[], now: number): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ due_at: 0, scheduled_at: now })
    .where(messagesAbout({ ...subjectsOf(tx, lead.id), lead: [lead.id] }, 'person'))
    .where('state', '=', 'due')
    .where('attempts', '>', 0)
    .where(hasNoClaim(now))
    .execute()
  const offered = await listEmailsToPerson(tx, lead)
  const chosen = offered.flatMap(({ task }) => (again.includes(task.id) ? task.id : []))
  if (chosen.length > 0) {
    await tx
      .updateTable('tasks')
      .set({ ...BEGINS_AGAIN, due_at: 0, acknowledged_at: null })
      .where('id', 'in', chosen)
      .execute()
  }
}
