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

test('a request that was given up stays given up, even if its batch is stored after all', async () => {
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

test('on a slow disk, batches are handed over while those before are under way, but not in a rush', async t => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const open: (() => void)[] = []
  const batches: number[][] = []
  const handle = (batch: number[]) => {
    batches.push(batch)
    return new Promise<number[]>(resolve => open.push(() => resolve(batch)))
  }
  const batcher = new Batcher<number, number>(handle, { timeout: 60_000, turns: 0, overlapping: true })
  const turn = () => new Promise(resolve => setImmediate(resolve))
  const endFirst = async (takes: number) => {
    now += takes
    open.shift()?.()
    await turn()
  }
  const addOne = async (request: number) => {
    const added = batcher.add(request)
    await turn()
    return { added }
  }

  await addOne(1)
  await addOne(2)
  deepEqual(batches, [[1]], 'it is not known to be slow yet')
  for (let i = 0; i < 30; i++) {
    await endFirst(200)
    await addOne(0)
  }
  while (batcher.load().waiting > 0) await endFirst(200)
  batches.length = 0
  await addOne(1)
  await addOne(2)
  const last = (await addOne(3)).added
  deepEqual(batches, [[1], [2], [3]])
  now += 50
  deepEqual(batcher.load(), { waiting: 3, waitedFor: 50, stalledFor: 50 })
  while (batcher.load().waiting > 0) await endFirst(0)
  equal(await last, 3)
  await batcher.idle()

  now += 1000
  batches.length = 0
  await Promise.all([Promise.all(Array.from({ length: 50 }, (_, i) => batcher.add(i))), turn().then(() => endFirst(0))])
  await addOne(1)
  await addOne(2)
  deepEqual([batches.length, batches[1]], [2, [1]])
  while (batcher.load().waiting > 0) await endFirst(0)
})
