/** A note on a lead, which only staff see. */
import { requiredProblem, tidy } from '../leads/body/tidy-text.ts'
import type { Lead } from '../leads/lead/lead.ts'
import type { Changed } from '../store/actions/change-lead.ts'
import { actedOn, andTell, type Invalid, invalid, type LeadAction } from './services.ts'

/** The longest note, in characters. */
export const LONGEST_NOTE = 1500

/** `forOwner`: the counselor gets the note by email, because someone else wrote it. */
type Input = { text: string; forOwner?: boolean }

export const addNote: LeadAction<Input, Changed | Invalid> = async (services, lead, { text, forOwner }, by) => {
  const note = readNote(text)
  if ('problem' in note) return invalid(note.problem)
  const context = actedOn(services, by, { detail: forOwner ? 'note for the counselor' : 'note' })
  return andTell(services, services.store.addNote(lead.id, { ...note, forOwner, ...context }))
}

/** Returns the note as it will be stored, or a sentence that says what is wrong with it. */
export function readNote(typed: string): { text: string } | { problem: string } {
  const text = tidy(typed)
  const problem = requiredProblem(text, 'many')
  if (problem !== undefined) return { problem: `The note ${problem}.` }
  if (text.length > LONGEST_NOTE) return { problem: `The note must have at most ${LONGEST_NOTE} characters.` }
  return { text }
}

/** The same for a note that may be empty. */
export const readOptionalNote = (typed: string): ReturnType<typeof readNote> =>
  typed.trim() === '' ? { text: '' } : readNote(typed)

/**
 * What the console says after a note was saved. If no call is recorded yet, it reminds the writer to record one: a note
 * does not count as a call.
 */
export const noteSaved = ({ stage, firstAttemptAt }: Pick<Lead, 'stage' | 'firstAttemptAt'>): string =>
  stage === 'new' && firstAttemptAt === null
    ? 'Note saved. If you called, record the outcome of the call, too.'
    : 'Note saved.'
