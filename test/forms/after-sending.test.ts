/** The page after a form: by when someone calls, which number and address were given, and what can still be changed. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { startApp, type TestApp, type TestOptions } from '../support/app.ts'
import { countRows, onEachEngine, sql } from '../support/engines.ts'
import { asForm, openForm, readable, typed, unescaped } from '../support/forms.ts'

const values = typed('student', { firstName: 'Ana', email: 'ana@mail.example', phone: '5125550142', state: '' })

/** A student writes, in a browser without scripts. */
async function someoneWrote(t: TestContext, options: TestOptions & { query?: string } = {}) {
  const app = await startApp(t, options)
  const form = await openForm(app, 'student', { query: options.query ?? '' })
  const sent = await form.send(values)
  equal(sent.status, 303)
  const url = new URL(String(sent.headers.get('location')), app.origin.learn).href
  return { app, url, open: () => app.request(url, { headers: { Accept: 'text/html' } }) }
}

const linkIn = (app: TestApp, page: string): string => {
  const [, href = ''] = /<a href="([^"]*[?&]sent=[^"]*)" data-again/.exec(unescaped(page)) ?? []
  return new URL(href, app.origin.learn).href
}

const timesIn = (app: TestApp, page: string, time: string) => {
  const [, action = ''] = /<form method="post" action="([^"]*better[^"]*)"/.exec(unescaped(page)) ?? []
  const [, sealed = ''] = /name="sent" value="([^"]*)"/.exec(page) ?? []
  const body = new URLSearchParams({ sent: sealed, time })
  return app.request(new URL(action, app.origin.learn).href, { method: 'POST', body, headers: { Accept: 'text/html' } })
}

/** The form from the page after it, in which someone corrects what they sent. */
async function correcting(app: TestApp, page: string) {
  const url = linkIn(app, page)
  const response = await app.request(url, { headers: { Accept: 'text/html' } })
  return { url, form: { ...asForm(app, url, response), text: response.text } }
}

const entriesOf = async ({ database }: TestApp) =>
  (await sql(database, "select kind, detail from timeline where kind <> 'email' order by id")).map(
    ({ kind, detail }) => `${kind} ${String(detail).split(':')[0]}`,
  )

