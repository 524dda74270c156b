/** What a destination misses while it is off or fails, and what it is sent once it is on or responds again. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { expireDeliveries } from '../../src/tasks/expiry-of-data.ts'
import { aStudent } from '../support/bodies.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { addWebhook, startWithReceiver, typesOf } from './add-destination.ts'

const erasing = { askedBy: 'command line', confirmedBy: null, reason: 'asked', addressHash: undefined } as const

onEachEngine(engine => {
  describe('a destination that was off', () => {
    test('gets what it missed, in order, if the admin wants that, and once', async t => {
      const { admin, url, received, postStudent, settle, clock } = await startWithReceiver(t, { engine })
      await addWebhook(admin, url, {}, ['lead.created', 'lead.stage_changed'])
      await postStudent(aStudent())
      await settle()
      await admin.post('/destinations/1/off')
      await postStudent(aStudent({ email: 'second@mail.example' }))
      await settle()
      await admin.post('/leads/2', { do: 'stage', stage: 'qualified' })
      clock.advance(MINUTE)
      match((await admin.get('/destinations/1')).text, /Send 2 events that it missed/)
      deepEqual(typesOf(received), ['lead.created'])
      match((await admin.post('/destinations/1/on', { missed: 'yes' })).text, /is on, and gets 2 events/)
      await settle()
      await admin.post('/destinations/1/off')
      await admin.post('/destinations/1/on', { missed: 'yes' })
      await settle()
      deepEqual(typesOf(received), ['lead.created', 'lead.created', 'lead.stage_changed'])
    })

    test('gets what waited when it was given up', async t => {
      let down = true
      const { admin, url, received, postStudent, settle, clock } = await startWithReceiver(t, {
        engine,
        answer: () => ({ status: down ? 500 : 204 }),
      })
      await addWebhook(admin, url, {}, ['lead.created'])
      await postStudent(aStudent())
      await settle()
      clock.advance(MINUTE)
      await postStudent(aStudent({ email: 'second@mail.example' }))
      await settle()
      await admin.post('/destinations/1/off')
      down = false
      const before = received.length
      await admin.post('/destinations/1/on', { missed: 'yes' })
      await settle()
      deepEqual(typesOf(received.slice(before)), ['lead.created', 'lead.created'])
    })

    test('otherwise hears only which leads were erased, however long ago', async t => {
      const service = await startWithReceiver(t, { engine })
      const { admin, url, received, postStudent, settle, clock, app, database } = service
      await addWebhook(admin, url, {}, ['lead.created', 'lead.stage_changed'])
      const person = aStudent()
      await postStudent(person)
      await settle()
      await admin.post('/destinations/1/off')
      await postStudent(aStudent({ email: 'second@mail.example' }))
      await settle()
      await app.store.erasePerson(String(person.email), { ...erasing, now: clock.now() })
      clock.advance(40 * DAY)
      await expireDeliveries({ store: app.store, clock } as never, AbortSignal.timeout(MINUTE))
      deepEqual(
        (await sql(database, 'select type from deliveries')).map(({ type }) => type),
        ['lead.erased'],
      )
      const on = await (await service.client('admin')).post('/destinations/1/on')
      match(on.text, /Of what it missed, only which leads were erased is sent/)
      await settle()
      deepEqual(typesOf(received), ['lead.created', 'lead.erased'])
    })
  })

  test('a destination that is switched off while an event is about to wait for an earlier one does not get it', async t => {
    const { promise: isOff, resolve: switchedOff } = Promise.withResolvers<void>()
    const { admin, url, received, postStudent, settle, app } = await startWithReceiver(t, {
      engine,
      answer: async () => {
        if (received.length === 1) await admin.post('/destinations/1/off').then(() => switchedOff())
        return { status: 204 }
      },
    })
    await addWebhook(admin, url, {}, ['lead.created', 'submission.received'])
    const { waitForEarlier } = app.store
    t.mock.method(app.store, 'waitForEarlier', (...args: Parameters<typeof waitForEarlier>) =>
      isOff.then(() => waitForEarlier(...args)),
    )
    await postStudent(aStudent())
    await settle()
    deepEqual(typesOf(received), ['lead.created'])
    await admin.post('/destinations/1/on', { missed: 'yes' })
    await settle()
    deepEqual(typesOf(received), ['lead.created', 'lead.created', 'submission.received'])
  })

  test('a destination that ended by 410, or failed for days, misses the event with which it ended, too', async t => {
    for (const refusal of [410, 500]) {
      let status = refusal
      const service = await startWithReceiver(t, { engine, answer: () => ({ status }) })
      const { url, received, postStudent, settle, clock, client, admin } = service
      await addWebhook(admin, url, {}, ['lead.created', 'submission.received'])
      await postStudent(aStudent())
      await settle()
      for (let day = 0; day < 7 && refusal === 500; day++) {
        clock.advance(DAY + 6 * HOUR)
        await settle()
      }
      const again = await client('admin')
      match((await again.get('/destinations/1')).text, /Send 2 events that it missed/)
      status = 204
      const before = received.length
      await again.post('/destinations/1/on', { missed: 'yes' })
      await settle()
      deepEqual(typesOf(received.slice(before)), ['lead.created', 'submission.received'])
    }
  })

  test('a destination that keeps failing gets one event at a time, and all of them once it responds', async t => {
    let status = 500
    const { admin, url, received, postStudent, settle, clock } = await startWithReceiver(t, {
      engine,
      answer: () => ({ status }),
    })
    await addWebhook(admin, url, {}, ['lead.created'])
    for (const email of ['one@mail.example', 'two@mail.example', 'three@mail.example', 'four@mail.example']) {
      await postStudent(aStudent({ email }))
      await settle()
    }
    equal(received.length, 1)
    clock.advance(HOUR)
    await settle()
    equal(received.length, 2)
    status = 204
    clock.advance(HOUR)
    await settle()
    equal(received.length, 6)
  })
})
