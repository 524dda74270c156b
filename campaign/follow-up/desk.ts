/**
 * One replica of a simulated month, run by `desks.ts` as a process of its own: the whole service on a
 * clock that shows what it is told, and a worker that works when it is told.
 */
import pino from 'pino'
import { createApp } from '../../src/app.ts'
import { buildConfig } from '../../src/config/config.ts'
import { checkSettings } from '../../src/config/settings.ts'
import { createLog } from '../../src/log.ts'
import { SETTINGS } from './school.ts'

/** What the clocks show from now on; `drain` has all that is due then worked off. */
export type Order = { id: number; now: number; drain: boolean }

/** `ready` is the first: the port of each host. */
export type Report =
  | { ready: Record<string, number> }
  | { done: number; failure?: string | undefined }

let now = Number(process.env['MONTH_NOW'])
const skew = Number(process.env['MONTH_SKEW'])
const clock = { now: () => now + skew }
const log = createLog('info', pino.destination({ dest: process.env['MONTH_LOG'], sync: true }))
const config = buildConfig(process.env, checkSettings(SETTINGS))
const app = await createApp(config, { clock, log, drainDelay: 0, databaseTimeout: 30_000 })
const addresses = await app.listen()

// Without whoever gives the orders there is nothing to do.
process.on('disconnect', () => process.exit())
process.on('message', async (order: Order) => {
  now = order.now
  try {
    if (order.drain) await app.worker.drain()
    report({ done: order.id })
  } catch (error) {
    report({ done: order.id, failure: String(error) })
  }
})
report({
  ready: Object.fromEntries(Object.entries(addresses).map(([name, { port }]) => [name, port])),
})

function report(what: Report): void {
  process.send?.(what, () => {})
}
