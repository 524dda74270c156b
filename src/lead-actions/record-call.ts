/** Recording the outcome of a call, with the note that was typed during it. */
import { type CallOutcome, callOutcomes } from '../leads/lead/call-outcomes.ts'
import type { StageChanged } from '../store/actions/change-stage.ts'
import { readOptionalNote } from './add-note.ts'
import { readPlan } from './plan-callback.ts'
import { resumptionOf } from './resume.ts'
import { actedOn, andTell, type Invalid, invalid, type LeadAction } from './services.ts'

/** The text is a note on the call, and may be empty. */
type Input = {
  outcome: CallOutcome
  text?: string | undefined
  /** For `call back`: when, in the forms that a callback accepts. */
  when?: string | undefined
}

/** Reaching someone ends the follow-up of a new lead; the other outcomes stop nothing. */
export const recordCall: LeadAction<Input, StageChanged | Invalid> = async (
  services,
  lead,
  { outcome, text = '', when },
  by,
) => {
  const note = readOptionalNote(text)
  if ('problem' in note) return invalid(note.problem)
  if (outcome === 'call back' && when === undefined) return invalid('Choose when they asked to be called.')
  const asked = outcome === 'call back' ? readPlan(services, lead, { when: when ?? '', text }, by) : undefined
  if (asked && 'problem' in asked) return invalid(asked.problem)
  const context = actedOn(services, by, { detail: outcome })
  const resumption = lead.callbackAt === null ? undefined : await resumptionOf(services, lead, context.now)
  return andTell(
    services,
    services.store.recordCall(lead.id, { outcome, note: note.text, callback: asked?.plan, resumption, ...context }),
  )
}

/** The outcome with this name; undefined if there is no such outcome. */
export const callOutcomeNamed = (name: string): CallOutcome | undefined => callOutcomes.find(one => one === name)
