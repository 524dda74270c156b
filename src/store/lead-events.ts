/** What came from the lead's side: a reply, a bounce, a complaint, an unsubscription. */
import { sql, type Transaction } from 'kysely'
import type { Restart } from '../follow-up/schedule.ts'
import { endedByItself } from '../leads/stages.ts'
import { DAY } from '../time.ts'
import type { LockedLead } from './leads.ts'
import { addMail } from './outbox.ts'
import type { Schema } from './schema.ts'
import { restartSteps } from './steps.ts'
import { addEntry, countEntries } from './timeline.ts'

/** What came from the lead's side: an answer, a message that came back, a wish. */
export type LeadEvent = {
  kind: 'reply' | 'auto-reply' | 'bounce' | 'complaint' | 'unsubscribed' | 'not-me'
  detail: string
  /** Whether the staff is told by e-mail, unless it has heard of the like too often today. */
  tell: boolean
  /** The reminders that begin again, since somebody waits for an answer. */
  restarts?: readonly Restart[] | undefined
}

/** Of one lead, so many of a kind are told in a day: whoever floods our mailbox shall not flood others. */
const MOST_TOLD = 5

/** Writes down what came from the lead's side, which is locked. An answer ends the letters. */
export async function recordLeadEvent(
  tx: Transaction<Schema>,
  lead: LockedLead,
  { kind, detail, tell, restarts = [] }: LeadEvent,
  now: number,
): Promise<void> {
  const { id } = lead
  const known = await countEntries(tx, id, { kind, since: now - DAY })
  const entry = await addEntry(tx, id, { at: now, kind, detail })
  if (tell && known < MOST_TOLD) await addMail(tx, 'news', entry, { now })
  if (kind !== 'reply') return
  await tx
    .updateTable('leads')
    .set({ replied_at: now, updated_at: now })
    .where('id', '=', id)
    .execute()
  const waiting = lead.stage === 'new' || (await reopen(tx, lead, now))
  if (waiting) await restartSteps(tx, id, restarts, now)
}

/** Who answers after all is a lead again, unless it was people who closed it, or there is a new one. */
async function reopen(tx: Transaction<Schema>, lead: LockedLead, now: number): Promise<boolean> {
  if (!endedByItself(lead.closed_reason)) return false
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
  await addEntry(tx, lead.id, { at: now, kind: 'stage', detail: 'new: they replied' })
  return true
}
