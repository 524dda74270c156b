/** The versions of the cadences: what the settings say now is what leads begin with from now on. */
import type { Settings } from '../config/settings.ts'
import type { Cadence } from '../follow-up/cadence.ts'
import type { Kind } from '../leads/submission.ts'
import type { Store } from '../store/store.ts'

/** The version that leads of each kind begin with. A lead stays on the version it began with. */
export type Cadences = Record<Kind, { id: number; cadence: Cadence }>

/** Keeps what the settings say as a version, unless it is one already. */
export async function registerCadences(
  store: Pick<Store, 'getOrCreateCadence' | 'clock'>,
  { followUp }: Settings,
): Promise<Cadences> {
  const keep = async (kind: Kind) => ({
    id: await store.getOrCreateCadence(kind, followUp[kind], store.clock.now()),
    cadence: followUp[kind],
  })
  return { student: await keep('student'), site: await keep('site') }
}
