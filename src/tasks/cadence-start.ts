/** How a lead's follow-up begins: with which version of the cadence, and with which first steps. */
import type { Settings } from '../config/settings.ts'
import { type Cadence, tracks } from '../follow-up/cadence.ts'
import type { StepHours } from '../follow-up/opening-hours.ts'
import { restartOf } from '../follow-up/schedule.ts'
import type { Kind } from '../leads/body/submission.ts'
import type { CadenceStart } from '../store/filing/join-or-open-lead.ts'
import type { Store } from '../store/store.ts'

export type CadenceVersion = { id: number; cadence: Cadence }

/** The version with which new leads of a kind begin. A lead stays on the version it began with. */
export type CadenceVersions = (kind: Kind) => Promise<CadenceVersion>

/** The versions of the cadences in force, each saved when it is first used. */
export function cadenceVersions(
  store: Pick<Store, 'getOrCreateCadence' | 'clock'>,
  { followUp }: Pick<Settings, 'followUp'>,
): CadenceVersions {
  const known = new Map<Kind, CadenceVersion>()
  return async kind => {
    const cadence = followUp[kind]
    const last = known.get(kind)
    if (last?.cadence === cadence) return last
    const id = await store.getOrCreateCadence(kind, cadence, store.clock.now())
    known.set(kind, { id, cadence })
    return { id, cadence }
  }
}

/** A start at the moment `since`, with the first step of each track. Throws a RangeError if the hours never open. */
export function startCadence({ id, cadence }: CadenceVersion, since: number, hours: StepHours): CadenceStart {
  const firstSteps = tracks.flatMap(track => restartOf(cadence, track, since, hours)?.first ?? [])
  return { cadenceId: id, since, firstSteps }
}
