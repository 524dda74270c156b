/** Ending a callback without a call: it was handled in another way, or called off. */
import type { Changed } from '../store/actions/change-lead.ts'
import { readOptionalNote } from './add-note.ts'
import { resumptionOf } from './resume.ts'
import { actedOn, andTell, type Invalid, invalid, type LeadAction } from './services.ts'

/** The text says how it ended, and may be empty. */
type Input = { callback: number; how: 'done' | 'called off'; text?: string | undefined }

export const endCallback: LeadAction<Input, Changed | Invalid> = async (
  services,
  lead,
  { callback, how, text = '' },
  by,
) => {
  const note = readOptionalNote(text)
  if ('problem' in note) return invalid(note.problem)
  const context = actedOn(services, by, { detail: 'callback ended' })
  const words = [how, note.text].filter(Boolean).join('\n')
  const resumption = await resumptionOf(services, lead, context.now)
  return andTell(services, services.store.endCallback(lead.id, { callback, words, resumption, ...context }))
}
