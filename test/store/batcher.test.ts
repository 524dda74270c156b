import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Batcher, delayFor } from '../../src/store/acceptance/batcher.ts'
import { StoreUnavailable } from '../../src/store/acceptance/store-unavailable.ts'

test('a batcher knows how long its oldest request has waited; if many wait, background work waits as long', async () => {
  const under = Promise.withResolvers<void>()
  const handle = async (batch: number[]) => {
    await under.promise
    return batch
  }
  const batcher = new Batcher<number, number>(handle, { timeout: 60_000, turns: 0 })
  equal(batcher.load().waitedFor, 0)
  const first = batcher.add(1)
  await wait(30)
  const second = batcher.add(2)
  const { waiting, waitedFor } = batcher.load()
  equal(waiting, 2)
  ok(waitedFor >= 29, `${waitedFor} ms`)
  ok(batcher.backgroundDelay() < 29, 'on a slow disk, a few wait all the time')
  const others = Array.from({ length: 9 }, (_, i) => batcher.add(i + 3))
  ok(batcher.backgroundDelay() >= 29)
  under.resolve()
  equal(await first, 1)
  equal(await second, 2)
  await Promise.all(others)
  equal(batcher.load().waitedFor, 0)
})

test('when the database is away, each request of a batch fails with the reason', async () => {
  const away = new StoreUnavailable('The database is not available: Connection terminated')
  const batcher = new Batcher<number, number>(() => Promise.reject(away), { timeout: 60_000, turns: 0 })
  const failures = await Promise.allSettled([batcher.add(1), batcher.add(2)])
  for (const failure of failures) {
    equal(failure.status, 'rejected')
    ok(/Connection terminated/.test((failure as PromiseRejectedResult).reason.message))
  }
})

test('background work pauses briefly where it can keep up with what comes in, and for two seconds at 500 a second', () => {
  ok(delayFor(1) < 1)
  ok(delayFor(14) < 10)
  ok(delayFor(20) < 25)
  ok(delayFor(50) >= 2000)
})

test('a rush lets background work pause for two seconds at most', async () => {
  const batcher = new Batcher<number, number>(async batch => batch, { timeout: 60_000, turns: 0 })
  await Promise.all(Array.from({ length: 500 }, (_, i) => batcher.add(i)))
  equal(batcher.backgroundDelay(), 2000)
})

test('a request that was given up stays so, even if its batch is done after all', async () => {
  const under = Promise.withResolvers<void>()
  const handle = async (batch: number[]) => {
    await under.promise
    return batch
  }
  const batcher = new Batcher<number, number>(handle, { timeout: 20, turns: 0 })
  const calls: string[] = []
  const given = Promise.withResolvers<void>()
  const failed = () => {
    calls.push('failed')
    given.resolve()
  }
  batcher.addWith(1, () => calls.push('done'), failed)
  await given.promise
  under.resolve()
  await batcher.idle()
  deepEqual(calls, ['failed'])
})
