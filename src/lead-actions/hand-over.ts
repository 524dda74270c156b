/** Handing over all of someone's leads, and undoing that as a whole. The worker does both, in the background. */
import { HAND_OVER_UNDO_TIME } from '../leads/lead/undo-window.ts'
import { SECOND } from '../platform/time.ts'
import { within } from '../platform/within.ts'
import type { HandOverPlan, LeadsHandOver } from '../store/team/hand-overs.ts'
import { actedOn, type By, type Services } from './services.ts'

/** How long a press of the button waits for a small hand-over to finish, in milliseconds. */
const SOON_DONE = 2 * SECOND

export type HandOverServices = Pick<Services, 'store' | 'clock'> & {
  /** Carries out hand-overs in the background. */
  handOvers: { run(): Promise<void> }
}

/** `leads`: how many leads the person has, for the audit log. */
type Input = { from: string; fromName: string; plan: HandOverPlan; leads: number }

/** `before`: a hand-over of that person's leads is under way. */
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

/** `before`: someone has already undone it, or it is too late. */
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
