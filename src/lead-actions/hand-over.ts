/** Handing over all of someone's leads, and undoing that as a whole. The worker does both, in the background. */
import { HAND_OVER_UNDO_TIME } from '../leads/lead/undo-window.ts'
import { SECOND } from '../platform/time.ts'
import { within } from '../platform/within.ts'
import type { HandOverPlan, LeadsHandOver } from '../store/team/hand-overs.ts'
import { actedOn, type By, type Services } from './services.ts'

/** How long the console waits for a small hand-over to finish before it responds, in milliseconds. */
const SOON_DONE = 2 * SECOND

export type HandOverServices = Pick<Services, 'store' | 'clock'> & {
  /** Carries out hand-overs in the background. */
  handOvers: { run(): Promise<void> }
}

/** `leads`: how many leads the person has, for the audit log. */
type Input = { from: string; fromName: string; plan: HandOverPlan; leads: number }

/** `before`: nothing changed, because a hand-over of that person's leads is already under way. */
export async function handOver(
  services: HandOverServices,
  { leads, ...input }: Input,
  by: By,
): Promise<{ outcome: 'done'; id: number } | { outcome: 'before' }> {
  const about = { action: 'handed over all leads of someone', detail: `${input.fromName}: ${leads}` }
  const id = await services.store.startHandOver({ ...input, ...actedOn(services, by, about) })
  if (id === 'before') return { outcome: 'before' }
  await soonDone(services)
  return { outcome: 'done', id }
}

/** `before`: nothing changed, because someone has already undone it, or because it is too late. */
export async function undoHandOver(
  services: HandOverServices,
  { id, fromName }: LeadsHandOver,
  by: By,
): Promise<{ outcome: 'done' | 'before' }> {
  const { now, actor, audit } = actedOn(services, by, { action: 'undid a hand-over', detail: fromName })
  const begun = await services.store.undoHandOver(id, { by: actor, since: now - HAND_OVER_UNDO_TIME, audit })
  if (!begun) return { outcome: 'before' }
  await soonDone(services)
  return { outcome: 'done' }
}

const soonDone = ({ handOvers }: HandOverServices) => within(SOON_DONE, handOvers.run()).catch(() => {})
