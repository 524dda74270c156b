import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { collectGarbageOnceIdle } from '../../src/platform/collect-garbage.ts'

test('the garbage of the start is collected once, and not while requests would wait for it', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let [rush, collected] = [true, 0]
  collectGarbageOnceIdle(
    () => !rush,
    () => void collected++,
  )
  t.mock.timers.tick(5000)
  equal(collected, 0)
  rush = false
  t.mock.timers.tick(999)
  equal(collected, 0)
  t.mock.timers.tick(1)
  equal(collected, 1)
  t.mock.timers.tick(5000)
  equal(collected, 1)
})

test('several threads may collect their garbage at the same moment', async () => {
  const thread = () => new Worker(new URL('./collecting-thread.ts', import.meta.url))
  // `once` rejects if a thread throws.
  const ended = await Promise.all([thread(), thread(), thread()].map(one => once(one, 'exit')))
  deepEqual(ended, [[0], [0], [0]])
})
