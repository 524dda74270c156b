/** Undoing what someone did to a lead a moment ago. */
import type { TimelineEntry } from '../leads/lead/timeline-entries.ts'
import { canTakeBack } from '../leads/lead/undo-window.ts'
import { assignmentTo } from './assign.ts'
import { resumptionOf } from './resume.ts'
import { actedOn, andTell, type LeadAction } from './services.ts'

/** The entry of the lead's own timeline that records the action. Undoing an email that was not sent yet cancels it. */
type Input = { entry: TimelineEntry }

export const undo: LeadAction<Input> = async (services, lead, { entry }, by) => {
  const { store } = services
  const context = actedOn(services, by, { action: 'undid a change of' })
  if (entry.kind === 'message') return andTell(services, store.cancelMessage(entry.id, context))
  if (canTakeBack(entry, context.now)) {
    const resumption = entry.kind === 'callback' ? await resumptionOf(services, lead, context.now) : undefined
    return andTell(services, store.takeBack(entry.id, { resumption, ...context }))
  }
  if (entry.kind !== 'assigned') return andTell(services, store.undoAction(entry.id, context))
  const { restart, away } = await assignmentTo(services, lead, entry.was?.owner ?? null, context.now)
  return andTell(services, store.undoAction(entry.id, { restart, away, ...context }))
}
