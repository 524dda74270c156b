/** The variables of messages to the staff about what a colleague did with a lead. */

import { ownerName } from '../../leads/lead/staff.ts'
import { stageName } from '../../leads/lead/stages.ts'
import { type ReminderView, reminderVariables } from './reminder.ts'
import type { SchoolContext } from './school-context.ts'

/** A lead that was handed over, whose pause has ended, or for which someone asked for fresh links. */
export type LeadChangeView = ReminderView & {
  /** Who has the lead now, and who had it before: the id of a counselor, `manager`, or null for the team. */
  assignedTo: string | null
  from: string | null
  /** Who did it, in words. */
  by: string | null
  /** Whether it took an earlier hand-over back. */
  undone: boolean
  /** In words, if the recipient stands in for someone who is away. */
  awayUntil: string | null
  /** How many reminders the staff got so far. */
  reminders: number
}

export function leadChangeVariables(view: LeadChangeView, context: SchoolContext) {
  const { lead, actor, assignedTo, from, by, undone, awayUntil, reminders } = view
  const roster = context.settings.admissions
  return {
    ...reminderVariables(view, context),
    waits: lead.stage === 'new',
    stage: stageName(lead.stage),
    since: context.shortMoment(lead.createdAt, view.now),
    assigned_to: ownerName(assignedTo, roster),
    yours: actor !== undefined && actor === assignedTo,
    from: ownerName(from, roster),
    by,
    undone,
    away_until: awayUntil,
    reminders,
  }
}
