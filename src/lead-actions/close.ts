/** Closing a lead. */
import { type ClosedReason, closedReasons } from '../leads/lead/stages.ts'
import type { StageChanged } from '../store/actions/change-stage.ts'
import { actedOn, andTell, type LeadAction } from './services.ts'

/** The reasons that staff can choose when they close a lead. The others are for leads that a follow-up closes. */
export const reasonsToClose = closedReasons.filter(
  reason => reason !== 'no reply' && reason !== 'never contacted' && reason !== 'unsubscribed',
)

/** `from`: close it only if its stage is one of these. */
type Input = { reason: ClosedReason; from?: readonly string[] | undefined }

export const close: LeadAction<Input, StageChanged> = (services, lead, { reason, from }, by) =>
  andTell(
    services,
    services.store.changeStage(lead.id, {
      stage: 'closed',
      closedReason: reason,
      from,
      ...actedOn(services, by, { detail: `closed: ${reason}` }),
    }),
  )
