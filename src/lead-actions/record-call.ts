/** Recording what came of a call, with the note that was typed during it. */
import { type CallOutcome, callOutcomes } from '../leads/lead/call-outcomes.ts'
import type { StageChanged } from '../store/actions/change-stage.ts'
import { readNote } from './add-note.ts'
import { resumptionOf } from './resume.ts'
import { actedOn, andTell, type Invalid, invalid, type LeadAction } from './services.ts'

/** The text is a note on the call, and may be empty. */
type Input = { outcome: CallOutcome; text?: string | undefined }

/** Reaching someone ends the follow-up of a new lead; the other outcomes stop nothing. */
export const recordCall: LeadAction<Input, StageChanged | Invalid> = async (
  services,
  lead,
  { outcome, text = '' },
  by,
) => {
  const note = text.trim() === '' ? { text: '' } : readNote(text)
  if ('problem' in note) return invalid(note.problem)
  const context = actedOn(services, by, { detail: outcome })
  const resumption = lead.callbackAt === null ? undefined : await resumptionOf(services, lead, context.now)
  return andTell(services, services.store.recordCall(lead.id, { outcome, note: note.text, resumption, ...context }))
}

/** The outcome with this name; undefined if it is none. */
export const callOutcomeNamed = (name: string): CallOutcome | undefined => callOutcomes.find(one => one === name)
