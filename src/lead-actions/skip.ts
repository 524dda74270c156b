/** Skipping the open step of a track. The next step on the track keeps its own time. */
import { nextStep } from '../follow-up/schedule.ts'
import { actedOn, andTell, type LeadAction } from './services.ts'

/** The index of the step in the lead's cadence. A step that closes the lead cannot be skipped. */
type Input = { step: number }

export const skip: LeadAction<Input> = async (services, lead, { step: index }, by) => {
  const { store, calendar } = services
  const followUp = await store.readFollowUp(lead.id)
  const step = followUp?.cadence[index]
  if (followUp === undefined || step === undefined || 'close' in step) return { outcome: 'before', lead }
  const context = actedOn(services, by, { detail: 'skip' })
  const hours = calendar.hoursFor(lead)
  const next = nextStep(followUp, index, { sent: false, now: context.now, hours })
  return andTell(services, store.skipStep(lead.id, { step: index, name: step.name, next, ...context }))
}
