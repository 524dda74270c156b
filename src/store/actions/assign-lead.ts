/** Assigns one lead: from one person to another, from the team to a person, or back to the team. */
import type { Kysely, Transaction } from 'kysely'
import type { Restart } from '../../follow-up/schedule.ts'
import { THE_TEAM } from '../../leads/lead/timeline-details.ts'
import { beginTrackAgain } from '../follow-up/steps.ts'
import { handOnCallbacks } from '../leads/callbacks.ts'
import { addEntry } from '../leads/timeline.ts'
import { assignmentCopies } from '../outbox/mail-steps.ts'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { type ActionContext, type Changed, changeLead } from './change-lead.ts'

export type Assignment = {
  /** The id of a counselor, or `manager`; null for the team. */
  owner: string | null
  /** The reminders to the staff, which start again for the new owner; undefined if there are none. */
  restart?: Restart | undefined
  /** Whether the new owner is away: then someone else gets the messages, and must be notified. Default: false. */
  away?: boolean | undefined
}

/**
 * Assigns a lead. The new owner and the former one get an email, so that they do not both call the same person; no one
 * gets an email about what they did themselves. While the lead is new, or the person waits for an answer, the reminders
 * start again for the new owner, so that a reminder follows even if the lead is assigned late.
 */
export async function assignLead(
  db: Kysely<Schema>,
  id: number,
  { owner, restart, away, ...by }: Assignment & ActionContext,
): Promise<Changed> {
  const { actor, now } = by
  return changeLead(db, { id, ...by }, async (tx, lead) => {
    if (lead.owner === owner) return 'before'
    await tx.updateTable('leads').set({ owner, updated_at: now }).where('id', '=', lead.id).execute()
    await handOnCallbacks(tx, [lead.id], [lead.owner, owner])
    const detail = owner ?? THE_TEAM
    const was = { owner: lead.owner }
    const entry = await addEntry(tx, lead.id, { at: now, kind: 'assigned', detail, actor, was })
    await addAssignmentMail(tx, entry, { owner, from: lead.owner, away, actor, now })
    if (restart !== undefined && (lead.stage === 'new' || lead.unanswered_since !== null))
      await beginTrackAgain(tx, lead.id, restart, now)
    return entry
  })
}

/** Adds the emails that an assignment calls for to the outbox. They are about an entry of the timeline. */
export async function addAssignmentMail(
  tx: Transaction<Schema>,
  entry: number,
  { owner, from, away, actor, now }: Assignment & { from: string | null } & ActionContext,
): Promise<void> {
  const copies = [
    // A team has several members: if one of them acts, the others may not know about it.
    ...(owner === null || owner !== actor ? [assignmentCopies.owner] : []),
    ...(from === null || from !== actor ? [assignmentCopies.formerOwner] : []),
    ...(away ? [assignmentCopies.standIn] : []),
  ]
  for (const copy of copies) await addMail(tx, 'news', entry, { step: copy, now })
}
