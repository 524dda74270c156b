/** Assigning a lead to a counselor, to the manager or to the team, and restarting the reminders for the new owner. */
import { dayAsOf } from '../content/date-format.ts'
import { awayOn } from '../follow-up/absences.ts'
import { restartOf } from '../follow-up/schedule.ts'
import { worksOnLeads } from '../follow-up/working-staff.ts'
import type { Lead } from '../leads/lead/lead.ts'
import { MANAGER, TEAM } from '../leads/lead/staff.ts'
import type { StandIn } from '../mail/staff-addressees.ts'
import type { Assignment } from '../store/actions/assign-lead.ts'
import type { Changed } from '../store/actions/change-lead.ts'
import type { Absence } from '../store/team/absences.ts'
import { actedOn, andTell, type LeadAction, type Services } from './services.ts'

/** `standIn` gets the messages if the new owner is away. */
export type Assigned = Changed & { standIn: StandIn | undefined }

export const assign: LeadAction<Pick<Assignment, 'owner'>, Assigned> = async (services, lead, { owner }, by) => {
  const context = actedOn(services, by, { detail: 'assign' })
  const { standIn, ...restart } = await assignmentTo(services, lead, owner, context.now)
  const assigning = services.store.assignLead(lead.id, { owner, ...restart, ...context })
  return { ...(await andTell(services, assigning)), standIn }
}

/** What changes when a lead is assigned to an owner, or given back to its former owner. */
export async function assignmentTo(
  { store, calendar, addressees }: Services,
  lead: Lead,
  owner: string | null,
  now: number,
) {
  const standIn = await addressees.standIn({ ...lead, owner }, now)
  const followUp = await store.readFollowUp(lead.id)
  const hours = calendar.hoursFor(lead)
  const restart = followUp && restartOf(followUp.cadence, 'staff', now, hours)
  return { standIn, restart, away: standIn !== undefined }
}

/** Someone who can follow up a lead: the id of a counselor, `manager` or `team`, and a name. */
export type Assignee = { id: string; name: string }

/**
 * Who can follow up a lead. The names of people who are away say until when. Empty if there is only the team.
 * `absences`: the absences from today on, if the caller has read them already.
 */
export async function assignees(
  { store, clock, calendar, settings }: Services,
  absences?: readonly Absence[],
): Promise<Assignee[]> {
  const today = calendar.today(clock.now())
  const away = awayOn(today, settings.admissions.counselors, absences ?? (await store.listAbsences(today)))
  const people = takersOf(settings).map(({ id, name }) => {
    const until = away.get(id)
    return { id, name: until ? `${name} (away until ${dayAsOf(until, today, settings.school)})` : name }
  })
  return people.length === 0 ? [] : [...people, { id: TEAM, name: 'The team' }]
}

/** The people that the settings name. */
export const staffOf = ({ admissions: { counselors, manager } }: Services['settings']): Assignee[] => [
  ...counselors.map(({ id, name }) => ({ id, name })),
  ...(manager ? [{ id: MANAGER, name: `${manager.name} (manager)` }] : []),
]

/** The people in the settings who can get a lead. */
export const takersOf = (settings: Services['settings']): Assignee[] =>
  staffOf(settings).filter(({ id }) => worksOnLeads(id, settings.admissions))

/** The owner to store for the id of an assignee. */
export const ownerOf = (assignee: string): string | null => (assignee === TEAM ? null : assignee)
