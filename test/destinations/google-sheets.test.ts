/** Google Sheets, against a stand-in that keeps rows and responds as Google is documented to. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MINUTE, SECOND } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { addOf, formOf, startWithReceiver } from './add-destination.ts'
import { accountAt, spreadsheet } from './stand-ins.ts'

const fields = ['firstName', 'lastName', 'programs']

const formAt = (url: string, more = {}) => {
  const { origin } = new URL(url)
  const account = accountAt(`${origin}/token`)
  return {
    url: `${origin}/spreadsheets/d/an-id/edit#gid=0`,
    tab: 'Leads',
    account,
    events: 'lead.created',
    fields,
    ...more,
  }
}

onEachEngine(engine => {
  describe('a Google spreadsheet', () => {
    test('gets a row for each new lead, in which a formula stays a text', async t => {
      const { rows, state, answer } = spreadsheet()
      const { admin, url, postStudent, settle, clock } = await startWithReceiver(t, { engine, answer })
      await addOf('sheets', admin, formAt(url))
      await postStudent(aStudent({ firstName: '=HYPERLINK("https://x.example")', message: 'My number is secret' }))
      await settle()
      equal(rows.length, 1)
      const [id, lead, event, at, stage, link, firstName] = rows[0] ?? []
      ok(id)
      deepEqual([lead, event, stage, firstName], [1, 'lead.created', 'new', '=HYPERLINK("https://x.example")'])
      match(`${at} ${link}`, /^\d{4}-.*Z https?:.*\/leads\/1$/)
      doesNotMatch(JSON.stringify(rows), /secret/)
      const { scope, iat, exp } = state.grants[0] ?? {}
      equal(scope, 'https://www.googleapis.com/auth/spreadsheets')
      ok(Number(exp) - Number(iat) <= 3600)
      ok(Math.abs(Number(iat) * SECOND - clock.now()) < MINUTE)
    })

    test('gets the names of its columns with a test', async t => {
      const { rows, answer } = spreadsheet()
      const { admin, url, settle } = await startWithReceiver(t, { engine, answer })
      await addOf('sheets', admin, formAt(url))
      await admin.post('/destinations/1/test')
      await settle()
      const names = ['event id', 'lead', 'event', 'at', 'stage', 'link', 'firstName', 'lastName', 'programs']
      deepEqual(rows[0], names)
      deepEqual(rows[1]?.slice(6), ['Sam', 'Sample', 'Welding'])
    })

    test('has each row once, though the response to it was lost, and though it is sent again by hand', async t => {
      const { rows, state, answer } = spreadsheet()
      const { admin, url, postStudent, settle, clock } = await startWithReceiver(t, { engine, answer })
      await addOf('sheets', admin, formAt(url))
      state.responds = false
      await postStudent(aStudent())
      await settle()
      state.responds = true
      clock.advance(MINUTE)
      await settle()
      match((await admin.get('/destinations/1')).text, /The row is there already/)
      await admin.post('/destinations/1/resend', formOf({ delivery: '1' }))
      await settle()
      equal(rows.length, 1)
    })

    test('that asks for less gets nothing for a minute, and then the row', async t => {
      const { rows, state, answer } = spreadsheet()
      const { admin, url, received, postStudent, settle, clock } = await startWithReceiver(t, { engine, answer })
      await addOf('sheets', admin, formAt(url))
      state.status = 429
      await postStudent(aStudent())
      await settle()
      state.status = 200
      const before = received.length
      clock.advance(50 * SECOND)
      await settle()
      equal(received.length, before)
      clock.advance(MINUTE)
      await settle()
      equal(rows.length, 1)
    })

    test('whose account has no access is tried again, and the log says why, without a token', async t => {
      const { answer } = spreadsheet()
      const { admin, url, settle } = await startWithReceiver(t, { engine, answer })
      const account = accountAt(`${new URL(url).origin}/token`).replace('desk@', 'other@')
      await addOf('sheets', admin, formAt(url, { account }))
      await admin.post('/destinations/1/test')
      await settle()
      const { text } = await admin.get('/destinations/1')
      match(text, /access was refused \(400\)/)
      match(text, /invalid_grant/)
      match(text, /waits until/)
    })

    test('that was deleted is switched off', async t => {
      const { state, answer } = spreadsheet()
      const { admin, url, settle } = await startWithReceiver(t, { engine, answer })
      await addOf('sheets', admin, formAt(url))
      state.status = 404
      await admin.post('/destinations/1/test')
      await settle()
      match((await admin.get('/destinations/1')).text, /It is off/)
    })

    test('keeps the key of its account encrypted, and says what is wrong with another file', async t => {
      const { answer } = spreadsheet()
      const { admin, url, database } = await startWithReceiver(t, { engine, answer })
      const wrong = formAt(url, {
        name: 'Sheet',
        kind: '',
        account: '{"type": "authorized_user"}',
        url: 'https://x.example/',
      })
      const { status, text } = await admin.post('/destinations/new/sheets', formOf(wrong))
      equal(status, 422)
      match(text, /not the key of a service account/)
      match(text, /not the address of a spreadsheet/)
      await addOf('sheets', admin, formAt(url))
      doesNotMatch(JSON.stringify(await sql(database, 'select * from destinations')), /PRIVATE KEY|desk@/)
      doesNotMatch((await admin.get('/destinations/1')).text, /PRIVATE KEY/)
    })

    test('gets a row that says that a lead was erased, since only a person knows which rows are of it', async t => {
      const { rows, answer } = spreadsheet()
      const { admin, url, postStudent, settle, app, clock } = await startWithReceiver(t, { engine, answer })
      await addOf('sheets', admin, formAt(url))
      const person = aStudent()
      await postStudent(person)
      await settle()
      const erasing = { askedBy: 'command line', confirmedBy: null, reason: 'asked' } as const
      await app.store.erasePerson(String(person.email), { ...erasing, addressHash: undefined, now: clock.now() })
      await settle()
      deepEqual(rows[1]?.slice(1, 3), [1, 'lead.erased'])
    })
  })
})
