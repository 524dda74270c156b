/** Adding a tag or a program to a lead, and removing one. */
import { readTag } from '../leads/lead/labels.ts'
import { programNames } from '../leads/lead/programs.ts'
import type { Changed } from '../store/actions/change-lead.ts'
import { actedOn, andTell, type Invalid, invalid, type LeadAction } from './services.ts'

export const addTag: LeadAction<{ tag: string }, Changed | Invalid> = async (services, lead, { tag }, by) => {
  const read = readTag(tag)
  if ('problem' in read) return invalid(read.problem)
  const context = actedOn(services, by, { detail: 'tag' })
  return andTell(services, services.store.addLabel(lead.id, { kind: 'tag', name: read.name, ...context }))
}

/** Adds one of the programs in the settings. */
export const addProgram: LeadAction<{ program: string }, Changed | Invalid> = async (
  services,
  lead,
  { program },
  by,
) => {
  if (!programNames(services.settings).includes(program)) return invalid('Choose a program.')
  const context = actedOn(services, by, { detail: 'add program' })
  return andTell(services, services.store.addLabel(lead.id, { kind: 'program', name: program, ...context }))
}

export const removeLabel: LeadAction<{ label: number }> = (services, lead, { label }, by) =>
  andTell(
    services,
    services.store.removeLabel(lead.id, {
      labelId: label,
      ...actedOn(services, by, { detail: `removed label ${label}` }),
    }),
  )
