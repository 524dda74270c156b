/**
 * One replica of a simulated month, which `desk.ts` runs as a separate process: the whole service, with a
 * clock that orders set and a worker that works on order.
 */
import pino from 'pino'
import { buildConfig } from '../../src/config/config.ts'
import { checkSettings } from '../../src/config/settings.ts'
import { createApp } from '../../src/create-app.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { createLog } from '../../src/platform/log.ts'
import { deleteWhatIsOld } from '../../src/tasks/expiry-of-data.ts'
import { createLateWorkWatch } from '../../src/tasks/late-work-watch.ts'
import { scheduleReports } from '../../src/tasks/messages/weekly-report.ts'
// Its database never fails: if the machine stands still, this waits.
import '../../test/support/time-limits.ts'
import { SETTINGS } from './school.ts'

/**
 * Sets the clock to `now`, then: the worker does everything that is due; what is old is deleted, and the next weekly
 * report is scheduled; it looks for late work.
 */
export type Order = { id: number; now: number; drain?: boolean; sweep?: boolean; look?: boolean }

/** The first report is `ready`, with the port of each host. */
export type Report = { ready: Record<string, number> } | { done: number; failure?: string | undefined }

let now = Number(process.env['MONTH_NOW'])
const skew = Number(process.env['MONTH_SKEW'])
const clock = { now: () => now + skew }
const log = createLog('info', pino.destination({ dest: process.env['MONTH_LOG'], sync: true }))
const config = buildConfig(process.env, checkSettings(SETTINGS))
const app = await createApp(config, { clock, log, drainDelay: 0, databaseTimeout: 30_000 })
const addresses = await app.listen()
const calendar = createCalendar(config.settings)
const never = new AbortController().signal
const lookForLateWork = createLateWorkWatch({
  ...app,
  ...config,
  clock,
  log,
  wakeBrowser: async () => 'failed',
  changed: () => {},
})

// Without the process that gives the orders, there is nothing to do.
process.on('disconnect', () => process.exit())
process.on('message', async (order: Order) => {
  now = order.now
  try {
    if (order.drain) await app.worker.drain()
    if (order.sweep) {
      await deleteWhatIsOld({ ...app, ...config, clock, config, log }, never, { daily: true })
      await scheduleReports({ ...app, clock, calendar })
    }
    if (order.look) await lookForLateWork()
    report({ done: order.id })
  } catch (error) {
    report({ done: order.id, failure: String(error) })
  }
})
report({ ready: Object.fromEntries(Object.entries(addresses).map(([name, { port }]) => [name, port])) })

function report(what: Report): void {
  process.send?.(what, () => {})
}
