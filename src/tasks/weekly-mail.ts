/** Keeps the mail of each week scheduled: the report, and the list of leads that no one tried to reach. */
import type { Logger } from 'pino'
import { HOUR, MINUTE } from '../platform/time.ts'
import { keepLooking, type Wait } from './lanes/in-portions.ts'
import { scheduleUnattendedMail } from './messages/unattended.ts'
import { scheduleReports } from './messages/weekly-report.ts'

type WeeklyMailServices = Parameters<typeof scheduleReports>[0] &
  Parameters<typeof scheduleUnattendedMail>[0] & { log: Logger; wait?: Wait }

/**
 * Schedules both now and once an hour (because a clock may be set), until `signal` is aborted. While the database is
 * unavailable, tries once a minute.
 */
export function keepSchedulingWeeklyMail(deps: WeeklyMailServices, signal: AbortSignal): Promise<void> {
  const { log, wait } = deps
  const scheduleBoth = async () => {
    const scheduled = await Promise.allSettled([scheduleReports(deps), scheduleUnattendedMail(deps)])
    for (const one of scheduled) if (one.status === 'rejected') throw one.reason
  }
  const failed = 'the weekly mail could not be scheduled yet'
  return keepLooking(scheduleBoth, { every: HOUR, retryAfter: MINUTE, log, failed, signal, wait })
}
