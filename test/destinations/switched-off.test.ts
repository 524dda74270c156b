/** What a destination misses while it is off, and what it is sent once it is on again. */
import { deepEqual, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, MINUTE } from '../../src/platform/time.ts'
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
})
