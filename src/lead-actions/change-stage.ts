/** Changing the stage of an open lead, or opening one that was closed. */
import { restartsFor } from '../follow-up/schedule.ts'
import type { Lead } from '../leads/lead/lead.ts'
import { stages } from '../leads/lead/stages.ts'
import type { StageChanged } from '../store/actions/change-stage.ts'
import { actedOn, andTell, type Invalid, invalid, type LeadAction, type Services } from './services.ts'

/** `from`: only from one of these stages. If a lead becomes new again, its reminders and automatic close start over. */
type Input = { stage: string; from?: readonly string[] | undefined }

export const changeStage: LeadAction<Input, StageChanged | Invalid> = async (services, lead, { stage, from }, by) => {
  const open: readonly string[] = stages[lead.kind].filter(one => one !== 'closed')
  if (!open.includes(stage)) return invalid('Choose a stage.')
  const context = actedOn(services, by, { detail: `moved: ${stage}` })
  const restarts = stage === 'new' ? await restartsOf(services, lead, context.now) : []
  return andTell(
    services,
    services.store.changeStage(lead.id, { stage, closedReason: null, from, restarts, ...context }),
  )
}

/** The tracks that start over when a lead goes back to `new`, as if the person had just written in. */
async function restartsOf({ store, calendar }: Services, lead: Lead, now: number) {
  const followUp = await store.readFollowUp(lead.id)
  return followUp === undefined ? [] : restartsFor(followUp.cadence, now, calendar.hoursFor(lead))
}
