/** A note on a lead, which only the staff sees. */
import { isBlank, textProblem, tidy } from '../leads/body/tidy-text.ts'
import type { Lead } from '../leads/lead/lead.ts'
import type { Changed } from '../store/actions/change-lead.ts'
import { actedOn, andTell, type Invalid, invalid, type LeadAction } from './services.ts'

/** The longest note, in characters. */
export const LONGEST_NOTE = 1500

/** `forOwner`: someone who does not follow up the lead wrote it, so the counselor gets it by email. */
type Input = { text: string; forOwner?: boolean }

export const addNote: LeadAction<Input, Changed | Invalid> = async (services, lead, { text, forOwner }, by) => {
  const note = readNote(text)
  if ('problem' in note) return invalid(note.problem)
  const context = actedOn(services, by, { detail: forOwner ? 'note for the counselor' : 'note' })
  return andTell(services, services.store.addNote(lead.id, { ...note, forOwner, ...context }))
}

/** What someone typed, in the form in which it is stored; or a sentence about what is wrong with it. */
export function readNote(typed: string): { text: string } | { problem: string } {
  const text = tidy(typed)
  const problem = isBlank(text) ? 'must not be empty' : textProblem(text, 'many')
  if (problem !== undefined) return { problem: `The note ${problem}.` }
  if (text.length > LONGEST_NOTE) return { problem: `The note must have at most ${LONGEST_NOTE} characters.` }
  return { text }
}

/** What to say after a note was saved. If no call is recorded yet, a note could be meant as one, and does not count. */
export const noteSaved = ({ stage, firstAttemptAt }: Pick<Lead, 'stage' | 'firstAttemptAt'>): string =>
  stage === 'new' && firstAttemptAt === null
    ? 'Note saved. If you called, record what came of the call, too.'
    : 'Note saved.'
