/** What a stranger tries with the forms: to be believed, to reach others, to bring in markup, to lead people away. */
import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readFormDetails } from '../../src/leads/body/form-details.ts'
import type { Kind } from '../../src/leads/body/submission.ts'
import { startApp, type TestApp, withoutFollowUp } from '../support/app.ts'
import { countRows, onEachEngine, sql } from '../support/engines.ts'
import { formUrl, openForm, typed } from '../support/forms.ts'

const kinds = ['student', 'site'] as const
const EVIL = '"><script>alert(1)</script>{{ school.name }}</textarea>\'=cmd'

const stored = async ({ database }: TestApp) =>
  (await sql(database, 'select form from submissions order by id')).map(({ form }) => readFormDetails(String(form)))

onEachEngine(engine => {
  describe('someone who goes back, and agrees after all', () => {
    test('is believed, though they typed nothing else', async t => {
      const app = await startApp(t, { engine, settings: withoutFollowUp })
      const form = await openForm(app, 'student')
      const values = typed('student')
      equal((await form.send(values)).status, 303)
      app.clock.advance(1000)
      equal((await form.send({ ...values, consent: 'yes' })).status, 303)
      equal((await form.send({ ...values, consent: 'yes' })).status, 303)
      await app.settle()
      deepEqual(
        (await stored(app)).map(one => one?.consent?.given),
        [false, true],
      )
      equal((await app.app.store.findLead(1))?.consent, 'given')
    })
  })
})

describe('a token', () => {
  test('is worth nothing for the other form, or once a letter of it is another', async t => {
    const app = await startApp(t)
    for (const kind of kinds) {
      const form = await openForm(app, kind)
      const token = form.hidden['token'] ?? ''
      const other: Kind = kind === 'site' ? 'student' : 'site'
      const [time = '', nonce = '', mac = ''] = token.split('.')
      const later = (Number.parseInt(time, 36) + 60_000).toString(36)
      const flipped = `${nonce.startsWith('A') ? 'B' : 'A'}${nonce.slice(1)}`
      const forged = [
        '',
        'x',
        `${token}x`,
        token.slice(0, -1),
        `${time}.${nonce}`,
        `${time}.${nonce}.`,
        `${later}.${nonce}.${mac}`,
        `${time}.${flipped}.${mac}`,
        `${time}.${nonce}.${'A'.repeat(22)}`,
        token.toUpperCase(),
        `${token}\u0000`,
        ` ${token}`,
      ]
      for (const one of forged) {
        const answer = await form.send(typed(kind, { token: one }))
        equal(answer.status, 400, one)
        match(answer.text, /name="token" value="[\w.-]{40,}"/)
      }
      const elsewhere = await (await openForm(app, other)).send(typed(other, { token }))
      equal(elsewhere.status, 400)
    }
    equal(await countRows(app.database, 'submissions'), 0)
  })

  test('of a link in an email opens no form, and the token of a form opens no link', async t => {
    const app = await startApp(t, { settings: withoutFollowUp })
    const form = await openForm(app, 'student')
    await form.send(typed('student'))
    await app.settle()
    const link = /\/act\/([\w.-]+)/.exec(app.sent.map(({ text }) => text).join(' '))?.[1] ?? ''
    notEqual(link, '')
    equal((await form.send(typed('student', { token: link }))).status, 400)
    const opened = await app.request(`${app.origin.console}/act/${form.hidden['token']}`)
    equal(opened.status, 404)
    doesNotMatch(opened.text, /Okafor/)
  })
})

