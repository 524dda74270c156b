/** A destination that is slow, and has a long list of events to hear, delays no other. */
import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { currentTestClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { addWebhook } from './add-destination.ts'
import { startReceiver } from './receiver.ts'

const LISTED = 250

/** How long the slow one takes to respond, in milliseconds. */
const A_WHILE = 20

onEachEngine(engine => {
  test('a destination that is slow to hear many events delays no other', async t => {
    const all = Promise.withResolvers<void>()
    const slow = await startReceiver(t, async () => {
      if (slow.received.length === LISTED) all.resolve()
      await wait(A_WHILE)
      return { status: 204 }
    })
    const first = Promise.withResolvers<number>()
    const quick = await startReceiver(t, () => {
      first.resolve(slow.received.length)
      return { status: 204 }
    })
    const env = { DESTINATION_NETWORKS: '127.0.0.0/8' }
    const service = await startConsole(t, { engine, env, clock: currentTestClock() })
    const { app, database, client } = service
    const admin = await client('admin')
    await addWebhook(admin, slow.url)
    await addWebhook(admin, quick.url, { name: 'Quick' })
    const columns = 'destination_id, event_id, type, at, facts'
    await sql(
      database,
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${LISTED})
       insert into deliveries (${columns}) select 1, 'event ' || n, 'test', 1, '{}' from numbers`,
    )
    await sql(
      database,
      `insert into tasks (lane, kind, subject, due_at, state, attempts, created_at)
       select 'deliveries', 'deliver', id, 0, 'due', 0, 1 from deliveries order by id`,
    )
    await app.store.sendTest(2, { now: service.clock.now(), audit: [] })
    app.work()
    const heardBefore = await first.promise
    t.diagnostic(`the quick one hears after ${heardBefore} of ${LISTED}`)
    ok(heardBefore < LISTED / 10, `it waited for ${heardBefore} events of the slow one`)
    await all.promise
  })
})
