/** The hosted forms without a script, from the page to the lead. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readFormDetails } from '../../src/leads/body/form-details.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { countRows, onEachEngine, sql } from '../support/engines.ts'
import { asForm, formUrl, openForm, problemAt, readable, typed } from '../support/forms.ts'

async function stored({ database }: TestApp) {
  const rows = await sql(database, 'select kind, answer, email, body, form from submissions order by id')
  return rows.map(({ kind, answer, email, body, form }) => ({
    kind,
    answer,
    email,
    body: JSON.parse(String(body)),
    form: readFormDetails(String(form)),
  }))
}

const quarantined = async ({ database }: TestApp) =>
  (await sql(database, 'select reason from quarantine')).map(({ reason }) => reason)

onEachEngine(engine => {
  describe('a form that arrives', () => {
    for (const kind of ['student', 'site'] as const) {
      test(`is a submission of a ${kind}, and becomes a lead`, async t => {
        const app = await startApp(t, { engine })
        const form = await openForm(app, kind, {
          query: '?lang=en&utm_source=newsletter&utm_campaign=fall',
          headers: { Referer: 'https://school.example/programs?email=a@b.example' },
        })
        app.clock.advance(5 * MINUTE)
        const values = typed(kind)
        const answer = await form.send(values)
        equal(answer.status, 303)
        const next = new URL(String(answer.headers.get('location')), formUrl(app, kind))
        match(readable((await app.request(next.href)).text), /Thank you/)

        const [submission] = await stored(app)
        ok(submission?.form)
        equal(submission.kind, kind)
        equal(submission.email, values['email'])
        for (const [name, value] of Object.entries(values)) equal(submission.body[name], value)
        const { campaign, referrer, startedAt, language, placement, trap } = submission.form
        deepEqual(campaign, { source: 'newsletter', campaign: 'fall' })
        equal(referrer, 'https://school.example/programs')
        equal(startedAt, app.clock.now() - 5 * MINUTE)
        deepEqual([language, placement, trap], ['en', 'hosted', undefined])
        if (kind === 'site') equal(submission.body.startedAt, startedAt)
        await app.settle()
        equal(await countRows(app.database, 'leads'), 1)
        deepEqual(await quarantined(app), [])
      })

      test(`of a ${kind} counts once, however often it is sent, and again with other words`, async t => {
        const app = await startApp(t, { engine })
        const form = await openForm(app, kind)
        const values = typed(kind)
        const answers = await Promise.all([form.send(values), form.send(values)])
        deepEqual(
          answers.map(({ status }) => status),
          [303, 303],
        )
        equal((await form.send(values)).status, 303)
        equal(await countRows(app.database, 'submissions'), 1)
        equal((await form.send({ ...values, message: 'And one more question.' })).status, 303)
        equal(await countRows(app.database, 'submissions'), 2)
        await app.settle()
        equal(await countRows(app.database, 'leads'), 1)
      })

      test(`of a ${kind} is quarantined if a program has filled in the hidden field, and looks as if it had arrived`, async t => {
        const app = await startApp(t, { engine })
        const form = await openForm(app, kind)
        equal((await form.send(typed(kind, { subject: 'https://spam.example' }))).status, 303)
        await app.settle()
        deepEqual(await quarantined(app), ['honeypot'])
        const [submission] = await stored(app)
        equal(submission?.form?.trap, 'https://spam.example')
        equal(await countRows(app.database, 'leads'), 0)
      })
    }

    test('of yesterday is received, with the evidence of when it was opened', async t => {
      const app = await startApp(t, { engine })
      const form = await openForm(app, 'student')
      app.clock.advance(26 * 60 * MINUTE)
      equal((await form.send(typed('student'))).status, 303)
      const [submission] = await stored(app)
      equal(submission?.form?.startedAt, app.clock.now() - 26 * 60 * MINUTE)
    })

    test('of tomorrow, because our clock was set back since, is received', async t => {
      const app = await startApp(t, { engine })
      const form = await openForm(app, 'site')
      app.clock.advance(-26 * 60 * MINUTE)
      equal((await form.send(typed('site'))).status, 303)
    })
  })
})

describe('consent', () => {
  const settings = {
    contacts: { privacy: 'https://school.example/privacy' },
    forms: { student: { consent: { text: 'You may  call\nand text me.' } } },
  }

  test('is kept as it was shown, with the link, the time and the page, given or not', async t => {
    const app = await startApp(t, { settings })
    const form = await openForm(app, 'student')
    ok(!/type="checkbox"[^>]* checked/.test(form.page.text))
    await form.send(typed('student', { consent: 'yes', page: 'https://school.example/nursing?x=1' }))
    await form.send(typed('student', { page: 'javascript:alert(1)' }))
    const [given, refused] = await stored(app)
    deepEqual(given?.form?.consent, {
      text: 'You may call and text me.',
      link: 'https://school.example/privacy',
      given: true,
      at: app.clock.now(),
      page: 'https://school.example/nursing',
    })
    equal(refused?.form?.consent?.given, false)
    ok(refused.form.consent.page?.endsWith('/forms/student-interest'))
  })

  test('to a text that the school has changed meanwhile is asked again', async t => {
    const app = await startApp(t, { settings })
    const form = await openForm(app, 'student')
    const other = { ...settings, forms: { student: { consent: { text: 'Another text.' } } } }
    const { database, dataDir } = app
    await app.close()
    const later = await startApp(t, { settings: other, database, dataDir })
    const url = formUrl(later, 'student')
    const values = typed('student', { consent: 'yes' })
    const answer = await asForm(later, url, form.page).send(values)
    equal(answer.status, 400)
    match(readable(answer.text), /tick the box again/)
    ok(!/type="checkbox"[^>]* checked/.test(answer.text))
    equal((await asForm(later, url, answer).send(values)).status, 303)
    const [submission] = await stored(later)
    equal(submission?.form?.consent?.text, 'Another text.')
  })
})

test('a form that has arrived leads to the page of the school, or to a link where another page is around it', async t => {
  const sentUrl = 'https://www.example.edu/thank-you'
  const app = await startApp(t, { settings: { forms: { student: { sentUrl } } } })
  const sent = async (query: string, more = {}) => {
    const form = await openForm(app, 'student', { query })
    return form.send(typed('student', more))
  }
  const link = `<a href="${sentUrl}" target="_top">`
  const hosted = await sent('')
  deepEqual([hosted.status, hosted.headers.get('location')], [303, sentUrl])
  const { status, text } = await sent('?embed=iframe')
  deepEqual([status, text.includes(link), text.includes('data-location')], [200, true, false])
  const fragment = await sent('?embed=iframe', { answer: 'fragment' })
  ok(fragment.text.includes(link) && fragment.text.includes(`data-location="${sentUrl}"`))
  const policy = String((await openForm(app, 'student')).page.headers.get('content-security-policy'))
  match(policy, /form-action 'self' https:\/\/www\.example\.edu/)
})

describe('a form with problems', () => {
  test('leaves what was typed to the browser, which forgets it on a step back where autocomplete is off', async t => {
    const { page } = await openForm(await startApp(t), 'student')
    const off = (page.text.match(/<(?:input|textarea|select)[^>]*autocomplete="off"[^>]*>/g) ?? []).map(
      control => /name="(\w+)"/.exec(control)?.[1],
    )
    deepEqual(off, ['subject'])
  })

  test('comes back with a sentence beside each field, links to them, and everything that was typed', async t => {
    const app = await startApp(t)
    const form = await openForm(app, 'student', { query: '?utm_source=news' })
    const answer = await form.send({
      firstName: 'B'.repeat(51),
      lastName: '',
      email: 'ben@',
      phone: '512',
      city: '<Austin> "x"',
      state: 'TX',
      message: 'a'.repeat(1501),
      consent: 'yes',
    })
    equal(answer.status, 400)
    match(answer.text, /<title>Error: /)
    equal(problemAt(answer.text, 'firstName'), 'Your first name must have at most 50 letters. It has 51.')
    equal(problemAt(answer.text, 'lastName'), 'Enter your last name')
    equal(problemAt(answer.text, 'email'), 'Enter an email address such as name@example.com')
    match(String(problemAt(answer.text, 'phone')), /at least 10 digits$/)
    match(String(problemAt(answer.text, 'message')), /at most 1500 characters\. It has 1501\.$/)
    equal(problemAt(answer.text, 'city'), undefined)
    for (const name of ['firstName', 'lastName', 'email', 'phone', 'message']) {
      match(answer.text, new RegExp(`<li><a href="#${name}">`))
    }
    match(answer.text, /name="city"[^>]* value="&lt;Austin&gt; &quot;x&quot;"/)
    match(answer.text, /<option value="TX" selected>/)
    match(answer.text, /type="checkbox"[^>]* checked/)
    const again = asForm(app, formUrl(app, 'student'), answer)
    deepEqual(again.hidden, form.hidden)
    equal((await again.send(typed('student'))).status, 303)
    equal(await countRows(app.database, 'submissions'), 1)
  })

  test('has the words of the school, names what it requires, and shows neither hidden fields nor questions without a list', async t => {
    const timeline = { allowed: ['1 - Soon', '2 - Later'] }
    const app = await startApp(t, {
      settings: {
        studentInterest: { answers: { timeline } },
        forms: {
          student: {
            introduction: 'Evenings and weekends.\n\nFree parking.',
            fields: { city: 'required', message: 'hidden', timeline: 'required' },
          },
        },
      },
    })
    const form = await openForm(app, 'student')
    match(
      form.page.text,
      /property="og:title" content="Ask about our programs".*"og:description" content="Evenings and weekends\. Free/s,
    )
    match(form.page.text, /name="description" content="[^"]*: Evenings and weekends. Free parking."/)
    match(form.page.text, /Evenings and weekends.<\/p><p [^>]*>Free parking.<\/p>/)
    ok(!form.page.text.includes('name="message"') && !form.page.text.includes('name="source"'))
    match(form.page.text, /type="radio"[^>]* value="1 - Soon">\s*<label[^>]*>Soon</)
    const { message: _, ...values } = typed('student')
    const answer = await form.send({ ...values, city: ' ' })
    equal(problemAt(answer.text, 'city'), 'Enter your city')
    equal(problemAt(answer.text, 'timeline'), 'Select when you would like to start')
    equal((await form.send({ ...values, timeline: '2 - Later' })).status, 303)
    const wrong = await form.send({ ...values, timeline: '3 - Never' })
    match(String(problemAt(wrong.text, 'timeline')), /from the list/)
  })
})
