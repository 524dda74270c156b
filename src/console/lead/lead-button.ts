/** What a button or form of a lead's page gets, and what it reports. */
import type { By, Invalid } from '../../lead-actions/services.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { Changed } from '../../store/actions/change-lead.ts'
import type { StageChanged } from '../../store/actions/change-stage.ts'
import type { ConsoleDeps } from '../frame/context.ts'
import type { Flash } from '../frame/flash.ts'

export type Fields = Record<string, string | undefined>

/** Acts on a lead, according to the fields of its form. */
export type LeadButton = (pressed: {
  deps: ConsoleDeps
  lead: Lead
  fields: Fields
  by: By
}) => Promise<Said | { problem: string }>

/**
 * What happened. `text` says it; `before` means that nothing had to change. `undo`: the fields of the form that undoes
 * it; null if it cannot be undone. Default: the form that undoes the entry of the timeline. `offer`: what the person
 * can do next.
 */
type Said = { result: Changed } & Words
type Words = Pick<Flash, 'text' | 'offer'> & { before?: string; undo?: Record<string, string> | null }

export const say = (result: StageChanged | Invalid, words: Words): Said | { problem: string } => {
  if (result.outcome === 'invalid') return result
  if (result.outcome === 'duplicate')
    return { problem: 'This lead cannot be opened again: the person has another open lead.' }
  return { result, ...words }
}
