/** Slack and Microsoft Teams, against stand-ins that respond as both are documented to. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import { scheduleReports } from '../../src/tasks/messages/weekly-report.ts'
import { aStudent } from '../support/bodies.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { addOf, formOf, startWithReceiver } from './add-destination.ts'
import type { Sent } from './receiver.ts'

const fields = ['firstName', 'lastName', 'programs', 'waitingSince']
const form = (url: string, events: string[] = ['lead.created']) => ({ name: 'Admissions', url, events, fields })

const stepsOf = async ({ database }: Pick<Awaited<ReturnType<typeof startWithReceiver>>, 'database'>) =>
  (await sql(database, "select state, attempts, note from tasks where kind = 'step' order by step")).map(row => ({
    ...row,
  }))

const bodyOf = (sent: Sent | undefined) => JSON.parse(sent?.body ?? 'null') as Record<string, unknown>

onEachEngine(engine => {
  for (const kind of ['slack', 'teams']) {
    describe(`a channel of ${kind}`, () => {
      test('hears of a new lead, with name and link, and without what the person wrote', async t => {
        const { admin, url, received, postStudent, settle } = await startWithReceiver(t, { engine })
        await addOf(kind, admin, form(url))
        await postStudent(aStudent({ firstName: 'Ana', message: 'My number is secret' }))
        await settle()
        equal(received.length, 1)
        const body = received[0]?.body ?? ''
        match(body, /New lead/)
        match(body, /Ana/)
        match(body, /Waiting for/)
        match(body, /\/leads\/1"/)
        doesNotMatch(body, /secret|mail\.example/)
      })

      test('hears of a lead that waits until others than its counselor are reminded, once for each reminder', async t => {
        const settings = { admissions: { manager: { name: 'Kim Lee', email: 'kim@school.example' } } }
        const { admin, url, received, postStudent, settle, clock } = await startWithReceiver(t, { engine, settings })
        await addOf(kind, admin, form(url, ['lead.late']))
        await postStudent(aStudent())
        await settle()
        equal(received.length, 0)
        for (let hours = 0; hours < 96 && received.length === 0; hours += 1) {
          clock.advance(HOUR)
          await settle()
        }
        match(received[0]?.body ?? '', /no one has reached them/)
        match(received[0]?.body ?? '', /Waiting for/)
      })

      test('hears of a lead that waits at a step of the cadence, once, though the process dies in the middle of it', async t => {
        const step = { name: 'chat', after: '10 minutes', clock: 'school', channel: 'chat' } as const
        const service = await startWithReceiver(t, { engine, settings: { followUp: { student: [step] } } })
        const { admin, url, received, postStudent, settle, clock, app } = service
        await addOf(kind, admin, form(url, ['lead.late']))
        await postStudent(aStudent({ firstName: 'Ana' }))
        const died = t.mock.method(app.store, 'concludeStep', () => Promise.reject(new Error('the process died')), {
          times: 1,
        })
        for (let hours = 0; hours < 110; hours += 1) {
          clock.advance(HOUR)
          await settle()
        }
        equal(died.mock.callCount(), 1)
        deepEqual(await stepsOf(service), [{ state: 'done', attempts: 2, note: null }])
        equal(received.length, 1)
        match(received[0]?.body ?? '', /Still waiting[\s\S]*Ana/)
        doesNotMatch((await admin.get('/leads/1')).text, /to the chat channels sent/)
        const emails = await app.store.listMail({ state: 'sent', limit: 9 })
        deepEqual(emails.map(({ kind }) => kind).sort(), ['notify', 'receipt'])
      })

      test('that hears of no lead that waits is skipped by such a step, and the next one comes', async t => {
        const chat = { name: 'chat', after: '10 minutes', clock: 'school', channel: 'chat' } as const
        const team = {
          name: 'team',
          after: '20 minutes',
          clock: 'school',
          to: 'team',
          message: 'notifications/reminder.md',
        } as const
        const service = await startWithReceiver(t, { engine, settings: { followUp: { student: [chat, team] } } })
        const { admin, url, received, postStudent, settle, clock } = service
        await addOf(kind, admin, form(url, ['lead.created']))
        await postStudent(aStudent())
        for (let hours = 0; hours < 110; hours += 1) {
          clock.advance(HOUR)
          await settle()
        }
        equal(received.length, 1)
        const note = 'no destination that is on gets lead.late'
        deepEqual(await stepsOf(service), [
          { state: 'skipped', attempts: 1, note },
          { state: 'done', attempts: 1, note: 'Example Vocational School Admissions' },
        ])
      })

      test('is asked to wait when it gets too much, and gets everything once', async t => {
        let busy = true
        const { admin, url, received, settle, clock } = await startWithReceiver(t, {
          engine,
          answer: () => (busy ? { status: 429, headers: { 'Retry-After': '30' } } : { status: 200, body: 'ok' }),
        })
        await addOf(kind, admin, form(url))
        await admin.post('/destinations/1/test')
        await settle()
        busy = false
        clock.advance(20 * SECOND)
        await settle()
        equal(received.length, 1)
        clock.advance(MINUTE)
        await settle()
        equal(received.length, 2)
        match(
          received[1]?.body ?? '',
          /This is a test[\s\S]*Waiting for[\s\S]*20 minutes[\s\S]*localhost:3002\/leads\/0/,
        )
      })

      test('that no longer exists is switched off, and the admins get one email', async t => {
        const service = await startWithReceiver(t, { engine, answer: () => ({ status: 404, body: 'no_service' }) })
        const { admin, url, settle, sent, clock, client } = service
        await addOf(kind, admin, form(url))
        await admin.post('/destinations/1/test')
        await settle()
        const told = () => sent.filter(({ subject }) => /Admissions no longer gets leads/.test(subject))
        equal(told().length, 1)
        match(told()[0]?.text ?? '', /it no longer exists[\s\S]*\/destinations\/1/)
        clock.advance(HOUR)
        await settle()
        equal(told().length, 1)
        await (await client('admin')).post('/destinations/1/on')
        await settle()
        equal(told().length, 2)
      })

      test('is not told that a lead was erased', async t => {
        const { admin, url, received, postStudent, settle, app, clock } = await startWithReceiver(t, { engine })
        await addOf(kind, admin, form(url, ['lead.late']))
        const person = aStudent()
        await postStudent(person)
        await settle()
        const erasing = { askedBy: 'command line', confirmedBy: null, reason: 'asked' } as const
        await app.store.erasePerson(String(person.email), { ...erasing, addressHash: undefined, now: clock.now() })
        await settle()
        deepEqual(received, [])
        match((await admin.get('/destinations/1')).text, /chat channels do not get such events/)
      })

      test('hears of each week once', async t => {
        const { admin, url, received, postStudent, settle, clock, app } = await startWithReceiver(t, { engine })
        await addOf(kind, admin, form(url, ['report.weekly']))
        await postStudent(aStudent())
        const calendar = createCalendar(checkSettings({}).settings)
        await scheduleReports({ store: app.store, clock, calendar })
        for (let hours = 0; hours < 10 * 24 && received.length === 0; hours += 4) {
          clock.advance(4 * HOUR)
          await settle()
        }
        match(received[0]?.body ?? '', /Students who wrote in/)
        match(received[0]?.body ?? '', /\/report\?week=/)
        clock.advance(HOUR)
        await settle()
        equal(received.length, 1)
      })
    })
  }

  test('a channel hears once of a step that reminds the manager, though its email fails and the follow-up is paused meanwhile', async t => {
    const step = { name: 'manager', after: '10 minutes', clock: 'school', to: 'manager' } as const
    let refuses = true
    const service = await startWithReceiver(t, {
      engine,
      settings: {
        followUp: { student: [{ ...step, message: 'notifications/reminder.md' }] },
        admissions: { manager: { name: 'Kim Lee', email: 'kim@school.example' } },
      },
      mail: async ({ to }) => {
        if (refuses && to.address === 'kim@school.example') throw new Error('452 try later')
      },
    })
    const { admin, client, url, received, postStudent, settle, clock } = service
    await addOf('slack', admin, form(url, ['lead.late']))
    await postStudent(aStudent())
    const hours = async (count: number, until = () => false) => {
      for (let hour = 0; hour < count && !until(); hour++) {
        clock.advance(HOUR)
        await settle()
      }
    }
    await hours(110, () => received.length > 0)
    equal(received.length, 1)
    const later = await client('admin')
    match((await later.post('/leads/1', { do: 'pause' })).text, /is paused/)
    await hours(2)
    match((await later.post('/leads/1', { do: 'resume' })).text, /has resumed/)
    refuses = false
    await hours(110)
    deepEqual(
      (await stepsOf(service)).map(({ state }) => state),
      ['done'],
    )
    equal(received.length, 1)
    await postStudent(aStudent({ message: 'Are you there?' }))
    await hours(110)
    equal(received.length, 2)
  })

  describe('the URL of a channel', () => {
    test('of a connector that Microsoft has retired is refused, with what to do instead', async t => {
      const { admin } = await startWithReceiver(t, { engine })
      for (const url of [
        'https://school.webhook.office.com/webhookb2/a@b/IncomingWebhook/c',
        'https://outlook.office.com/webhook/a',
      ]) {
        const { status, text } = await admin.post('/destinations/new/teams', formOf(form(url)))
        equal(status, 422, url)
        match(text, /has retired[\s\S]*Send webhook alerts to a channel/)
      }
    })

    test('of Slack that is not an incoming webhook is refused', async t => {
      const { admin } = await startWithReceiver(t, { engine })
      const { status, text } = await admin.post(
        '/destinations/new/slack',
        formOf(form('https://hooks.slack.com/triggers/a')),
      )
      equal(status, 422)
      match(text, /not an incoming webhook/)
    })
  })

  describe('a lead', () => {
    test('is handed over again to the destinations that an admin chooses', async t => {
      const { admin, client, url, received, postStudent, settle } = await startWithReceiver(t, { engine })
      await postStudent(aStudent())
      await settle()
      doesNotMatch((await admin.get('/leads/1')).text, /Hand over again/)
      const request = {
        verb: 'POST',
        url,
        type: 'application/json',
        body: '{"id": {{ lead.id }}}',
        events: ['lead.created'],
      }
      await addOf('request', admin, request)
      await addOf('slack', admin, form(url))
      match((await admin.get('/leads/1')).text, /Hand over again/)
      doesNotMatch((await (await client('manager')).get('/leads/1')).text, /Hand over again/)
      doesNotMatch((await admin.get('/leads/1/destinations')).text, /Admissions/)
      equal((await admin.post('/leads/1/destinations', { to: '2' })).status, 422)
      match((await admin.post('/leads/1/destinations', { to: '1' })).text, /is handed over to Records/)
      await settle()
      deepEqual(received.map(bodyOf), [{ id: 1 }])
    })
  })
})
