/** Which leads a destination hears of, what it is told of them, and what is sent to it again. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { addWebhook, startWithReceiver, typesOf, webhookForm } from './add-destination.ts'
import type { Sent } from './receiver.ts'

const leadOf = ({ event }: Sent) => event.data['lead'] as Record<string, unknown>

const leadsIn = (received: readonly Sent[]) => received.map(one => leadOf(one)['id'])

onEachEngine(engine => {
  describe('a destination', () => {
    test('hears only of leads in the stages, states and programs, and with the tags, that were chosen', async t => {
      const { admin, url, received, postStudent, postSite, settle, app, clock } = await startWithReceiver(t, { engine })
      const by = { actor: null, now: clock.now() }
      await postStudent(aStudent({ state: 'IL' }))
      await postStudent(aStudent({ state: 'WI', email: 'second@mail.example' }))
      await postSite(aSite())
      await settle()
      await app.store.addLabel(1, { kind: 'program', name: 'Welding', ...by })
      await app.store.addLabel(1, { kind: 'tag', name: 'Fair', ...by })
      await app.store.addLabel(2, { kind: 'tag', name: 'Fair', ...by })
      const some = { kind: 'student', programs: 'welding', tags: 'Fair, fair', states: 'il', stages: ['qualified'] }
      await addWebhook(admin, url, some, ['lead.stage_changed', 'lead.reached'])
      for (const id of [1, 2, 3]) await admin.post(`/leads/${id}`, { do: 'stage', stage: 'contacted' })
      await admin.post('/leads/3', { do: 'stage', stage: 'meeting' })
      for (const id of [1, 2]) await admin.post(`/leads/${id}`, { do: 'stage', stage: 'qualified' })
      await settle()
      deepEqual(leadsIn(received), [1])
      deepEqual(typesOf(received), ['lead.stage_changed'])
    })

    test('hears of a new lead by the program that its form named, also the first of that program', async t => {
      const settings = { programs: [{ name: 'Welding' }, { name: 'HVAC' }] }
      const { admin, url, received, postStudent, settle } = await startWithReceiver(t, { engine, settings })
      await addWebhook(admin, url, { programs: 'welding' }, ['lead.created'])
      for (const program of ['HVAC', 'Welding'])
        await postStudent(aStudent({ email: `${program}@mail.example`, message: `When does ${program} begin?` }))
      await settle()
      equal(received.length, 1)
    })

    test('cannot be filtered by a program, tag or state that does not exist', async t => {
      const { admin, url } = await startWithReceiver(t, { engine })
      const wrong = { programs: 'Weldng', tags: 'Far', states: 'Illinoise' }
      const { status, text } = await admin.post('/destinations/new/webhook', webhookForm(url, wrong))
      equal(status, 422)
      match(text, /no program “Weldng”[\s\S]*no tag “Far”[\s\S]*“ILLINOISE” is not a state/)
    })

    test('is told the fields that were chosen, and no others', async t => {
      const { admin, url, received, postStudent, settle, app, clock } = await startWithReceiver(t, { engine })
      await addWebhook(admin, url, { fields: ['firstName', 'message', 'tags', 'waitingSince'] }, ['lead.created'])
      const person = aStudent({ message: 'Is there an evening class?' })
      await postStudent(person)
      await settle()
      await app.store.addLabel(1, { kind: 'tag', name: 'Fair', actor: null, now: clock.now() })
      await admin.post('/destinations/1/resend', { delivery: '1' })
      await settle()
      const { id, firstName, message, tags, waitingSince, ...others } = leadOf(received[1] as Sent)
      deepEqual([id, firstName, message, tags], [1, person.firstName, 'Is there an evening class?', ['Fair']])
      ok(!Number.isNaN(Date.parse(String(waitingSince))))
      deepEqual(Object.keys(others), ['kind', 'stage', 'closedReason', 'counselor', 'mergedInto', 'url'])
    })

    test('gets everything since a moment again, in order, or only what was never delivered', async t => {
      let status = 200
      const { admin, url, received, postStudent, settle, clock } = await startWithReceiver(t, {
        engine,
        answer: () => ({ status, headers: status === 200 ? {} : { 'webhook-delivery': 'abort-message' } }),
      })
      await addWebhook(admin, url, {}, ['lead.created', 'submission.received', 'lead.stage_changed'])
      await postStudent(aStudent())
      await settle()
      clock.advance(2 * HOUR)
      status = 500
      await admin.post('/leads/1', { do: 'stage', stage: 'qualified' })
      await settle()
      status = 200
      received.length = 0
      clock.advance(MINUTE)
      const since = new Date(clock.now() - DAY).toISOString().slice(0, 16)
      const said = await admin.post('/destinations/1/resend', { since, type: '', undelivered: 'yes' })
      match(said.text, /The event is sent again/)
      await settle()
      deepEqual(typesOf(received), ['lead.stage_changed'])
      received.length = 0
      match((await admin.post('/destinations/1/resend', { since, type: '' })).text, /3 events are sent again/)
      await settle()
      deepEqual(typesOf(received), ['lead.created', 'submission.received', 'lead.stage_changed'])
      received.length = 0
      const later = new Date(clock.now() + DAY).toISOString().slice(0, 16)
      match((await admin.post('/destinations/1/resend', { since: later })).text, /Nothing was sent again/)
      equal((await admin.post('/destinations/1/resend', { since: 'soon' })).status, 422)
    })

    test('that fails gets one event to see whether it responds again, and then all others at once', async t => {
      let status = 500
      const { admin, url, received, postStudent, settle, clock } = await startWithReceiver(t, {
        engine,
        answer: () => ({ status }),
      })
      await addWebhook(admin, url, {}, ['lead.created'])
      const everyLead = new Set(Array.from({ length: 12 }, (_, n) => n + 1))
      for (const n of everyLead) await postStudent(aStudent({ email: `${n}@mail.example` }))
      await settle()
      const tried = new Set(leadsIn(received))
      ok(tried.size <= 2, `${tried.size} were tried at first`)
      status = 200
      received.length = 0
      while (received.length === 0) {
        clock.advance(SECOND)
        await settle()
      }
      const arrived = new Set(leadsIn(received))
      deepEqual(everyLead.difference(tried).difference(arrived), new Set(), 'none that was held back waits any longer')
    })

    test('that no longer exists is off once that is recorded: a process that dies between the two cannot leave it on', async t => {
      const { admin, url, postStudent, settle, app, database } = await startWithReceiver(t, {
        engine,
        answer: () => ({ status: 410 }),
      })
      await addWebhook(admin, url, {}, ['lead.created', 'submission.received'])
      await postStudent(aStudent())
      const { recordAttempt } = app.store
      const seen: unknown[] = []
      app.store.recordAttempt = async about => {
        const held = await recordAttempt(about)
        seen.push((await sql(database, 'select off_reason from destinations'))[0]?.['off_reason'])
        return held
      }
      await settle()
      equal(seen[0], 'gone')
    })

    test('hears that a message to a person was given up', async t => {
      const mail = { down: false }
      const { admin, url, received, postStudent, settle, clock } = await startWithReceiver(t, {
        engine,
        mail: async message => {
          if (mail.down && message.to.address.endsWith('mail.example')) throw new Error('421 try later')
        },
      })
      await addWebhook(admin, url, {}, ['message.failed'])
      mail.down = true
      await postStudent(aStudent())
      await settle()
      for (let hours = 0; hours < 7 * 24; hours += 4) {
        clock.advance(4 * HOUR)
        await settle()
      }
      ok(received.length > 0)
      deepEqual([...new Set(leadsIn(received))], [1])
    })
  })
})
