/** How leads begin to be followed up: on which version of the cadence, and with which first steps. */
import type { Settings } from '../config/settings.ts'
import { type Cadence, tracks } from '../follow-up/cadence.ts'
import type { StepHours } from '../follow-up/opening-hours.ts'
import { restartOf } from '../follow-up/schedule.ts'
import type { Kind } from '../leads/submission.ts'
import type { CadenceStart } from '../store/join-or-open-lead.ts'
import type { Store } from '../store/store.ts'

export type CadenceVersion = { id: number; cadence: Cadence }

/** The version that new leads of each kind begin with. A lead stays on the version it began with. */
export type CadenceVersions = Record<Kind, CadenceVersion>

/** Saves the cadences of the settings as versions, unless they already are. */
export async function saveCadences(
  store: Pick<Store, 'getOrCreateCadence' | 'clock'>,
  { followUp }: Pick<Settings, 'followUp'>,
): Promise<CadenceVersions> {
  const save = async (kind: Kind) => ({
    id: await store.getOrCreateCadence(kind, followUp[kind], store.clock.now()),
    cadence: followUp[kind],
  })
  return { student: await save('student'), site: await save('site') }
}

/** A start at the moment `since`, with the first step of each track. Throws a RangeError if the hours never open. */
export function startCadence(
  { id, cadence }: CadenceVersion,
  since: number,
  hours: StepHours,
): CadenceStart {
  const firstSteps = tracks.flatMap(track => restartOf(cadence, track, since, hours)?.first ?? [])
  return { cadenceId: id, since, firstSteps }
}
