/** The entry point of the thread that simulates a month with each of several cadences. */
import { parentPort, workerData } from 'node:worker_threads'
import { missingOn } from '../../follow-up/absences.ts'
import { simulate } from '../../follow-up/simulate.ts'
import type { MonthsToSimulate } from './month-simulation.ts'

const { settings, cadences, kind, absences, ...month } = workerData as MonthsToSimulate
const away = (day: string) => missingOn(day, settings.admissions, absences)
parentPort?.postMessage(
  cadences.map(cadence => {
    const followUp = { ...settings.followUp, [kind]: cadence }
    return simulate({ ...month, kind, away, settings: { ...settings, followUp } })
  }),
)
