/** Values that are made when they are first needed. */
import { equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { lazy } from '../../src/platform/lazy.ts'

test('a lazy value is made once', async () => {
  let made = 0
  const value = lazy(() => ++made)
  equal(value(), 1)
  equal(value(), 1)
  const promised = lazy(async () => ++made)
  equal(await promised(), 2)
  equal(await promised(), 2)
})

test('a lazy promise that was rejected is made again, once for all who wait', async () => {
  let made = 0
  const value = lazy(async () => {
    if (++made === 1) throw new Error('the disk was busy')
    return made
  })
  const both = [value(), value()]
  for (const one of both) await rejects(one, /the disk was busy/)
  equal(made, 1)
  equal(await value(), 2)
  equal(await value(), 2)
})
