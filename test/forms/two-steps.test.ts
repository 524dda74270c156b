/** Forms in two steps: what was sent first is a lead, and the rest is added to it. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR, SECOND } from '../../src/platform/time.ts'
import { fieldOn } from '../support/console.ts'
import { countRows, onEachEngine, sql } from '../support/engines.ts'
import { asForm, problemAt, readable, typed, unescaped } from '../support/forms.ts'
import { asked } from '../support/store.ts'
import { aTwoStepForm, first, NAME, rest } from './two-step-form.ts'

const EMAIL = 'ana.ruiz@mail.example'

onEachEngine(engine => {
  describe('the first step of a form', () => {
    test('is a lead by itself, and leads to the rest, which shows nothing of what was sent', async t => {
      const { begin, settle, sent, app, at, url } = await aTwoStepForm(t, engine)
      match(readable((await at(url)).page.text), /Step 1 of 2\. The second step is optional\./)
      match(readable((await at(`${url}?lang=es`)).page.text), /Paso 1 de 2\./)
      doesNotMatch((await at(`${url}?kiosk`)).page.text, /Step 1/)
      const { page, hidden } = await begin({ email: EMAIL, firstName: 'Quirina', consent: 'yes' })
      equal(page.status, 200)
      match(
        readable(page.text),
        /You are on our list We have what you sent\. Someone from admissions will call you \w+/,
      )
      match(page.text, /name="own-q2".*name="message"|name="message".*name="own-q2"/s)
      doesNotMatch(page.text, /name="(?:firstName|email|phone|state|consent)"|Quirina|ana\.ruiz/)
      equal(hidden['own-q1'], 'Austin')
      match(page.text, /data-if="own-q1" data-is="Dallas North" hidden/)
      await settle()
      const [lead, ...others] = await app.store.listLeads({ limit: 9 })
      deepEqual([lead?.email, lead?.campus, lead?.stage, others.length], [EMAIL, 'Austin', 'new', 0])
      equal(lead?.consent, 'given')
      equal(sent.filter(({ id }) => id.startsWith('notify')).length, 1)
    })
  })

  describe('the rest of a form', () => {
    test('is added to the lead without another notification, receipt, count, wait or owner', async t => {
      const { begin, settle, sent, app, manager, clock, close, database } = await aTwoStepForm(t, engine)
      const form = await begin({ email: EMAIL })
      await settle()
      const before = await app.store.findLead(1)
      const messages = sent.length
      clock.advance(20 * SECOND)
      const answer = await form.send(rest)
      equal(answer.status, 303)
      match(answer.headers.get('location') ?? '', /^\/forms\/sent\/austin/)
      await settle()
      equal(sent.length, messages)
      const after = await app.store.findLead(1)
      // The language of the latest form counts, and when that was.
      const same = { updatedAt: 0, languageAt: 0 }
      deepEqual({ ...after, ...same }, { ...before, ...same })
      equal(await countRows(database, 'leads'), 1)
      const page = readable((await manager.get('/leads/1')).text)
      match(page, /What they wrote .*Is there parking\?/)
      match(page, /Which campus\? Austin Which shift\? Night/)
      match(page, /Answered the rest of the form/)
      doesNotMatch(page, /2 inquiries|again|Wrote back/)
      match((await manager.get('/inbox?q=parking')).text, /href="\/leads\/1"/)
      doesNotMatch(readable((await manager.get('/inbox')).text), /2 inquiries/)
      await close()
      const [row] = await sql(database, 'select begun, sent, rest_begun, rest_sent from form_counts')
      deepEqual(Object.values(row ?? {}).map(Number), [0, 1, 0, 1])
    })

    test('is thanked with the call and the contact of the first step, without a question that would be another inquiry', async t => {
      const { begin, request, url } = await aTwoStepForm(t, engine)
      const form = await begin({ email: EMAIL, phone: '(512) 555-0142' })
      const again = await form.send({ ...rest, 'own-q2': '' })
      equal(again.status, 400)
      const says = /Someone .* will call you .*\(512\) 555-0142.*ana\.ruiz@mail\.example/
      for (const page of [await form.send(rest), await asForm({ request } as never, url, again).send(rest)]) {
        equal(page.status, 303)
        const { text } = await request(new URL(page.headers.get('location') ?? '', url).href)
        match(readable(text), says)
        doesNotMatch(text, /name="time"/)
      }
      const [, leave = ''] = /<p class="leave"><a href="([^"]*)"/.exec(form.page.text) ?? []
      const left = (await request(new URL(unescaped(leave), url).href)).text
      match(readable(left), says)
      match(left, /name="time"/)
    })

    test('asks when it is best to call, and the lead and the thanks have the answer', async t => {
      const { begin, settle, request, url, app, manager, sent } = await aTwoStepForm(t, engine)
      const form = await begin({ email: EMAIL })
      match(readable(form.page.text), /When is it best to call you\? \(optional\) Morning Afternoon Evening/)
      await settle()
      const answer = await form.send({ ...rest, 'own-time': 'Afternoon' })
      const thanks = (await request(new URL(answer.headers.get('location') ?? '', url).href)).text
      match(readable(thanks), /We have noted that afternoons are best\./)
      await settle()
      equal((await app.store.findLead(1))?.bestTime, 'afternoon')
      match(readable((await manager.get('/leads/1')).text), /Best time to call Afternoon/)
      equal(sent.filter(({ id }) => id.startsWith('notify')).length, 1)
      doesNotMatch((await request(url)).text, /own-time/)
      doesNotMatch((await request(`${url}?kiosk`)).text, /own-time/)
    })

    test('is in the notification that is not out yet', async t => {
      const { begin, settle, sent } = await aTwoStepForm(t, engine)
      await (await begin()).send(rest)
      await settle()
      const [notification, ...others] = sent.filter(({ id }) => id.startsWith('notify'))
      equal(others.length, 0)
      match(notification?.text ?? '', /Is there parking\?/)
      match(notification?.text ?? '', /^Which shift\?: Night$/m)
      doesNotMatch(notification?.subject ?? '', /again/)
    })

    test('counts once for a double click, and what says something else is a further inquiry', async t => {
      const { begin, settle, sent, database, manager } = await aTwoStepForm(t, engine)
      const form = await begin()
      for (const _ of [1, 2]) equal((await form.send(rest)).status, 303)
      await settle()
      equal(await countRows(database, 'submissions'), 2)
      // The same body with another answer beside it.
      equal((await form.send({ ...rest, 'own-q2': 'Day' })).status, 303)
      await settle()
      equal(await countRows(database, 'submissions'), 3)
      equal(await countRows(database, 'leads'), 1)
      equal(sent.filter(({ subject }) => /wrote again/.test(subject)).length, 1)
      match(readable((await manager.get('/leads/1')).text), /2 inquiries/)
    })

    test('does not bring about the lockout of an address', async t => {
      const { begin } = await aTwoStepForm(t, engine)
      for (const city of ['A', 'B', 'C', 'D', 'E']) {
        const form = await begin({ email: EMAIL, firstName: `Ana ${city}` })
        equal((await form.send({ ...rest, city: `City ${city}` })).status, 303)
      }
    })

    test('joins the lead also after staff have corrected its address, and says nothing about that', async t => {
      const { begin, settle, manager, app, database } = await aTwoStepForm(t, engine)
      const form = await begin({ email: EMAIL })
      await settle()
      const page = await manager.get('/leads/1/correct')
      const values = { firstName: 'Ana', lastName: 'Ruiz', email: 'ana@right.example', phone: '+1 512 555 0199' }
      await manager.post('/leads/1/correct', { ...values, seen: fieldOn(page.text, 'seen') })
      equal((await app.store.findLead(1))?.email, 'ana@right.example')
      equal((await form.send(rest)).status, 303)
      await settle()
      equal(await countRows(database, 'leads'), 1)
      match(readable((await manager.get('/leads/1')).text), /Is there parking\?/)
    })

    test('is erased with the person whose address staff have corrected, whether it waits or is quarantined', async t => {
      const { begin, settle, manager, app, clock, database } = await aTwoStepForm(t, engine)
      const correct = async (id: number, email: string) => {
        const page = await manager.get(`/leads/${id}/correct`)
        const values = { firstName: 'Ana', lastName: 'Ruiz', email, phone: '+1 512 555 0199' }
        await manager.post(`/leads/${id}/correct`, { ...values, seen: fieldOn(page.text, 'seen') })
        equal((await app.store.findLead(id))?.email, email)
      }
      const erase = (email: string) =>
        app.store.erasePerson(email, { ...asked, addressHash: `hash of ${email}`, now: clock.now() })
      const waiting = await begin({ email: EMAIL })
      await settle()
      await correct(1, 'ana@right.example')
      await waiting.send(rest)
      equal((await erase('ana@right.example')).submissions, 2)

      const suspicious = await begin({ email: EMAIL })
      await settle()
      const [lead] = await app.store.listLeads({ limit: 1 })
      await suspicious.send({ ...rest, subject: 'cheap pills' })
      await correct(lead?.id ?? 0, 'ana@right.example')
      await settle()
      equal(await countRows(database, 'quarantine'), 1)
      equal((await erase('ana@right.example')).submissions, 2)
      await settle()
      for (const table of ['leads', 'submissions', 'quarantine'] as const) equal(await countRows(database, table), 0)
    })

    test('opens a lead of its own, which says everything, if the other was closed meanwhile', async t => {
      const { begin, settle, manager, app } = await aTwoStepForm(t, engine)
      const form = await begin({ email: EMAIL })
      await settle()
      await manager.post('/leads/1', { do: 'close', reason: 'not interested' })
      equal((await app.store.findLead(1))?.stage, 'closed')
      await form.send(rest)
      await settle()
      const lead = await app.store.findLead(2)
      deepEqual([lead?.email, lead?.campus, lead?.stage], [EMAIL, 'Austin', 'new'])
    })

    test('waits for the first step if the process died that was filing it', async t => {
      const { begin, settle, sent, app, clock, database } = await aTwoStepForm(t, engine)
      const form = await begin()
      const claim = { lane: 'filing', token: 'crashed', limit: 10, now: clock.now() } as const
      equal((await app.store.claimTasks(claim)).length, 1)
      await form.send(rest)
      await settle()
      equal(await countRows(database, 'leads'), 0)
      clock.advance(31 * SECOND)
      await settle()
      equal(await countRows(database, 'leads'), 1)
      const notifications = sent.filter(({ id }) => id.startsWith('notify'))
      equal(notifications.length, 1)
      match(notifications[0]?.text ?? '', /Is there parking\?/)
    })

    test('is quarantined with the first step', async t => {
      const { begin, settle, database } = await aTwoStepForm(t, engine)
      const form = await begin({ subject: 'cheap pills' })
      await settle()
      await form.send(rest)
      await settle()
      equal(await countRows(database, 'leads'), 0)
      deepEqual(
        (await sql(database, 'select reason, state from quarantine order by submission_id')).map(row =>
          Object.values(row),
        ),
        [
          ['honeypot', 'held'],
          ['honeypot', 'held'],
        ],
      )
    })

    test('asks for everything again, with what was typed, if there is nothing of theirs to add it to', async t => {
      const { begin, settle, app, clock, manager, at, origin, database } = await aTwoStepForm(t, engine)
      const form = await begin({ email: EMAIL })
      await settle()
      const foreign = { kind: 'student', name: 'other', order: 'message', 'ask-message': 'optional', steps: 'on' }
      await manager.post('/forms/new', foreign)
      const other = await at(`${origin.learn}/forms/other`)
      const there = await other.send(typed('student', { email: 'ben@mail.example' }))
      const { hidden } = await at(there.headers.get('location') ?? '')
      const stored = await countRows(database, 'submissions')
      const tokens = [hidden['token'], `${form.hidden['token']}x`, undefined]
      const refused = async (token: string | undefined) => {
        const { status, text } = await form.send({ ...rest, token, step: 'rest' })
        equal(status, 400)
        match(readable(text), /We cannot add this to what you sent before/)
        match(text, /name="firstName"/)
        match(text, /Is there parking\?/)
        match(text, /name="city"[^>]* value="Round Rock"/)
        doesNotMatch(text, /ana\.ruiz|ben@/)
        return text
      }
      for (const token of tokens) await refused(token)
      await app.store.erasePerson(EMAIL, { ...asked, addressHash: 'hash', now: clock.now() })
      await refused(form.hidden['token'])
      clock.advance(DAY + SECOND)
      const late = await begin({ email: 'cy@mail.example' })
      await settle()
      clock.advance(DAY + HOUR)
      await refused(late.hidden['token'])
      equal(await countRows(database, 'submissions'), stored)
    })
  })
})

test('a token in the URL that has expired leads to the form from the start', async t => {
  const { begin, clock, at, url } = await aTwoStepForm(t)
  const { hidden } = await begin()
  const query = `?rest=${hidden['token']}`
  match((await at(`${url}${query}`)).page.text, /You are on our list/)
  match((await at(`${url}?rest=x`)).page.text, /name="firstName"/)
  clock.advance(DAY + SECOND)
  match((await at(`${url}${query}`)).page.text, /name="firstName"/)
})

test('the rest asks what follows from the first step, in the language and with what the URL fills in', async t => {
  const { begin, manager } = await aTwoStepForm(t)
  const form = await begin({ 'own-q1': 'Dallas North' }, '?lang=es&message=Hola')
  match(readable(form.page.text), /Ya estás en nuestra lista/)
  match(form.page.text, /data-if="own-q1" data-is="Dallas North">/)
  match(form.page.text, />\nHola<\/textarea>/)
  match(form.page.text, /href="[^"]*lang=en[^"]*rest=/)
  const wrong = await form.send({})
  equal(wrong.status, 400)
  equal(problemAt(wrong.text, 'own-q2'), 'Responde esta pregunta: Which shift?')
  match(wrong.text, /data-if="own-q1" data-is="Dallas North">/)
  equal((await form.send({ ...rest, 'own-q3': 'Yes' })).status, 303)
  match((await manager.get(`/forms/edit/${NAME}`)).text, /id="steps" name="steps" checked/)
})

test('someone who sends another contact with the rest changes nothing about their own', async t => {
  const { begin, settle, app, database } = await aTwoStepForm(t)
  const form = await begin({ email: EMAIL })
  await settle()
  await form.send({ ...rest, email: 'eve@mail.example', phone: '2125550100', firstName: 'Eve', state: 'NY' })
  await settle()
  equal(await countRows(database, 'leads'), 1)
  const lead = await app.store.findLead(1)
  deepEqual([lead?.email, lead?.state], [EMAIL, 'TX'])
  const [row] = await sql(database, 'select body, email from submissions order by id desc')
  doesNotMatch(JSON.stringify(row), /eve|212|NY/i)
})

test('the rest of what employers send does not make them one of too many', async t => {
  const { manager, at, origin, settle, database } = await aTwoStepForm(t)
  await manager.post('/forms/new', {
    kind: 'site',
    name: 'partners',
    order: 'message',
    'ask-message': 'optional',
    steps: 'on',
  })
  const url = `${origin.site}/forms/partners`
  for (const company of ['A1', 'B1', 'C1', 'D1', 'E1']) {
    const { message, ...values } = typed('site', { company, email: 'hr@clinic.example' })
    const sent = await (await at(url)).send(values)
    const form = await at(new URL(sent.headers.get('location') ?? '', url).href)
    equal((await form.send({ message: `${message} ${company}` })).status, 303)
    await settle()
  }
  equal(await countRows(database, 'quarantine'), 0)
  equal(await countRows(database, 'leads'), 1)
})

test('a form that leaves nothing for later has one step', async t => {
  const { manager, at, origin } = await aTwoStepForm(t)
  await manager.post('/forms/new', {
    kind: 'student',
    name: 'short',
    order: 'state',
    'ask-state': 'optional',
    steps: 'on',
  })
  const form = await at(`${origin.learn}/forms/short`)
  const sent = await form.send(typed('student', first))
  match(sent.headers.get('location') ?? '', /^\/forms\/sent\/short/)
})
