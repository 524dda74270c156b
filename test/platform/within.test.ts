import { deepEqual, equal, rejects } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { TimeoutError, within } from '../../src/platform/within.ts'

const { promise: never } = Promise.withResolvers<never>()

describe('within a time limit', () => {
  test('work resolves and rejects as it would without one, and leaves no timer', async t => {
    const cleared = t.mock.method(globalThis, 'clearTimeout')
    equal(await within(60_000, Promise.resolve(7)), 7)
    const reason = new Error('the work failed')
    await rejects(within(60_000, Promise.reject(reason)), reason)
    equal(cleared.mock.callCount(), 2)
  })

  test('work that takes longer is a TimeoutError', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const outcomes: string[] = []
    const waiting = within(200, never).catch(error => {
      equal(error instanceof TimeoutError, true)
      outcomes.push(error.message)
    })
    t.mock.timers.tick(199)
    await Promise.resolve()
    deepEqual(outcomes, [])
    t.mock.timers.tick(1)
    await waiting
    deepEqual(outcomes, ['timed out after 200 ms'])
  })

  test('work that fails after its time is up does not end the process', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { promise, reject } = Promise.withResolvers<never>()
    const waiting = rejects(within(200, promise), TimeoutError)
    t.mock.timers.tick(200)
    await waiting
    reject(new Error('too late'))
    await new Promise(setImmediate)
  })

  test('waiting does not keep the process alive', () => {
    const script = `
      import { within } from './src/platform/within.ts'
      within(600_000, new Promise(() => {}))`
    const { status, signal } = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', script], {
      timeout: 120_000,
    })
    deepEqual({ status, signal }, { status: 0, signal: null })
  })
})
