/**
 * Simulates a month with each of several cadences in a thread of its own: that takes some hundred milliseconds
 * of computing, in which the thread of the service would accept nothing.
 */
import { Worker } from 'node:worker_threads'
import type { Settings } from '../config/settings.ts'
import type { Cadence } from '../follow-up/cadence.ts'
import type { Simulation } from '../follow-up/simulate.ts'
import type { Kind } from '../leads/submission.ts'
import { SECOND } from '../platform/time.ts'

export type MonthsToSimulate = {
  settings: Pick<Settings, 'school' | 'admissions' | 'followUp' | 'languages'>
  kind: Kind
  cadences: readonly Cadence[]
  /** How many people write within `days` days from `firstDay` (yyyy-mm-dd) on. */
  leads: number
  days: number
  firstDay: string
  absences: readonly { counselor: string; firstDay: string; lastDay: string }[]
  seed: number
}

/** A machine that is so busy has better things to do. */
const LONGEST = 10 * SECOND

let last: Promise<unknown> = Promise.resolve()

/** A simulation for each cadence, of the same people; undefined if it took too long. One runs at a time. */
export function simulateMonths(months: MonthsToSimulate): Promise<Simulation[] | undefined> {
  const found = last.then(() => runInThread(months))
  last = found.catch(() => undefined)
  return found
}

function runInThread(workerData: MonthsToSimulate): Promise<Simulation[] | undefined> {
  const worker = new Worker(new URL('./months-thread.ts', import.meta.url), { workerData })
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
