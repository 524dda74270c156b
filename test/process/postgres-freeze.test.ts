import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startPostgresServer } from '../support/postgres-server.ts'
import { notifyingOfEach, startProcess } from '../support/process.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import {
  assertAllNotified,
  assertAllStored,
  countStored,
  eventually,
  Load,
  NOTICES_WITHIN,
  RECOVERS_WITHIN,
  RESPONDS_WITHIN,
  Watch,
} from './faults.ts'

/** In milliseconds of the service's clock. The test also passes with 30,000, but takes longer. */
const FROZEN = 7000

/** How long each piece of data travels, in milliseconds: too long to wait for two batches. */
const SLOW = 800

describe('a PostgreSQL server that freezes', () => {
  test('delays no client for long, and a submission in doubt is stored once', async t => {
    const server = await startPostgresServer()
    t.after(() => server.remove())
    const service = await startProcess(t, { env: { ...notifyingOfEach, DATABASE_URL: server.url } })
    const load = new Load(service)
    const watch = new Watch(service)
    await load.until(200, 20)

    await server.freeze()
    const frozen = service.now()
    while (service.now() - frozen < FROZEN) await wait(100)
    // A response may have been on its way.
    const acknowledged = load.responses.filter(({ status, at }) => status === 200 && at > frozen + 1000)
    server.thaw()
    const thawed = service.now()
    await load.until(200, 20)
    await eventually(() => Number.isFinite(watch.allReturned(200, thawed)), 'not ready again')
    await Promise.all([load.stop(), watch.stop()])

    equal(service.child.exitCode, null)
    equal(acknowledged.length, 0, 'a client got 200 while nothing could be stored')
    const { ledger } = load
    const total = await countStored(ledger, server.url)
    const inDoubt = total - ledger.acknowledged.size
    await assertAllStored(ledger, service, server.url)
    const notified = await assertAllNotified(server.url, ledger.attempted.size, [service.dataDir])
    const notReady = watch.allReturned(503, frozen)
    const ready = watch.allReturned(200, thawed)
    const recovered = load.recoveredAfter(thawed)
    t.diagnostic(
      `frozen for ${FROZEN} ms: responses within ${load.slowest().toFixed(0)} ms, ${load.count(503)} times 503, ${inDoubt} stored in spite of a 503; /healthz within ${watch.usualHealth().toFixed(0)} ms (at most ${Math.max(...watch.health).toFixed(0)}); every /readyz 503 after ${notReady.toFixed(0)} ms; after the thaw, last 503 after ${recovered.toFixed(0)} ms, every /readyz 200 after ${ready.toFixed(0)} ms; all notifications sent ${(notified / 1000).toFixed(1)} s later`,
    )
    ok(load.count(503) > 0)
    ok(load.slowest() < RESPONDS_WITHIN, `a response took ${load.slowest()} ms`)
    ok(watch.usualHealth() < 250, `/healthz took ${watch.usualHealth()} ms`)
    ok(notReady < NOTICES_WITHIN, `/readyz was 503 only after ${notReady} ms`)
    ok(recovered < RECOVERS_WITHIN, `still 503 after ${recovered} ms`)
    ok(ready < RECOVERS_WITHIN, `/readyz was 200 only after ${ready} ms`)

    await server.freeze()
    const signalled = service.now()
    const { code } = await service.kill('SIGTERM')
    const ended = service.now() - signalled
    t.diagnostic(`frozen again, SIGTERM ended it within ${ended.toFixed(0)} ms`)
    equal(code, 0)
    ok(ended < 20_000, `it ended only after ${ended} ms`)
  })
})

describe('a PostgreSQL server that is slow', () => {
  test('delays responses, but no client waits for long', async t => {
    const server = await startPostgresServer()
    t.after(() => server.remove())
    const proxy = await TcpProxy.start(t, server.url)
    const service = await startProcess(t, { env: { ...notifyingOfEach, DATABASE_URL: proxy.through(server.url) } })
    const load = new Load(service)
    await load.until(200, 10)
    proxy.delay = SLOW
    // Not 200: where the machine stands still, the connections end, and to make others takes too long.
    await load.until(undefined, 10)
    proxy.delay = 0
    await load.until(200, 10)
    await load.stop()
    await assertAllStored(load.ledger, service, server.url)
    t.diagnostic(`${SLOW} ms each way: responses within ${load.slowest().toFixed(0)} ms, ${load.count(503)} times 503`)
    ok(load.slowest() < RESPONDS_WITHIN, `a response took ${load.slowest()} ms`)
  })
})
