/** Checking a list of people, importing it, and undoing that as a whole: the worker does all three. */
import type { ImportPlan } from '../leads/import/inquiry-of-row.ts'
import type { StatusPlan } from '../leads/import/status-list.ts'
import type { Import, StateChange } from '../store/imports/imports.ts'
import { actedOn, type By, type Services } from './services.ts'
import { listNumber } from './upload-list.ts'

type ImportAction<Input = object> = (
  services: Pick<Services, 'store' | 'clock' | 'changed'>,
  list: Import,
  input: Input,
  by: By,
) => Promise<{ outcome: StateChange }>

export const checkImport: ImportAction<{ plan: ImportPlan | StatusPlan }> = (services, { id }, { plan }, by) => {
  const { now, audit } = actedOn(services, by, { action: 'had a list checked', detail: listNumber(id) })
  return andWake(services, services.store.checkImport(id, { plan, now, audit }))
}

export const startImport: ImportAction = (services, list, _, by) => {
  const { id, plan, counts, purpose } = list
  const consent = plan?.mayWrite ? '; says that they agreed to emails' : ''
  const said =
    purpose === 'status'
      ? { action: 'imported a status list', detail: `${listNumber(id)}: ${counts.moved} moved` }
      : {
          action: 'imported leads',
          detail: `${listNumber(id)}: ${counts.opened} new, ${counts.joined} with a lead${consent}`,
        }
  const { now, audit } = actedOn(services, by, said)
  return andWake(services, services.store.startImport(id, { now, audit }))
}

export const undoImport: ImportAction = (services, { id }, _, by) => {
  const { now, audit } = actedOn(services, by, { action: 'undid an import', detail: listNumber(id) })
  return andWake(services, services.store.undoImport(id, { now, audit }))
}

async function andWake({ changed }: Pick<Services, 'changed'>, changing: Promise<StateChange>) {
  const outcome = await changing
  if (outcome === 'done') changed(['imports'])
  return { outcome }
}
