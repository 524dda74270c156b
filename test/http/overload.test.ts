import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'

test('once submissions wait for half a second, the next is turned away at once, with its connection', async t => {
  const { app, postStudent } = await startApp(t)
  const under = async (waiting: number, waitedFor: number) => {
    app.store.load = () => ({ waiting, waitedFor, stalledFor: 0 })
    const { status, headers } = await postStudent(aStudent())
    return [status, headers.get('connection'), headers.get('retry-after')]
  }
  deepEqual(await under(1000, 500), [200, 'keep-alive', null])
  deepEqual(await under(32, 501), [503, 'close', '5'])
  // A few wait for a slow disk together, no longer than one of them alone.
  deepEqual((await under(31, 1999))[0], 200)
  equal((await under(0, 0))[0], 200)
})
