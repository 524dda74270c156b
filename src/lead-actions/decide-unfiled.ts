/** Deciding about a submission that was accepted but cannot be filed: trying again, or dismissing it with a reason. */
import { type Decision, decided } from './decide-quarantined.ts'
import { actedOn, andTell, type Invalid, invalid } from './services.ts'

/** The reasons for dismissing a submission that cannot be filed: the stored value, and its words. */
export const unfiledReasons = {
  'by-hand': 'Added by hand',
  again: 'They wrote again',
  called: 'They were called, and need nothing',
  spam: 'It is spam, or a test',
} as const

export type UnfiledReason = keyof typeof unfiledReasons

/** Files the submission now, even if it was dismissed. */
export const fileAgain: Decision = (services, id, _, by) => {
  const context = actedOn(services, by, { action: 'had an inquiry filed again', detail: String(id) })
  return andTell(services, decided(services.store.fileAgain(id, context)))
}

/** Dismisses the submission: it becomes no lead unless someone has it filed later. The reason is stored with it. */
export const dismissUnfiled = async (
  services: Parameters<Decision>[0],
  id: number,
  { reason }: { reason: string },
  by: Parameters<Decision>[3],
): Promise<{ outcome: 'done' | 'before' } | Invalid> => {
  if (!Object.hasOwn(unfiledReasons, reason)) return invalid('Choose why it is dismissed.')
  const detail = `${id}: ${unfiledReasons[reason as UnfiledReason].toLowerCase()}`
  const context = actedOn(services, by, { action: 'dismissed an inquiry that cannot be filed', detail })
  return andTell(services, decided(services.store.dismissUnfiled(id, { ...context, reason })))
}