describe('what a form sends to strangers', () => {
  test('is one receipt a day to the address alone, in words of ours alone', async t => {
    const app = await startApp(t, { settings: withoutFollowUp })
    const words = 'Buy-cheap https://evil.example now'
    for (const message of [`${words} 1`, `${words} 2`, `${words} 3`]) {
      const form = await openForm(app, 'student', { query: `?utm_campaign=${encodeURIComponent(words)}` })
      const named = { firstName: words, lastName: words, employer: words, city: words, message }
      equal((await form.send(typed('student', { ...named, email: 'victim@mail.example' }))).status, 303)
    }
    for (const email of ['a@x.example, b@y.example', 'a@x.example\r\nBcc: b@y.example', '"a" <b@y.example>']) {
      const form = await openForm(app, 'student')
      equal((await form.send(typed('student', { email }))).status, 400)
    }
    await app.settle()
    const theirs = app.sent.filter(
      ({ to }) => !to.address.endsWith('example.edu') && !/admissions|partnerships/.test(to.address),
    )
    deepEqual(
      theirs.map(({ to }) => to.address),
      ['victim@mail.example'],
    )
    for (const { subject, text, html } of theirs) doesNotMatch(subject + text + html, /cheap|evil/)
  })

  test('has one subject and one header each, whatever the campaign and the pages say', async t => {
    const app = await startApp(t, { settings: withoutFollowUp })
    const header = 'x\r\nBcc: other@mail.example\r\n\r\nHello'
    const form = await openForm(app, 'site')
    await form.send(
      typed('site', {
        page: `https://evil.example/\r\nBcc:other@mail.example`,
        referrer: header,
        utm_source: header,
        utm_campaign: header,
        utm_content: header,
      }),
    )
    await app.settle()
    ok(app.sent.length > 0)
    for (const message of app.sent) doesNotMatch(JSON.stringify({ ...message, text: '', html: '' }), /Bcc|other@/)
    const [details] = await stored(app)
    doesNotMatch(JSON.stringify(details), /\\r|\\n/)
  })
})

describe('what a form keeps of where someone came from', () => {
  test('is pages of the web without credentials, query and fragment, and short texts', async t => {
    const app = await startApp(t)
    const cases: [string, string | undefined][] = [
      ['javascript:alert(1)', undefined],
      ['data:text/html,x', undefined],
      ['file:///etc/passwd', undefined],
      ['not a URL', undefined],
      [`https://school.example/${'x'.repeat(600)}`, undefined],
      ['https://user:secret@school.example/a?email=ana@mail.example#token', 'https://school.example/a'],
    ]
    for (const [referrer, kept] of cases) {
      const form = await openForm(app, 'student')
      const landing = referrer
      const huge = { utm_source: 'x'.repeat(5000), utm_campaign: '\u202eevil\u0000\n', utm_: 'x', utm_evil: 'x' }
      equal((await form.send(typed('student', { referrer, landing, ...huge }))).status, 303)
      const details = (await stored(app)).at(-1)
      deepEqual([details?.referrer, details?.landing], [kept, kept])
      equal(details?.campaign.source?.length, 100)
      deepEqual(Object.keys(details?.campaign ?? {}), ['source', 'campaign'])
      doesNotMatch(details?.campaign.campaign ?? '', /[\p{Cc}\p{Cf}]/u)
      notEqual(details?.consent, null)
    }
  })

  test('is nothing that a name of a field could break', async t => {
    const app = await startApp(t)
    const form = await openForm(app, 'student')
    const names = { ['__proto__']: 'x', constructor: 'x', toString: 'x', 'consent[]': 'x', hasOwnProperty: 'x' }
    equal((await form.send({ ...typed('student'), ...names })).status, 303)
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, 'x']))
    const flood = await form.send({ ...many, ...typed('student') })
    ok(flood.status < 500)
    ok(flood.text.length < 200_000)
  })
})

