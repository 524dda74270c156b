/** Salesforce, its Web-to-Lead, and HubSpot, against stand-ins that respond as they are documented to. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import { createLateWorkWatch } from '../../src/tasks/late-work-watch.ts'
import { aStudent } from '../support/bodies.ts'
import { fieldOn } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { addOf, formOf, startWithReceiver } from './add-destination.ts'
import type { Sent } from './receiver.ts'
import { organization } from './stand-ins.ts'

const salesforceAt = (url: string, more = {}) => ({
  url: new URL(url).origin,
  client: 'a-key',
  clientSecret: 'very-secret',
  externalId: 'Frontdesk_Id__c',
  fields:
    'FirstName = firstName\nLastName = lastName\nCompany = company\nStage__c = stage\nLeadSource = "Website, 2026"',
  events: ['lead.created', 'lead.stage_changed'],
  ...more,
})

const STUDENT = '/submissions/v3/integration/secure/submit/12345/319478e5-e5fd-4d39-9d13-fc1f90bf46da'

const hubspotAt = (url: string, more = {}) => ({
  url: new URL(url).origin,
  portal: '12345',
  form: '319478e5-e5fd-4d39-9d13-fc1f90bf46da',
  token: 'pat-na1-secret',
  fields: 'firstname = firstName\nemail = email\nprograms = programs',
  events: ['submission.received'],
  ...more,
})

const erasing = { askedBy: 'command line', confirmedBy: null, reason: 'asked', addressHash: undefined } as const

onEachEngine(engine => {
  describe('Salesforce', () => {
    test('has one lead for each lead here, kept up to date and deleted with it, and what it requires is filled in once', async t => {
      const { leads, answer } = organization()
      const { admin, url, postStudent, settle, app, clock } = await startWithReceiver(t, { engine, answer })
      await addOf('salesforce', admin, salesforceAt(url))
      const person = aStudent({ firstName: 'Ana', lastName: 'Sol', employer: undefined })
      await postStudent(person)
      await settle()
      const ana = { FirstName: 'Ana', LastName: 'Sol', LeadSource: 'Website, 2026' }
      deepEqual(leads.get('1'), { ...ana, Company: '[not provided]', Stage__c: 'new' })
      leads.set('1', { ...leads.get('1'), Company: 'Entered by hand' })
      await admin.post('/leads/1', { do: 'stage', stage: 'qualified' })
      await settle()
      deepEqual(leads.get('1'), { ...ana, Company: 'Entered by hand', Stage__c: 'qualified' })
      await app.store.erasePerson(String(person.email), { ...erasing, now: clock.now() })
      await settle()
      equal(leads.size, 0)
    })

    test('that gives no access, or has reached its limit, gets the lead once it does', async t => {
      const { leads, state, answer } = organization()
      const { admin, url, postStudent, settle, clock } = await startWithReceiver(t, { engine, answer })
      await addOf('salesforce', admin, salesforceAt(url))
      state.secret = 'another'
      await postStudent(aStudent())
      await settle()
      match((await admin.get('/destinations/1')).text, /access was refused \(400\)[\s\S]*invalid_client/)
      state.secret = 'very-secret'
      state.error = { status: 403, code: 'REQUEST_LIMIT_EXCEEDED' }
      clock.advance(HOUR)
      await settle()
      state.error = undefined
      clock.advance(HOUR)
      await settle()
      equal(leads.size, 1)
    })

    test('that refuses one lead is not asked again about it, and gets the next', async t => {
      const { leads, state, answer } = organization()
      const { admin, url, postStudent, settle, clock } = await startWithReceiver(t, { engine, answer })
      await addOf('salesforce', admin, salesforceAt(url))
      state.error = { status: 400, code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION' }
      await postStudent(aStudent())
      await settle()
      state.error = undefined
      clock.advance(HOUR)
      await settle()
      equal(leads.size, 0)
      match((await admin.get('/destinations/1')).text, /given up/)
      await postStudent(aStudent({ email: 'next@mail.example' }))
      await settle()
      deepEqual([...leads.keys()], ['2'])
      // Several leads there have the number of this one.
      state.error = { status: 300, code: 'NOT_UNIQUE' }
      await postStudent(aStudent({ email: 'third@mail.example' }))
      await settle()
      state.error = undefined
      clock.advance(HOUR)
      await settle()
      deepEqual([...leads.keys()], ['2'])
      match((await admin.get('/destinations/1')).text, /several leads in Salesforce have our number/)
    })

    test('that rejects every lead is told to the admins, in words and by email, until it accepts one', async t => {
      const { state, answer } = organization()
      const service = await startWithReceiver(t, { engine, answer })
      const { admin, url, postStudent, settle, clock, sent, app, request, origin } = service
      await addOf('salesforce', admin, salesforceAt(url))
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
          await look()
        }
        await settle()
      }
      const told = () => sent.filter(({ subject }) => /Records rejects what we send/.test(subject)).length
      const warnings = async () =>
        String(((await request(`${origin.console}/readyz`)).body as { warnings: string[] }).warnings)
      state.error = { status: 400, code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION' }
      for (const n of [1, 2]) {
        await postStudent(aStudent({ email: `s${n}@mail.example` }))
        await settle()
        await pass(3)
      }
      equal(told(), 1)
      match(await warnings(), /Records rejects what we send\. It has not accepted the last event/)
      match((await admin.get('/today')).text, /Records rejects what we send[\s\S]*href="\/destinations\/1"/)
      const counselor = await service.client('counselor')
      doesNotMatch((await counselor.get('/today')).text, /rejects what we send/, 'they cannot open its page')
      state.error = undefined
      await postStudent(aStudent({ email: 's3@mail.example' }))
      await settle()
      equal(await warnings(), '')
      await pass(10)
      equal(told(), 2)
    })

    test('keeps its secret encrypted, and says what is wrong with the fields', async t => {
      const { answer } = organization()
      const { admin, url, database } = await startWithReceiver(t, { engine, answer })
      const wrong: [Record<string, string>, RegExp][] = [
        [{ fields: 'LastName = surname' }, /A lead has no field “surname”/],
        [{ fields: 'LastName' }, /Write each field as a name/],
        [{ fields: 'Last Name = lastName' }, /cannot be the name of a field/],
        [{ fields: 'A = email\nA = phone' }, /“A” occurs twice/],
        [{ url: `${url}/path` }, /without a path/],
        [{ externalId: '../Account/Id' }, /letters, digits and _ only/],
      ]
      for (const [more, problem] of wrong) {
        const form = formOf({ name: 'CRM', kind: '', ...salesforceAt(url, more) })
        match((await admin.post('/destinations/new/salesforce', form)).text, problem)
      }
      await addOf('salesforce', admin, salesforceAt(url))
      doesNotMatch(JSON.stringify(await sql(database, 'select * from destinations')), /very-secret/)
    })
  })

  describe('Salesforce Web-to-Lead', () => {
    test('gets a form, and the log says that no one confirms it', async t => {
      const { admin, url, received, postStudent, settle } = await startWithReceiver(t, {
        engine,
        answer: () => ({ status: 200 }),
      })
      const fields = 'first_name = firstName\nlast_name = lastName\ncompany = company'
      await addOf('weblead', admin, { url, oid: '00D000000000001', fields, events: ['lead.created'] })
      await postStudent(aStudent({ firstName: 'Ana & Co', lastName: 'Sol', employer: undefined }))
      await settle()
      deepEqual(Object.fromEntries(new URLSearchParams(received[0]?.body)), {
        oid: '00D000000000001',
        first_name: 'Ana & Co',
        last_name: 'Sol',
        company: '[not provided]',
      })
      const { text } = await admin.get('/destinations/1')
      match(text, /<td>handed over, not confirmed/)
      match(text, /look for it there/)
    })
  })

  describe('HubSpot', () => {
    test('gets each inquiry as a submission of a form, with the token, and no cookie of anyone', async t => {
      const { admin, url, received, postStudent, settle } = await startWithReceiver(t, {
        engine,
        answer: () => ({ status: 200, body: '{"inlineMessage":"Thanks"}' }),
      })
      await addOf('hubspot', admin, hubspotAt(url))
      await postStudent(aStudent({ firstName: 'Ana', email: 'ana@mail.example' }))
      await settle()
      equal(received.length, 1)
      const { path, headers, body } = received[0] as Sent
      deepEqual([path, headers['authorization']], [STUDENT, 'Bearer pat-na1-secret'])
      const { fields, ...others } = JSON.parse(body)
      deepEqual(Object.keys(others), ['submittedAt'])
      deepEqual(fields.slice(0, 2), [
        { objectTypeId: '0-1', name: 'firstname', value: 'Ana' },
        { objectTypeId: '0-1', name: 'email', value: 'ana@mail.example' },
      ])
    })

    test('gets nothing for a minute after its first 429, and then everyone who waits', async t => {
      let busy = true
      const { admin, url, received, postStudent, settle, clock } = await startWithReceiver(t, {
        engine,
        answer: () => ({ status: busy ? 429 : 200 }),
      })
      await addOf('hubspot', admin, hubspotAt(url))
      await postStudent(aStudent())
      await settle()
      await postStudent(aStudent({ email: 'next@mail.example' }))
      await settle()
      clock.advance(50 * SECOND)
      await settle()
      equal(received.length, 1)
      busy = false
      clock.advance(MINUTE)
      await settle()
      clock.advance(MINUTE)
      await settle()
      equal(received.length, 3)
    })

    test('gets no one without an email address, and no one again whose address it refuses; the log says why', async t => {
      const refusal = '{"status":"error","errors":[{"message":"invalid","errorType":"INVALID_EMAIL"}]}'
      const { admin, url, received, postStudent, settle, clock } = await startWithReceiver(t, {
        engine,
        answer: () => ({ status: 400, body: refusal }),
      })
      await addOf('hubspot', admin, hubspotAt(url, { events: ['submission.received', 'lead.handed_over'] }))
      await postStudent(aStudent())
      await settle()
      clock.advance(HOUR)
      await settle()
      equal(received.length, 1)
      const once = fieldOn((await admin.get('/leads/add')).text, 'once')
      const bo = {
        kind: 'student',
        firstName: 'Bo',
        lastName: 'Li',
        phone: '(512) 555-0188',
        state: 'Texas',
        owner: '',
      }
      match((await admin.post('/leads/add', { ...bo, once })).text, /Bo Li is added/)
      await settle()
      const { text } = await admin.get('/destinations/1')
      match(text, /INVALID_EMAIL/)
      match(text, /skipped: HubSpot recognizes people by email address, and the lead has none/)
      equal(received.length, 1)
    })
  })
})
