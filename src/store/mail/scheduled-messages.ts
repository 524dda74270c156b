/** Messages that wait to be sent, mostly for a time that was chosen, and what happens when the author leaves. */
import type { Kysely } from 'kysely'
import { AUTHOR_LEFT } from '../../leads/lead/staff.ts'
import type { MailFacts } from '../../leads/lead/timeline-entries.ts'
import { MINUTE } from '../../platform/time.ts'
import { type ActionContext, type Changed, changeLead } from '../actions/change-lead.ts'
import { addToDraft } from '../leads/drafts.ts'
import { readEntry } from '../leads/timeline.ts'
import { addMail } from '../outbox/outbox.ts'
import { scheduledEmailsOf } from '../outbox/scheduled-emails.ts'
import type { Schema } from '../tables/schema.ts'
import { skipMessage, waitAgain } from './messages.ts'

/** `entry` is the entry of the timeline, `name` the person it goes to. */
export type ScheduledMessage = { entry: number; leadId: number; name: string; dueAt: number }

/**
 * The messages of an author that wait to be sent, the next one first. `actor`: the author's name in the timeline, which
 * another operator may share; `operatorId` says which of them, if the author has an account.
 */
export async function listScheduledMessages(
  db: Kysely<Schema>,
  { actor, operatorId, limit }: { actor: string; operatorId: number | undefined; limit: number },
): Promise<ScheduledMessage[]> {
  const rows = await scheduledEmailsOf(db, actor)
    .innerJoin('leads as l', 'l.id', 'e.lead_id')
    .select(['e.id as entry', 'e.lead_id', 'e.mail', 'l.first_name', 'l.last_name', 't.due_at'])
    .orderBy('t.due_at')
    .orderBy('t.id')
    .execute()
  const theirs = rows.filter(({ mail }) => isBy(operatorId, JSON.parse(mail ?? '{}')))
  return theirs
    .slice(0, limit)
    .map(({ entry, lead_id: leadId, first_name, last_name, due_at: dueAt }) => ({
      entry,
      leadId,
      name: `${first_name} ${last_name}`,
      dueAt,
    }))
}

/** Whether an operator wrote an email under their name, as far as is known. */
const isBy = (operatorId: number | undefined, { operator }: MailFacts): boolean =>
  operatorId === undefined || operator === undefined || operator === operatorId

/**
 * How long after the author has left someone is notified of a message that is not sent, in milliseconds: by then, the
 * lead has its new counselor.
 */
const TOLD_AFTER = 2 * MINUTE

/**
 * A message is not sent, since its author has left, and its text becomes a draft of that operator, which everyone who
 * works on the lead can use. If it was an answer, the person waits again. The counselor of the lead gets an email.
 * `before`: it is too late, since it was sent or is being sent.
 */
export async function withdrawMessage(
  db: Kysely<Schema>,
  entryId: number,
  { operatorId, audit, now }: { operatorId: number | undefined } & Omit<ActionContext, 'actor'>,
): Promise<Changed> {
  const entry = await readEntry(db, entryId)
  if (entry?.kind !== 'message') return { outcome: 'gone' }
  return changeLead(db, { id: entry.leadId, audit }, async (tx, lead) => {
    if (!(await skipMessage(tx, entryId, { note: AUTHOR_LEFT, now }))) return 'before'
    await waitAgain(tx, lead, entry)
    if (operatorId !== undefined) {
      const { subject = '', reached } = entry.mail ?? {}
      const fields = { subject, text: entry.detail, ...(reached && { reached: 'on' }) }
      await addToDraft(tx, { operatorId, kind: 'email', leadId: lead.id }, { fields, now })
    }
    await addMail(tx, 'news', entryId, { dueAt: now + TOLD_AFTER, now })
    return undefined
  })
}