onEachEngine(engine => {
  describe('the page after a form', () => {
    test('says by when someone calls in school hours, on which number, and where the confirmation goes', async t => {
      const { app, open } = await someoneWrote(t, { engine })
      // On a Saturday. The school opens on Monday at 9:00.
      const page = readable((await open()).text)
      match(
        page,
        /Thank you Someone from admissions will call you on Monday by 10:00 AM EST\. When is it best to call you\?/,
      )
      match(page, /We will call \(512\) 555-0142\. Our confirmation goes to ana@mail\.example.*wrong\? Correct it/)
      app.clock.advance(31 * MINUTE)
      const later = readable((await open()).text)
      match(later, /Thank you/)
      doesNotMatch(later, /ana@mail|555-0142/)
    })

    test('accepts the best time to call by one press, as the person’s own words, and says what follows', async t => {
      const { app, open } = await someoneWrote(t, { engine })
      await app.settle()
      const first = (await open()).text
      const page = await timesIn(app, first, 'afternoon')
      match(readable(page.text), /will call you on Monday by 1:00 PM EST\. We have noted that afternoons are best\./)
      doesNotMatch(page.text, /name="time"/)
      await timesIn(app, first, 'afternoon')
      await app.settle()
      equal((await app.app.store.findLead(1))?.bestTime, 'afternoon')
      equal(await countRows(app.database, 'leads'), 1)
      equal(await countRows(app.database, 'submissions'), 2)
      equal((await app.app.store.findLead(1))?.consent, 'refused')
      // It completes the inquiry: no one is told of another.
      equal(app.sent.filter(({ id }) => id.startsWith('notify')).length, 1)
      equal((await app.app.store.findLead(1))?.unansweredSince, null)
    })

    test('says after a time that the school cannot promise what it will do, and each thing once', async t => {
      const { app, open } = await someoneWrote(t, { engine })
      const { text } = await timesIn(app, (await open()).text, 'evening')
      const page = readable(text)
      match(page, /Thank you We have noted that evenings are best\. We will call \(512\) 555-0142\. Our confirmation/)
      equal(page.match(/confirmation/g)?.length, 1)
      doesNotMatch(page, /or write to you/)
    })

    test('corrects a number in the inquiry that it follows, again too: the person has not written back', async t => {
      const { app, open } = await someoneWrote(t, { engine })
      await app.settle()
      const { text: noted } = await timesIn(app, (await open()).text, 'afternoon')
      await app.settle()
      const { form, url } = await correcting(app, noted)
      match(form.text, /<h1[^>]*>Correct what you sent<.*<button part="button">Save the correction</s)
      const done = await form.send({ ...values, phone: '512 555 0199' })
      const page = await app.request(new URL(String(done.headers.get('location')), url).href, {
        headers: { Accept: 'text/html' },
      })
      match(readable(page.text), /We have corrected it.*afternoons are best.*We will call \(512\) 555-0199/s)
      await app.settle()
      const lead = await app.app.store.findLead(1)
      deepEqual([lead?.phone, lead?.latestPhone, lead?.unansweredSince], ['512 555 0199', null, null])
      equal(await countRows(app.database, 'leads'), 1)
      deepEqual(await entriesOf(app), [
        'submission tooFast',
        'submission completed,tooFast',
        'submission completed,corrected,tooFast',
        'corrected Phone',
      ])
      equal(app.sent.filter(({ id }) => id.startsWith('notify')).length, 1)
      const news = app.sent.filter(({ subject }) => subject.endsWith('new contact data'))
      match(news[0]?.text ?? '', /Corrected by Ana [^:]*:\s+> Phone: 5125550142 → 512 555 0199/)
      equal(news.length, 1)

      const again = await correcting(app, page.text)
      await again.form.send({ ...values, phone: '512 555 0177' })
      await app.settle()
      const later = await app.app.store.findLead(1)
      deepEqual([later?.phone, later?.latestPhone, later?.unansweredSince], ['512 555 0177', null, null])
      equal((await entriesOf(app)).filter(entry => entry.startsWith('corrected')).length, 2)
    })

    test('accepts the best time after a correction as part of the same inquiry, and another correction after that', async t => {
      const { app, open } = await someoneWrote(t, { engine })
      await app.settle()
      const correct = async (page: string, phone: string) => {
        const { form, url } = await correcting(app, page)
        const done = await form.send({ ...values, phone })
        await app.settle()
        const after = new URL(String(done.headers.get('location')), url).href
        return (await app.request(after, { headers: { Accept: 'text/html' } })).text
      }
      const corrected = await correct((await open()).text, '512 555 0199')
      const { text: noted } = await timesIn(app, corrected, 'evening')
      await app.settle()
      const lead = await app.app.store.findLead(1)
      deepEqual([lead?.phone, lead?.bestTime, lead?.unansweredSince], ['512 555 0199', 'evening', null])
      const last = await correct(noted, '512 555 0177')
      match(readable(last), /evenings are best/)
      const later = await app.app.store.findLead(1)
      deepEqual([later?.phone, later?.latestPhone, later?.unansweredSince], ['512 555 0177', null, null])
      deepEqual(
        (await entriesOf(app)).filter(entry => entry.startsWith('submission')),
        [
          'submission tooFast',
          'submission completed,corrected,tooFast',
          'submission completed,tooFast',
          'submission completed,corrected,tooFast',
        ],
      )
      equal(app.sent.filter(({ id }) => id.startsWith('notify')).length, 1)
    })

    test('corrects nothing once the staff have corrected the lead', async t => {
      const { app, open } = await someoneWrote(t, { engine })
      await app.settle()
      const { form } = await correcting(app, (await open()).text)
      const contact = { email: 'ana@mail.example', phone: '512 555 0150', phoneE164: '+15125550150' }
      await app.app.store.correctLead(1, { ...contact, again: [], actor: 'maria', now: app.clock.now() })
      await form.send({ ...values, phone: '512 555 0199' })
      await app.settle()
      equal((await app.app.store.findLead(1))?.phone, '512 555 0150')
    })

    test('corrects an address before the inquiry is filed, and sends the confirmation there', async t => {
      const { app, open } = await someoneWrote(t, { engine })
      const { form } = await correcting(app, (await open()).text)
      await form.send({ ...values, email: 'anna@mail.example' })
      await app.settle()
      app.clock.advance(MINUTE)
      await app.settle()
      const lead = await app.app.store.findLead(1)
      deepEqual([lead?.email, lead?.unansweredSince], ['anna@mail.example', null])
      equal(await countRows(app.database, 'leads'), 1)
      const receipts = app.sent.filter(({ id }) => id.startsWith('receipt')).map(({ to }) => to.address)
      equal(receipts.at(-1), 'anna@mail.example')
    })

    test('is filed in order with what comes from the old and the new address at the same moment', async t => {
      const { app, open } = await someoneWrote(t, { engine })
      await app.settle()
      const { form } = await correcting(app, (await open()).text)
      await form.send({ ...values, email: 'zoe@mail.example' })
      for (const email of ['ana@mail.example', 'zoe@mail.example'])
        await (await openForm(app, 'student', {})).send({ ...values, email, message: `From ${email}` })
      await app.settle()
      const leads = await sql(app.database, 'select email from leads')
      deepEqual(
        leads.map(({ email }) => email),
        ['zoe@mail.example'],
      )
      equal((await entriesOf(app)).filter(entry => entry.startsWith('submission')).length, 4)
      doesNotMatch(app.log.join(''), /could not be filed/)
    })

    test('corrects no lead that was there before: who sent the form may be someone else', async t => {
      const { app, open } = await someoneWrote(t, { engine })
      await app.settle()
      await open()
      const other = await openForm(app, 'student', {})
      const sent = await other.send({ ...values, phone: '512 555 0111', message: 'Me again' })
      await app.settle()
      const url = new URL(String(sent.headers.get('location')), app.origin.learn).href
      const page = await app.request(url, { headers: { Accept: 'text/html' } })
      const { form } = await correcting(app, page.text)
      await form.send({ ...values, phone: '512 555 0122', email: 'evil@mail.example' })
      await app.settle()
      const lead = await app.app.store.findLead(1)
      deepEqual([lead?.email, lead?.phone], ['ana@mail.example', '5125550142'])
    })
  })
})

