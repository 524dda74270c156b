/** Destinations: programs of a school that get leads by webhooks. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { everyField } from '../../src/destinations/event-payload.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import { createLateWorkWatch } from '../../src/tasks/late-work-watch.ts'
import { aStudent } from '../support/bodies.ts'
import { startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { addWebhook as add, webhookForm as form, keysOn, startWithReceiver, typesOf } from './add-destination.ts'
import { type Sent, startReceiver } from './receiver.ts'

const start = (t: TestContext, engine: Engine, answer?: Parameters<typeof startWithReceiver>[1]['answer']) =>
  startWithReceiver(t, { engine, answer })

/** A receiver that verifies by the public key, as the specification describes it. */
function isSignedWith(publicKey: string, { headers, body }: Sent): boolean {
  const raw = Buffer.from(publicKey.slice('whpk_'.length), 'base64')
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
  return (headers['webhook-signature'] ?? '')
    .split(' ')
    .filter(one => one.startsWith('v1a,'))
    .some(one => verify(null, content, key, Buffer.from(one.slice(4), 'base64')))
}

/** As the libraries verify, which accept what was signed within five minutes. */
function verifiesWith(secret: string, { headers, body }: Sent): void {
  new StandardWebhook(secret).verify(body, headers)
  new SvixWebhook(secret).verify(body, headers)
}

