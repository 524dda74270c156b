/** Planning a callback, a promise to call the person at a moment, or moving one to another. */
import { createDateFormat } from '../content/date-format.ts'
import { callbackMoment, callbackReminders } from '../follow-up/callback-times.ts'
import { ownerName } from '../leads/lead/staff.ts'
import type { Changed } from '../store/actions/change-lead.ts'
import { readNote } from './add-note.ts'
import { ownerOf, takersOf } from './assign.ts'
import { actedOn, andTell, type Invalid, invalid, type LeadAction } from './services.ts'

type Input = {
  /** `1h` or `30m` from now, a day and a time (2026-11-24T15:00), or a day, from the opening of the school on. */
  when: string
  /** Whose time that is. Default: where the person is. */
  clock?: 'theirs' | 'school' | undefined
  /** Who calls, by the id of an assignee; `team` is the counselor of the lead. Default: who plans it. */
  assignee?: string | undefined
  /** What it is about; may be empty. */
  text?: string | undefined
  /** The id of the callback that is moved. Default: it is another one. */
  callback?: number | undefined
}

/** `words` say when, and who calls if that is not the counselor of the lead. */
export type CallbackPlanned = Changed & { words: string }

export const planCallback: LeadAction<Input, CallbackPlanned | Invalid> = async (services, lead, input, by) => {
  const { store, calendar, settings } = services
  const { when, clock = 'theirs', text = '', callback } = input
  const note = text.trim() === '' ? { text: '' } : readNote(text)
  if ('problem' in note) return invalid(note.problem)
  if (lead.stage === 'closed') return invalid('The lead is closed. Open it again first.')
  const people = takersOf(settings).map(({ id }) => id)
  const byDefault = callback === undefined && people.includes(by.actor) ? by.actor : undefined
  const assignee = input.assignee === undefined ? byDefault : ownerOf(input.assignee)
  if (typeof assignee === 'string' && !people.includes(assignee)) return invalid('Choose who calls.')
  const context = actedOn(services, by, { detail: 'callback' })
  const { school } = calendar.hoursFor(lead.state)
  const zone = clock === 'theirs' ? calendar.zonesOf(lead.state)[0] : undefined
  const timeZone = zone ?? settings.school.timeZone
  const dueAt = callbackMoment(when, { hours: school, timeZone, now: context.now })
  if (typeof dueAt === 'string') return invalid(dueAt)
  const another = typeof assignee === 'string' && assignee !== lead.owner
  const forWhom = another ? `, for ${ownerName(assignee, settings.admissions)}` : ''
  const words = createDateFormat(settings.school)(dueAt) + forWhom
  const reminders = callbackReminders(dueAt, school)
  const plan = { callback, dueAt, assignee, words: note.text, reminders, moment: words, ...context }
  return { ...(await andTell(services, store.planCallback(lead.id, plan))), words }
}
