import { equal, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { postgresRows } from '../support/postgres.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { notifyingOfEach, startProcess } from '../support/process.ts'
import {
  assertAllNotified,
  assertAllStored,
  countStored,
  Load,
  makeDatabase,
  RECOVERS_WITHIN,
  RESPONDS_WITHIN,
} from './faults.ts'

describe('a PostgreSQL server that is restarted under load', () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgresServer({ durable: true })
  })
  after(() => server.remove())

  for (const [how, stop] of [
    ['properly', () => server.stop()],
    ['after a crash', () => server.stop({ immediately: true })],
  ] as const) {
    test(`${how} makes intake return 503, and no acknowledged submission is lost`, async t => {
      const url = await makeDatabase(server)
      const service = await startProcess(t, { env: { ...notifyingOfEach, DATABASE_URL: url } })
      const load = new Load(service)
      await load.until(200, 10)
      await stop()
      await load.until(503, 5)
      await wait(500)
      await server.start()
      const accepting = service.now()
      await load.until(200, 10)
      await wait(500)
      await load.stop()

      equal(service.child.exitCode, null)
      const { ledger } = load
      const kept = await countStored(ledger, url)
      await assertAllStored(ledger, service, url)
      const notified = await assertAllNotified(url, ledger.attempted.size, [service.dataDir])
      const recovered = load.recoveredAfter(accepting)
      t.diagnostic(
        `${load.count(200)} times 200, ${load.count(503)} times 503, ${kept} stored of ${ledger.attempted.size} before the retry; responses within ${load.slowest().toFixed(0)} ms; last 503 ${recovered.toFixed(0)} ms after the server was back; all notifications sent ${(notified / 1000).toFixed(1)} s later`,
      )
      ok(load.slowest() < RESPONDS_WITHIN, `a response took ${load.slowest()} ms`)
      ok(recovered < RECOVERS_WITHIN, `still 503 after ${recovered} ms`)
    })
  }

  test('may end every connection again and again: some requests get 503, and nothing is lost', async t => {
    const url = await makeDatabase(server)
    const service = await startProcess(t, { env: { ...notifyingOfEach, DATABASE_URL: url } })
    const load = new Load(service, { pause: 100 })
    await load.until(200, 10)
    let ended = 0
    let filing = 0
    for (let round = 0; round < 30; round++) {
      if (round % 2 === 0) ended += await end(url, 'true')
      else filing += await end(url, FILING)
      // Others succeed meanwhile.
      await load.until(200, 2)
    }
    const stopped = service.now()
    await load.until(200, 10)
    await load.stop()

    equal(service.child.exitCode, null)
    const { ledger } = load
    const kept = await countStored(ledger, url)
    await assertAllStored(ledger, service, url)
    const notified = await assertAllNotified(url, ledger.attempted.size, [service.dataDir])
    const recovered = load.recoveredAfter(stopped)
    t.diagnostic(
      `ended ${ended} connections of all kinds and ${filing} in the middle of filing; ${load.count(200)} times 200, ${load.count(503)} times 503, ${kept} stored of ${ledger.attempted.size} before the retry; responses within ${load.slowest().toFixed(0)} ms; last 503 ${recovered.toFixed(0)} ms after the last end; all notifications sent ${(notified / 1000).toFixed(1)} s later`,
    )
    ok(filing > 0, 'no connection was ended in the middle of filing')
    ok(load.slowest() < RESPONDS_WITHIN)
    ok(recovered < RECOVERS_WITHIN)
  })
})

/** A connection that is filing: it is in a transaction of several statements. */
const FILING = `state = 'idle in transaction' or query like 'insert into "%'`

/** Ends the service's connections that match, as soon as there are any. Returns how many. */
async function end(url: string, which: string): Promise<number> {
  for (let tries = 0; tries < 20; tries++) {
    const ended = await postgresRows(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'frontdesk' and (${which})`,
    )
    if (ended.length > 0) return ended.length
  }
  return 0
}