test('shows what was sent in the form for a correction, and only to the person who sent it in that form', async t => {
  const { app, open } = await someoneWrote(t)
  const url = linkIn(app, (await open()).text)
  const page = await app.request(url, { headers: { Accept: 'text/html' } })
  match(page.text, /id="phone"[^>]* value="5125550142"/)
  for (const wrong of [
    `${url.slice(0, -9)}AAAAAAAAA`,
    url.replace('student-interest', 'site-interest'),
    `${url}AAAA`,
  ]) {
    const there = wrong.replace(app.origin.learn, wrong.includes('site-') ? app.origin.site : app.origin.learn)
    const other = await app.request(there, { headers: { Accept: 'text/html' } })
    doesNotMatch(other.text, /5125550142|ana@mail/)
  }
  const done = await timesIn(
    app,
    (await open()).text.replace(/name="sent" value="./, 'name="sent" value="X'),
    'evening',
  )
  doesNotMatch(done.text, /noted/)
})

test('says all of it in Spanish, and in the hours of the day', async t => {
  const { app, open } = await someoneWrote(t, { query: '?lang=es' })
  const page = (await open()).text
  match(readable(page), /te va a llamar el lunes, a más tardar a las 10:00 a\.m\. EST/)
  match(readable(page), /¿Hay un error en el número o en el correo\? Corregir/)
  // The school is closed in the evening.
  const evening = readable((await timesIn(app, page, 'evening')).text)
  match(evening, /Anotamos que prefieres por la noche/)
  doesNotMatch(evening, /a más tardar/)
})

test('has the next step that the school has written, as a button, beside its own words', async t => {
  const sent = 'See you soon.\n\n[Book a tour](https://www.school.example/tour)\n\n[No](javascript:alert(1))'
  const { open } = await someoneWrote(t, { settings: { forms: { student: { sent } } } })
  const page = (await open()).text
  match(
    page,
    /<a class="button" part="button" href="https:\/\/www\.school\.example\/tour" target="_top">Book a tour<\/a>/,
  )
  ok(!page.includes('href="javascript'))
  match(readable(page), /See you soon\..*We will call \(512\) 555-0142/)
})

test('on a tablet that people pass on, says by when someone calls, nothing of the person, and links to no phone', async t => {
  const settings = { school: { phone: '512 555 0199' } }
  const { app, url, open } = await someoneWrote(t, { query: '?kiosk', settings })
  const page = (await open()).text
  match(readable(page), /will call you on Monday by 10:00 AM EST\. We have emailed you a confirmation/)
  match(readable(page), /If it is urgent, call us at 512 555 0199\./)
  doesNotMatch(page, /href="tel:/)
  const elsewhere = await app.request(url.replace('kiosk=yes', ''), { headers: { Accept: 'text/html' } })
  for (const { text } of [elsewhere, await open()]) doesNotMatch(text, /ana@mail|555-0142|goes to/)
  // Without a promise, the words are those that promise nothing.
  app.clock.advance(31 * MINUTE)
  match(readable((await open()).text), /Someone from admissions will call you or write to you\./)
})

test('promises today while there is time, and the next day once the last reminder would come after the school has closed', async t => {
  const app = await startApp(t)
  app.clock.advance(48 * HOUR)
  const writes = async (city: string) => {
    const sent = await (await openForm(app, 'student')).send({ ...values, city })
    return readable((await app.request(new URL(String(sent.headers.get('location')), app.origin.learn).href)).text)
  }
  match(await writes('Dallas'), /will call you today by 4:00 PM EST/)
  app.clock.advance(110 * MINUTE)
  match(await writes('Plano'), /will call you tomorrow by 10:00 AM EST/)
})
