/** A colleague did something with a lead: it was assigned, or someone asked for fresh links. */
import { ownerName } from '../../leads/lead/staff.ts'
import { stageName } from '../../leads/lead/stages.ts'
import { HOUR } from '../../platform/time.ts'
import type { SchoolContext, StaffMessage } from '../message-definition.ts'
import { aboutLead, replyUnlessSuppressed } from '../reply-address.ts'
import { again, counselor, first, own, site, student } from '../samples.ts'
import { type ReminderView, reminderVariables } from './reminder.ts'

export type LeadChangeView = ReminderView & {
  /** Who has the lead now, and who had it before: the id of a counselor, `manager`, or null for the team. */
  assignedTo: string | null
  from: string | null
  /** Who did it, in words. */
  by: string | null
  /** Whether the change undid an earlier hand-over. */
  undone: boolean
  /** If the recipient stands in for someone who is away: until when, in words. Otherwise null. */
  awayUntil: string | null
  /** How many reminders the staff got so far. */
  reminders: number
}

const leadChange = {
  variables(view: LeadChangeView, context: SchoolContext) {
    const { lead, actor, assignedTo, from, by, undone, awayUntil, reminders } = view
    const roster = context.settings.admissions
    return {
      ...reminderVariables(view, context),
      waits: lead.stage === 'new' || lead.unansweredSince !== null,
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
  },
  samples(): LeadChangeView[] {
    const waits = { role: 'counselor', waiting: HOUR, attempts: 1, tried: true, suppressed: null } as const
    const change = { from: null, by: 'Dana Kim', undone: false, awayUntil: null, reminders: 0 }
    const reached = { ...again.lead, stage: 'contacted' as const }
    const takenBack = { ...change, assignedTo: 'maria', from: 'sam', by: null, undone: true, reminders: 3 }
    return [
      { ...waits, ...own, ...change, submission: student, assignedTo: 'maria' },
      { ...waits, ...first, ...change, submission: site, assignedTo: null, from: 'tom', reminders: 1 },
      { ...waits, ...again, ...change, submission: site, assignedTo: 'sam', awayUntil: 'May 1' },
      { ...waits, ...own, ...takenBack, lead: reached, submission: student },
    ]
  },
  sampleCounselors: [
    { id: 'maria', name: counselor.name, email: counselor.address },
    { id: 'sam', name: 'Sam Ortiz', email: counselor.address },
  ],
}

/** For the person who now has the lead, or stands in for them. */
export const assigned: StaffMessage<LeadChangeView> = {
  template: 'notifications/assigned.md',
  ...leadChange,
  more: replyUnlessSuppressed,
}

/** For the person who had the lead. */
export const reassigned: StaffMessage<LeadChangeView> = {
  template: 'notifications/reassigned.md',
  ...leadChange,
  more: aboutLead,
}

/** For someone whose links had expired. */
export const freshLink: StaffMessage<LeadChangeView> = {
  template: 'notifications/fresh-link.md',
  ...leadChange,
  more: replyUnlessSuppressed,
}