describe('a page of a form', () => {
  test('shows every value as text, wherever it came from', async t => {
    const app = await startApp(t)
    for (const kind of kinds)
      for (const embed of ['', 'element', 'iframe']) {
        const bad = encodeURIComponent(EVIL)
        const query = `?lang=${bad}&embed=${embed || bad}&utm_source=${bad}&utm_${bad}=x&${bad}=${bad}`
        const headers = { Referer: `https://evil.example/${EVIL}`, 'Accept-Language': 'e"><script>' }
        const form = await openForm(app, kind, { query, headers })
        const fields = Object.keys(typed(kind))
        const all = Object.fromEntries(
          [...fields, 'subject', 'token', 'page', 'referrer', 'utm_id', 'utm_source', 'answer', 'consent'].map(name => [
            name,
            EVIL,
          ]),
        )
        // An element sends to the public URL, which this service does not have here.
        const send = (values: Record<string, string>) =>
          app.request(`${formUrl(app, kind)}${query}`, { method: 'POST', body: new URLSearchParams(values) })
        for (const { text } of [form.page, await send(all), await send({ ...all, answer: 'fragment' })]) {
          match(text, /data-frontdesk="form"/)
          doesNotMatch(text, /<script>alert|"><script|<\/textarea>'=cmd/)
        }
      }
  })

  test('names no host that only the request named, and leads to none', async t => {
    const app = await startApp(t)
    const { hostname, port } = new URL(formUrl(app, 'student'))
    const form = await openForm(app, 'student', {
      query: '?lang=//evil.example&next=https://evil.example&sentUrl=https://evil.example&embed=//evil.example',
      headers: {
        'X-Forwarded-Host': 'evil.example',
        Forwarded: 'host=evil.example',
        'X-Forwarded-Proto': 'javascript',
      },
    })
    doesNotMatch(form.page.text, /evil\.example/)
    const answer = await form.send(typed('student', { sentUrl: 'https://evil.example', next: '//evil.example' }), {
      headers: { 'X-Forwarded-Host': 'evil.example' },
    })
    equal(answer.status, 303)
    const location = new URL(answer.headers.get('location') ?? '', formUrl(app, 'student'))
    equal(location.host, `${hostname}:${port}`)
    for (const path of [
      '//evil.example/forms/student-interest',
      '/forms//evil.example',
      '/forms/student-interest//evil.example',
    ])
      equal((await app.request(`${app.origin.learn}${path}`, { redirect: 'manual' })).headers.get('location'), null)
  })

  test('is kept by no shared cache, whose language would be that of someone else', async t => {
    const app = await startApp(t)
    for (const kind of kinds) {
      const { page, send } = await openForm(app, kind)
      for (const { headers } of [page, await send({}), await send({ token: '' })]) {
        match(headers.get('cache-control') ?? '', /private|no-store/)
        equal(headers.get('set-cookie'), null)
      }
      const sent = await app.request(formUrl(app, kind).replace('/forms/', '/forms/sent/'))
      match(`${sent.headers.get('cache-control')} ${sent.headers.get('vary')}`, /private|no-store|accept-language/i)
    }
  })

  test('is framed by no other site unless it is the one for frames, and by those alone that the school names', async t => {
    const own = { forms: { embedOn: ['https://www.school.example'] } }
    const app = await startApp(t, { settings: own })
    const policy = async (query: string) =>
      (await openForm(app, 'student', { query })).page.headers.get('content-security-policy') ?? ''
    match(await policy(''), /frame-ancestors 'none'/)
    // Our own page about the forms shows it, too.
    match(
      await policy('?embed=iframe'),
      /frame-ancestors 'self' http:\/\/localhost:3000 https:\/\/www\.school\.example(;|$)/,
    )
    match(await policy('?embed=element'), /frame-ancestors 'none'/)
    for (const origin of ['https://evil.example', 'https://www.school.example.evil.example', 'null']) {
      const { page } = await openForm(app, 'student', { query: '?embed=element', headers: { Origin: origin } })
      const allowed = page.headers.get('access-control-allow-origin')
      ok(allowed !== '*' && allowed !== origin, `${origin}: ${allowed}`)
      equal(page.headers.get('access-control-allow-credentials'), null)
    }
  })
})
