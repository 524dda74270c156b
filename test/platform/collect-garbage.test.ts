import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { Script } from 'node:vm'
import { collectGarbage, collectGarbageOnceIdle } from '../../src/platform/collect-garbage.ts'

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

test('compiled code from before is still used afterward', () => {
  const source = '(() => 1)()'
  const cachedData = new Script(source).createCachedData()
  collectGarbage()
  equal(new Script(source, { cachedData }).cachedDataRejected, false)
})
