/** *No answer*: someone tried to reach the person. It does not count as contact and stops nothing. */
import type { Changed } from '../store/actions/change-lead.ts'
import { readNote } from './add-note.ts'
import { actedOn, andTell, type Invalid, invalid, type LeadAction } from './services.ts'

/** The text is a note on the call, and may be empty. */
export const noAnswer: LeadAction<{ text?: string }, Changed | Invalid> = async (services, lead, { text = '' }, by) => {
  const note = text === '' ? { text } : readNote(text)
  if ('problem' in note) return invalid(note.problem)
  const context = actedOn(services, by, { detail: 'no answer' })
  return andTell(services, services.store.recordCallAttempt(lead.id, { detail: note.text, ...context }))
}