onEachEngine(engine => {
  describe('a webhook', () => {
    test('hears of a new lead in order, signed so that strangers can verify it, without personal data', async t => {
      const { admin, url, received, postStudent, settle } = await start(t, engine)
      const { secret, publicKey } = await add(admin, url)
      await postStudent(aStudent())
      await settle()
      equal(received[0]?.event.type, 'lead.created')
      equal(received[1]?.event.type, 'submission.received')
      equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, received.length)
      for (const sent of received) {
        verifiesWith(secret, sent)
        ok(isSignedWith(publicKey, sent))
        doesNotMatch(sent.body, /@|Okafor/)
      }
      const { lead } = (received[0] as Sent).event.data as { lead: Record<string, unknown> }
      equal(lead['id'], 1)
      match(String(lead['url']), /\/leads\/1$/)
    })

    test('is added once, even if the page that shows its keys is reloaded', async t => {
      const { admin, url, app } = await start(t, engine)
      const [once = ''] = /[\da-f-]{36}(?=">)/.exec((await admin.get('/destinations/new/webhook')).text) ?? []
      await add(admin, url, { once })
      match((await admin.post('/destinations/new/webhook', form(url, { once }))).text, /Records was added before\./)
      equal((await app.store.listDestinations()).length, 1)
    })

    test('hears only what it asked for, and gets a lead in full only if the admin chose that', async t => {
      const { admin, url, received, postStudent, settle } = await start(t, engine)
      await add(admin, url, { fields: ['email'] }, ['lead.created'])
      await add(admin, url, { kind: 'site', name: 'Partners' })
      const person = aStudent()
      await postStudent(person)
      await settle()
      deepEqual(typesOf(received), ['lead.created'])
      ok(received[0]?.body.includes(String(person.email)))
    })

    test('gets the events of a lead in order after it was down, each under its own id', async t => {
      let down = true
      const { admin, url, received, postStudent, settle, clock } = await start(t, engine, () =>
        down ? { status: 500, body: 'out of order' } : { status: 200 },
      )
      await add(admin, url, {}, ['lead.created', 'submission.received', 'lead.reached', 'lead.stage_changed'])
      await postStudent(aStudent())
      await settle()
      deepEqual(typesOf(received), ['lead.created'])
      match((await admin.get('/destinations/1')).text, /out of order[\s\S]*waits until/)
      await admin.post('/leads/1', { do: 'stage', stage: 'qualified' })
      clock.advance(10 * SECOND)
      await settle()
      down = false
      clock.advance(10 * MINUTE)
      await settle()
      clock.advance(MINUTE)
      await settle()
      const ids = received.map(({ headers }) => headers['webhook-id'])
      equal(new Set(ids.slice(0, 3)).size, 1)
      deepEqual(typesOf(received.slice(2)), ['lead.created', 'submission.received', 'lead.stage_changed'])
    })

    test('that failed shows that other events wait until it responds again, and gets them then', async t => {
      let down = true
      const { admin, url, received, postStudent, settle, clock } = await start(t, engine, () => ({
        status: down ? 500 : 200,
      }))
      await add(admin, url, {}, ['lead.created'])
      for (const email of ['one@mail.example', 'two@mail.example', 'three@mail.example']) {
        await postStudent(aStudent({ email }))
        await settle()
      }
      equal(received.length, 1)
      const waiting = [
        ...(await admin.get('/destinations/1')).text.matchAll(/waits until the destination responds again/g),
      ]
      equal(waiting.length, 2)
      down = false
      clock.advance(10 * SECOND)
      await settle()
      equal(received.length, 4)
    })

    test('is told to the admins after an hour, by an email and by a banner, until it responds', async t => {
      let down = true
      const service = await start(t, engine, () => ({ status: down ? 500 : 200 }))
      const { admin, url, postStudent, settle, clock, sent, app } = service
      const look = createLateWorkWatch({
        store: app.store,
        settings: defaultSettings,
        clock,
        log: { fatal: () => {} } as never,
        wakeBrowser: async () => 'woken',
        changed: () => {},
      })
      const pass = async (minutes: number) => {
        for (let minute = 0; minute < minutes; minute++) {
          clock.advance(MINUTE)
          await settle()
          await look()
        }
        await settle()
      }
      const told = () => sent.filter(({ subject }) => subject.includes('Destinations get leads late')).length
      await add(admin, url, {}, ['lead.created'])
      for (const email of ['one@mail.example', 'two@mail.example']) await postStudent(aStudent({ email }))
      await pass(58)
      equal(told(), 0)
      await pass(4)
      equal(told(), 1)
      match((await admin.get('/today')).text, /Destinations get leads late\.[\s\S]*says for which of them, and why/)
      down = false
      await pass(120)
      equal(told(), 2)
      doesNotMatch((await admin.get('/today')).text, /Destinations get leads late/)
    })

    test('is switched off at once by 410, and after five days of failures, and can be switched on', async t => {
      let status = 410
      const service = await start(t, engine, () => ({ status }))
      const { admin, client, url, received, postStudent, settle, clock, request, origin } = service
      const warnings = async () => ((await request(`${origin.console}/readyz`)).body as { warnings: string[] }).warnings
      await add(admin, url, {}, ['lead.created'])
      await postStudent(aStudent())
      await settle()
      equal(received.length, 1)
      deepEqual(await warnings(), [
        'Records no longer gets leads. It is off: the receiver responded that it no longer exists.',
      ])
      clock.advance(MINUTE)
      const banner = /<strong>Records no longer gets leads\.<\/strong>.*href="\/destinations\/1"/
      match((await admin.get('/today')).text, banner)
      doesNotMatch((await (await client('counselor')).get('/today')).text, /no longer gets/)
      match((await admin.get('/destinations/1')).text, /It is off:.* it no longer exists/)
      doesNotMatch((await admin.post('/destinations/1/on')).text, /no longer gets/)
      deepEqual(await warnings(), [])
      status = 302
      await postStudent(aStudent({ email: 'second@mail.example' }))
      await settle()
      for (let day = 0; day < 6; day++) {
        clock.advance(DAY + 6 * HOUR)
        await settle()
      }
      match((await (await client('admin')).get('/destinations/1')).text, /for five days/)
      const attempts = received.length
      clock.advance(2 * DAY)
      await settle()
      equal(received.length, attempts)
    })

    test('is switched off when it has failed for five days, whichever event shows it', async t => {
      const service = await start(t, engine, () => ({ status: 500 }))
      const { admin, client, url, postStudent, settle, clock } = service
      await add(admin, url, {}, ['lead.created'])
      await postStudent(aStudent())
      await settle()
      clock.advance(5 * DAY - 2 * MINUTE)
      await settle()
      clock.advance(3 * MINUTE)
      await postStudent(aStudent({ email: 'second@mail.example' }))
      await settle()
      match((await (await client('admin')).get('/destinations/1')).text, /It is off: .*for five days/)
    })

    test('stays on if it never accepts one event and takes the others, and gives that one up after five days', async t => {
      const service = await start(t, engine, ({ body }) => ({ status: body.includes('poison@') ? 500 : 200 }))
      const { admin, client, url, received, postStudent, settle, clock } = service
      await add(admin, url, { fields: ['email'] }, ['lead.created'])
      await postStudent(aStudent({ email: 'poison@mail.example' }))
      for (let day = 1; day <= 7; day++) {
        await postStudent(aStudent({ email: `other.${day}@mail.example` }))
        await settle()
        clock.advance(DAY)
        await settle()
      }
      const taken = new Set(received.flatMap(({ body }) => /other\.\d/.exec(body) ?? []))
      equal(taken.size, 7)
      const attempts = received.length
      clock.advance(3 * DAY)
      await settle()
      equal(received.length, attempts)
      const page = (await (await client('admin')).get('/destinations/1')).text
      doesNotMatch(page, /It is off/)
      match(page, /given up/)
    })

    test('waits as long as Retry-After says', async t => {
      let busy = true
      const { admin, url, received, settle, clock } = await start(t, engine, () =>
        busy ? { status: 429, headers: { 'Retry-After': '3600' } } : { status: 200 },
      )
      await add(admin, url)
      await admin.post('/destinations/1/test')
      await settle()
      busy = false
      clock.advance(50 * MINUTE)
      await settle()
      equal(received.length, 1)
      clock.advance(11 * MINUTE)
      await settle()
      deepEqual(typesOf(received), ['test', 'test'])
    })

    test('gets an event again when an admin asks, and new keys beside the old ones for a day', async t => {
      const { admin, client, url, received, settle, clock } = await start(t, engine)
      const old = await add(admin, url)
      await admin.post('/destinations/1/test')
      await settle()
      const fresh = keysOn((await admin.post('/destinations/1/keys')).text)
      await admin.post('/destinations/1/resend', { delivery: '1' })
      await settle()
      equal(received.length, 2)
      equal(received[1]?.headers['webhook-id'], received[0]?.headers['webhook-id'])
      for (const { secret, publicKey } of [old, fresh]) {
        verifiesWith(secret, received[1] as Sent)
        ok(isSignedWith(publicKey, received[1] as Sent))
      }
      clock.advance(25 * HOUR)
      await (await client('admin')).post('/destinations/1/test')
      await settle()
      const last = received.at(-1) as Sent
      ok(isSignedWith(fresh.publicKey, last))
      ok(!isSignedWith(old.publicKey, last))
    })

    test('is told numbers that it can dial, and those with an extension as they were written', async t => {
      const { admin, url, received, postStudent, settle } = await start(t, engine)
      await add(admin, url, { fields: ['phone'] }, ['lead.created'])
      for (const [n, phone] of ['(512) 555-0142', '512 555 0143 x12', '+0 555 000 01 44'].entries()) {
        await postStudent(aStudent({ email: `s${n}@mail.example`, phone, idempotencyKey: `number ${n}` }))
        await settle()
      }
      const phoneIn = ({ body }: Sent) => (JSON.parse(body) as { data: { lead: { phone: string } } }).data.lead.phone
      deepEqual(received.map(phoneIn), ['+15125550142', '512 555 0143 x12', '+0 555 000 01 44'])
    })

    test('hears that a person was erased, and nothing that waits is about that person', async t => {
      let status = 500
      const { app, admin, url, received, postStudent, settle, clock, database } = await start(t, engine, sent => ({
        status,
        body: sent.body,
      }))
      await add(admin, url, { fields: everyField })
      const person = aStudent()
      await postStudent(person)
      await settle()
      const erasing = { askedBy: 'command line', confirmedBy: null, reason: 'asked' } as const
      await app.store.erasePerson(String(person.email), { ...erasing, addressHash: undefined, now: clock.now() })
      deepEqual(await sql(database, 'select * from delivery_attempts'), [])
      status = 200
      received.length = 0
      clock.advance(HOUR)
      await settle()
      deepEqual(
        received.map(({ event }) => event),
        [
          {
            type: 'lead.erased',
            timestamp: received[0] && (JSON.parse(received[0].body) as { timestamp: string }).timestamp,
            data: { lead: { id: 1 } },
          },
        ],
      )
    })

    test('is not told where a redirect leads, and the log has the first kilobyte of its response', async t => {
      const elsewhere = await startReceiver(t)
      const headers = { Location: elsewhere.url }
      const body = `${'a'.repeat(1024)}${'b'.repeat(70_000)}`
      const { admin, url, received, settle } = await start(t, engine, () => ({ status: 307, headers, body }))
      await add(admin, url)
      await admin.post('/destinations/1/test')
      await settle()
      deepEqual([received.length, elsewhere.received.length], [1, 0])
      match((await admin.get('/destinations/1')).text, /307, \d+ ms[\s\S]*a redirect[\s\S]*<pre>a{1024}<\/pre>/)
    })

    test('keeps its URL and keys encrypted and out of the log, and shows the secret once', async t => {
      const answer = () => ({ status: 500 })
      const { admin, url, database, settle, log } = await start(t, engine, answer)
      const { secret } = await add(admin, url)
      await admin.post('/destinations/1/test')
      await settle()
      const lines = log.join('')
      match(lines, /an event could not be delivered/)
      ok(!lines.includes(secret) && !lines.includes('/hook'))
      const [row] = await sql(database, 'select * from destinations')
      ok(!JSON.stringify(row).includes('/hook') && !JSON.stringify(row).includes(secret))
      const page = (await admin.get('/destinations/1')).text
      ok(!page.includes(secret) && !page.includes('/hook'))
    })

    test('cannot be a private address that the settings do not allow', async t => {
      const { client } = await startConsole(t, { engine })
      const admin = await client('admin')
      for (const url of ['http://127.0.0.1/', 'https://[::1]/', 'https://10.0.0.1/', 'ftp://mail.example/', 'x']) {
        const { status, text } = await admin.post('/destinations/new/webhook', form(url))
        equal(status, 422, url)
        match(text, /This URL cannot be used/)
      }
    })

    test('costs nothing where there is none: no event is stored', async t => {
      const { postStudent, settle, database } = await startConsole(t, { engine })
      await postStudent(aStudent())
      await settle()
      deepEqual(await sql(database, 'select * from deliveries'), [])
    })
  })
})
