/**
 * Simulates a month with each of several cadences, in a thread of its own: it takes a few hundred milliseconds, and
 * would keep the service's main thread from accepting anything meanwhile.
 */
import { Worker } from 'node:worker_threads'
import type { Settings } from '../../config/settings.ts'
import type { Cadence } from '../../follow-up/cadence.ts'
import type { Simulation } from '../../follow-up/simulate.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { threadCode } from '../../platform/places.ts'
import { SECOND } from '../../platform/time.ts'

export type MonthsToSimulate = {
  settings: Pick<Settings, 'school' | 'admissions' | 'followUp' | 'languages'>
  kind: Kind
  cadences: readonly Cadence[]
  /** How many people write in within `days` days, starting on `firstDay` (yyyy-mm-dd). */
  leads: number
  days: number
  firstDay: string
  absences: readonly { counselor: string; firstDay: string; lastDay: string }[]
  seed: number
}

/** A simulation that takes longer than this, in milliseconds, is abandoned: the machine is too busy for it. */
const LONGEST = 10 * SECOND

let last: Promise<unknown> = Promise.resolve()

/** Simulates each cadence with the same people; undefined if that took too long. One call runs at a time. */
export function simulateMonths(months: MonthsToSimulate): Promise<Simulation[] | undefined> {
  const found = last.then(() => runInThread(months))
  last = found.catch(() => undefined)
  return found
}

function runInThread(workerData: MonthsToSimulate): Promise<Simulation[] | undefined> {
  const worker = new Worker(threadCode('console/cadence/simulation-thread'), { workerData })
  return new Promise<Simulation[] | undefined>((resolve, reject) => {
    const timer = setTimeout(resolve, LONGEST, undefined)
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => {
      clearTimeout(timer)
      resolve(undefined)
    })
  }).finally(() => worker.terminate())
}
