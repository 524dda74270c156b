/** Keeps the mail of each week scheduled: the report, and the list of leads that no one tried to reach. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { HOUR, MINUTE } from '../platform/time.ts'
import { scheduleUnattendedMail } from './messages/unattended.ts'
import { scheduleReports } from './messages/weekly-report.ts'

type Dependencies = Parameters<typeof scheduleReports>[0] &
  Parameters<typeof scheduleUnattendedMail>[0] & {
    log: Logger
    /** Resolves after so many milliseconds, or when `signal` is aborted. */
    wait?: (time: number, signal: AbortSignal) => Promise<void>
  }

const waitFor = (time: number, signal: AbortSignal): Promise<void> =>
  sleep(time, undefined, { signal, ref: false }).catch(() => {})

/**
 * Schedules both now and once an hour, since a clock may be set, until `signal` is aborted. While the database is away,
 * once a minute.
 */
export async function keepSchedulingWeeklyMail(deps: Dependencies, signal: AbortSignal): Promise<void> {
  const { log, wait = waitFor } = deps
  while (!signal.aborted) {
    const scheduled = await Promise.allSettled([scheduleReports(deps), scheduleUnattendedMail(deps)])
    const failure = scheduled.find(one => one.status === 'rejected')
    if (failure && !signal.aborted) log.warn({ err: failure.reason }, 'the weekly mail could not be scheduled yet')
    await wait(failure ? MINUTE : HOUR, signal)
  }
}
