import { equal, match, ok } from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { postgresRows } from '../support/postgres.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { notifyingOfEach, startProcess } from '../support/process.ts'
import { fill, mayMount, mountSmallDisk } from '../support/small-disk.ts'
import { assertAllNotified, assertAllStored, countStored, Load, RECOVERS_WITHIN, RESPONDS_WITHIN } from './faults.ts'

/** The free space that is left on the small disk, in bytes. */
const ROOM = 128 * 1024

describe('a PostgreSQL server whose disk is full', () => {
  test('makes intake return 503, never a false 200, until it has space or has recovered', async t => {
    if (!mayMount()) {
      t.skip('mounting a small disk needs Linux and the capability CAP_SYS_ADMIN')
      return
    }
    const folder = mountSmallDisk(t, 192)
    const flags = ['max_wal_size=32MB', 'min_wal_size=32MB'].flatMap(flag => ['-c', flag])
    const server = await startPostgresServer({ durable: true, folder, flags })
    t.after(() => server.remove())
    const { url } = server
    const service = await startProcess(t, { env: { ...notifyingOfEach, DATABASE_URL: url } })
    const load = new Load(service, { clients: 10, pause: 50 })
    await load.until(200, 10)

    // The tables cannot grow: the server rejects each statement.
    const filler = join(folder, 'filler')
    fill(filler, ROOM)
    await load.until(503, 20)
    ok(server.running)
    equal((await fetch(`${service.origin.site}/healthz`)).status, 200)
    rmSync(filler)
    const freed = service.now()
    await load.until(200, 10)
    // Only now: for a new connection, the server may have to write a file.
    await countStored(load.ledger, url)
    const resumed = load.recoveredAfter(freed)
    const rejected = load.count(503)

    // The log cannot grow: the server shuts alreadyRunning down, and cannot recover while there is no space.
    equal(server.log().includes('not properly shut down'), false)
    fill(filler, 0)
    await postgresRows(url, 'select pg_switch_wal()').catch(() => {})
    await load.until(503, 20)
    await wait(1000)
    rmSync(filler)
    const alreadyRunning = server.running
    if (!server.running) await server.start()
    const running = service.now()
    await load.until(200, 20)
    await wait(500)
    await load.stop()
    match(server.log(), /was not properly shut down; automatic recovery in progress/)

    equal(service.child.exitCode, null)
    const { ledger } = load
    const before = await countStored(ledger, url)
    await assertAllStored(ledger, service, url)
    await assertAllNotified(url, ledger.attempted.size, [service.dataDir])
    const recovered = load.recoveredAfter(running)
    t.diagnostic(
      `tables: ${rejected} times 503, last one ${resumed.toFixed(0)} ms after there was space; log: a crash, and the server ${alreadyRunning ? 'recovered by itself' : 'had to be started again'}, last 503 ${recovered.toFixed(0)} ms after that; responses within ${load.slowest().toFixed(0)} ms; ${load.count(200)} times 200, ${before} stored of ${ledger.attempted.size} before the retry`,
    )
    ok(load.slowest() < RESPONDS_WITHIN, `a response took ${load.slowest()} ms`)
    ok(resumed < RECOVERS_WITHIN && recovered < RECOVERS_WITHIN)
  })
})
