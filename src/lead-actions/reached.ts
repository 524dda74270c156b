/** *Reached*: someone spoke with the person. A lead that is past *new* stays as it is. */
import type { StageChanged } from '../store/actions/change-stage.ts'
import { actedOn, andTell, type LeadAction } from './services.ts'

export const reached: LeadAction<object, StageChanged> = (services, lead, _, by) =>
  andTell(
    services,
    services.store.changeStage(lead.id, {
      stage: 'contacted',
      closedReason: null,
      from: ['new'],
      ...actedOn(services, by, { detail: 'reached' }),
    }),
  )
