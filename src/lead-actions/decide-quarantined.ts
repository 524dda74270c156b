/** Deciding about a quarantined submission: releasing it, so that it becomes a lead, or dismissing it. */
import { UNDO_TIME } from '../leads/lead/undo-window.ts'
import { SECOND } from '../platform/time.ts'
import { andTell, type By, type Services } from './services.ts'

/** Like an action on a lead, but for a submission that is none yet; `before`: it was decided already, or it is too late. */
export type Decision<Input = object> = (
  services: Pick<Services, 'store' | 'clock' | 'changed'>,
  submission: number,
  input: Input,
  by: Pick<By, 'actor'>,
) => Promise<{ outcome: 'done' | 'before' }>

/** Until then, a release with `undoable` can be undone, in milliseconds: the submission is not filed before. */
const UNDO_RELEASE = 10 * SECOND

/** Handles the submission as if it had just arrived; also one that was dismissed. */
export const release: Decision<{ undoable?: boolean }> = (services, id, { undoable = false }, { actor }) => {
  const now = services.clock.now()
  const dueAt = undoable ? now + UNDO_RELEASE : undefined
  return andTell(services, decided(services.store.releaseQuarantined(id, now, actor, dueAt)))
}

export const undoRelease: Decision = ({ store, clock, changed }, id) =>
  andTell({ changed }, decided(store.undoRelease(id, clock.now())))

/** Nothing comes of the submission, unless someone releases it after all. */
export const dismiss: Decision = ({ store, clock, changed }, id, _, { actor }) =>
  andTell({ changed }, decided(store.dismissQuarantined(id, clock.now(), actor)))

export const undoDismissal: Decision = ({ store, clock, changed }, id) =>
  andTell({ changed }, decided(store.undoDismissal(id, clock.now() - UNDO_TIME)))

const decided = async (changing: Promise<boolean>) => ({
  outcome: (await changing) ? ('done' as const) : ('before' as const),
})
