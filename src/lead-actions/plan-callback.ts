/** Planning a callback (a promise to call the person at a certain time), or rescheduling one. */
import { createDateFormat } from '../content/date-format.ts'
import { callbackMoment, callbackReminders } from '../follow-up/callback-times.ts'
import type { Lead } from '../leads/lead/lead.ts'
import { ownerName } from '../leads/lead/staff.ts'
import type { CallbackPlan } from '../store/actions/callbacks.ts'
import type { Changed } from '../store/actions/change-lead.ts'
import { readOptionalNote } from './add-note.ts'
import { ownerOf, takersOf } from './assign.ts'
import { actedOn, andTell, type By, type Invalid, invalid, type LeadAction, type Services } from './services.ts'

type Input = {
  /** `1h` or `30m` from now; a day and a time (2026-11-24T15:00); or only a day: when the school opens that day. */
  when: string
  /** Whose time zone `when` uses. Default: the person's. */
  clock?: 'theirs' | 'school' | undefined
  /** Who calls, by the id of an assignee; `team` means the lead's counselor. Default: the person who plans it. */
  assignee?: string | undefined
  /** What it is about; may be empty. */
  text?: string | undefined
  /** The id of the callback to reschedule. Default: a new callback is planned. */
  callback?: number | undefined
}

/** `words` say when the callback is, and who calls if it is not the lead's counselor. */
export type CallbackPlanned = Changed & { words: string }

export const planCallback: LeadAction<Input, CallbackPlanned | Invalid> = async (services, lead, input, by) => {
  const read = readPlan(services, lead, input, by)
  if ('problem' in read) return invalid(read.problem)
  const { plan, words } = read
  const context = actedOn(services, by, { detail: 'callback' })
  return { ...(await andTell(services, services.store.planCallback(lead.id, { ...plan, ...context }))), words }
}

/** The values to store, and the time in words; or a sentence about what is wrong. */
export function readPlan(
  services: Services,
  lead: Lead,
  input: Input,
  by: By,
): { plan: CallbackPlan; words: string } | { problem: string } {
  const { calendar, settings } = services
  const { when, clock = 'theirs', text = '', callback } = input
  const note = readOptionalNote(text)
  if ('problem' in note) return note
  if (lead.stage === 'closed') return { problem: 'The lead is closed. Open it again first.' }
  const people = takersOf(settings).map(({ id }) => id)
  const byDefault = callback === undefined && people.includes(by.actor) ? by.actor : undefined
  const assignee = input.assignee === undefined ? byDefault : ownerOf(input.assignee)
  if (typeof assignee === 'string' && !people.includes(assignee)) return { problem: 'Choose who calls.' }
  const { school } = calendar.hoursFor(lead)
  // A time that the person agreed to may be outside their best time to call.
  const agreed = calendar.hoursFor({ ...lead, bestTime: null }).school
  const zone = clock === 'theirs' ? calendar.zonesOf(lead).zones[0] : undefined
  const timeZone = zone ?? settings.school.timeZone
  const dueAt = callbackMoment(when, { hours: school, timeZone, now: services.clock.now() })
  if (typeof dueAt === 'string') return { problem: dueAt }
  const another = typeof assignee === 'string' && assignee !== lead.owner
  const forWhom = another ? `, for ${ownerName(assignee, settings.admissions)}` : ''
  const words = createDateFormat(settings.school)(dueAt) + forWhom
  const reminders = callbackReminders(dueAt, agreed)
  return { plan: { callback, dueAt, assignee, words: note.text, reminders, moment: words }, words }
}
