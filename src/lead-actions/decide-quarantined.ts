/** Deciding about a quarantined submission: releasing it, so that it becomes a lead, or dismissing it. */
import { UNDO_TIME } from '../leads/lead/undo-window.ts'
import { SECOND } from '../platform/time.ts'
import { actedOn, andTell, type By, type Services } from './services.ts'

/**
 * Like an action on a lead, but on a submission that is not a lead yet. `before`: nothing changed, because someone has
 * already decided, or because it is too late.
 */
export type Decision<Input = object> = (
  services: Pick<Services, 'store' | 'clock' | 'changed'>,
  submission: number,
  input: Input,
  by: By,
) => Promise<{ outcome: 'done' | 'before' }>

/** How long a release with `undoable` can be undone, in milliseconds. The submission is filed only after that. */
const UNDO_RELEASE = 10 * SECOND

/** Handles the submission as if it had just arrived, even if it was dismissed before. */
export const release: Decision<{ undoable?: boolean }> = (services, id, { undoable = false }, by) => {
  const context = actedOn(services, by, { action: 'released from quarantine', detail: String(id) })
  const dueAt = undoable ? context.now + UNDO_RELEASE : undefined
  return andTell(services, decided(services.store.releaseQuarantined(id, { ...context, dueAt })))
}

export const undoRelease: Decision = (services, id, _, by) =>
  andTell(services, decided(services.store.undoRelease(id, undone(services, id, by))))

/** Dismisses the submission: it does not become a lead unless someone releases it later. */
export const dismiss: Decision = (services, id, _, by) => {
  const context = actedOn(services, by, { action: 'dismissed from quarantine', detail: String(id) })
  return andTell(services, decided(services.store.dismissQuarantined(id, context)))
}

export const undoDismissal: Decision = (services, id, _, by) => {
  const { now, audit } = undone(services, id, by)
  return andTell(services, decided(services.store.undoDismissal(id, { since: now - UNDO_TIME, audit })))
}

const undone = (services: Pick<Services, 'clock'>, id: number, by: By) =>
  actedOn(services, by, { action: 'undid a decision about quarantine', detail: String(id) })

/** The outcome of a decision, which depends on whether it changed anything. */
export const decided = async (changing: Promise<boolean>) => ({
  outcome: (await changing) ? ('done' as const) : ('before' as const),
})
