/** What a form does with a post that no page of ours sends: it says so in words, and nothing typed is lost. */
import { equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FORM_LIMIT, readMultipart, readUrlencoded } from '../../src/forms/form-body.ts'
import { createTokens } from '../../src/forms/token.ts'
import { addressHash } from '../../src/leads/body/email.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { StoreUnavailable } from '../../src/store/acceptance/store-unavailable.ts'
import { startApp } from '../support/app.ts'
import { countRows } from '../support/engines.ts'
import { asForm, formUrl, openForm, problemAt, readable, typed, unescaped } from '../support/forms.ts'

const KNOWN = 'known@mail.example'
const URLENCODED = 'application/x-www-form-urlencoded'

describe('a form post', () => {
  test('without a token, or with one of another form, comes back with a new one and all that was typed', async t => {
    const app = await startApp(t)
    const other = await openForm(app, 'site')
    const form = await openForm(app, 'student')
    const values = typed('student', { message: 'Two\r\nlines <b>' })
    for (const token of [undefined, '', 'x', other.hidden['token'], `${form.hidden['token']}x`]) {
      const answer = await form.send({ ...values, token })
      equal(answer.status, 400)
      match(readable(answer.text), /Please send it again/)
      match(answer.text, /Two\r?\nlines &lt;b&gt;<\/textarea>/)
      equal((await asForm(app, formUrl(app, 'student'), answer).send(values)).status, 303)
    }
    equal(await countRows(app.database, 'submissions'), 5)
  })

  test('with a field that came twice, a file, or another charset is shown to the person, who sends it again', async t => {
    const app = await startApp(t)
    const url = formUrl(app, 'student')
    const form = await openForm(app, 'student')
    const values = typed('student', { firstName: 'Zoë' })
    const plain = new URLSearchParams({ ...form.hidden, ...values })
    const twice = new URLSearchParams(plain)
    twice.append('email', 'other@mail.example')
    const file = new FormData()
    for (const [name, value] of plain) file.set(name, value)
    file.set('resume', new File(['text'], 'resume.txt'))
    const posts: [RegExp, RequestInit][] = [
      [/arrived more than once/, { body: twice }],
      [/cannot receive files/, { body: file }],
      [
        /Some letters did not arrive/,
        { body: Buffer.from(plain.toString().replace('%C3%AB', '%EB')), headers: { 'Content-Type': URLENCODED } },
      ],
    ]
    for (const [words, init] of posts) {
      const answer = await form.send({}, init)
      equal(answer.status, 400)
      match(readable(answer.text), words)
      const name = /id="firstName"[^>]* value="([^"]*)"/.exec(answer.text)?.[1]
      equal(name, 'Zoë')
      equal((await asForm(app, url, answer).send(values)).status, 303)
    }
    equal(await countRows(app.database, 'submissions'), 1)
  })

  test('with a phone number that is too long with its extension says how to keep the extension, in its language', async t => {
    const app = await startApp(t)
    const long = '+1 (512) 555-0142 ext. 1234'
    const inEnglish =
      'Your phone number is too long with its extension. Write the extension as x12, or put it into your message.'
    for (const [kind, languages, sentence] of [
      ['student', 'en', inEnglish],
      ['site', 'en', inEnglish],
      ['student', 'es', 'Tu número de teléfono es demasiado largo con la extensión. Escribe la extensión como x12'],
      ['site', 'es', 'Su número de teléfono es demasiado largo con la extensión. Escriba la extensión como x12'],
    ] as const) {
      const form = await openForm(app, kind, { headers: { 'Accept-Language': languages } })
      const answer = await form.send(typed(kind, { phone: long }))
      equal(answer.status, 400)
      equal(problemAt(answer.text, 'phone')?.slice(0, sentence.length), sentence)
      ok(unescaped(answer.text).includes(`data-extension="${sentence}`))
      const again = asForm(app, formUrl(app, kind), answer)
      equal((await again.send(typed(kind, { phone: '+1 (512) 555-0142 x1234' }))).status, 303)
    }
    await app.settle()
    const stored = (await app.app.store.findLead(1))?.phone
    equal(stored, '+1 (512) 555-0142 x1234')
  })

  test('as multipart without a file is received', async t => {
    const app = await startApp(t)
    const form = await openForm(app, 'student')
    const body = new FormData()
    for (const [name, value] of Object.entries({ ...form.hidden, ...typed('student') })) body.set(name, value)
    body.set('resume', new File([], ''))
    equal((await form.send({}, { body })).status, 303)
  })

  test('that is cut off, too large or not a form says what to do', async t => {
    const app = await startApp(t)
    const form = await openForm(app, 'student')
    const cut = { 'Content-Type': 'multipart/form-data; boundary=x' }
    const incomplete = await form.send({}, { body: '--x\r\nContent-Disp', headers: cut })
    equal(incomplete.status, 400)
    match(readable(incomplete.text), /Not everything arrived/)
    const large = await form.send({ message: 'a'.repeat(FORM_LIMIT) })
    equal(large.status, 413)
    match(readable(large.text), /shorten your message/)
    const json = await form.send({}, { body: '{}', headers: { 'Content-Type': 'application/json', Accept: '*/*' } })
    equal(json.status, 415)
    const dryRun = await app.request(`${formUrl(app, 'student')}?validateOnly=true`, {
      method: 'POST',
      body: new URLSearchParams(form.hidden),
    })
    equal(dryRun.status, 400)
    equal(await countRows(app.database, 'submissions'), 0)
  })

  test('beyond a limit keeps what was typed, says when to send it again, and how to call', async t => {
    const app = await startApp(t, {
      settings: { school: { phone: '+1 312 555 0142' } },
      env: { TRUSTED_PROXIES: '127.0.0.1' },
    })
    const headers = { 'X-Forwarded-For': '203.0.113.9' }
    const form = await openForm(app, 'student')
    const values = typed('student', { message: 'Kept words' })
    for (let i = 0; i < 6; i++) await form.send({ ...values, city: `Town ${i}` })
    const locked = await form.send({ ...values, city: 'Another' })
    equal(locked.status, 429)
    match(readable(locked.text), /this email address .* you do not need to send it again\. .* call us at/)
    match(locked.text, />\nKept words<\/textarea>/)
    let answer = locked
    for (let i = 0; i < 20; i++) {
      answer = await form.send(typed('student', { message: 'Kept words' }), { headers })
      if (answer.status === 429) break
    }
    equal(answer.status, 429)
    match(readable(answer.text), /from your network/)
    match(answer.text, />\nKept words<\/textarea>/)
    ok(Number(answer.headers.get('retry-after')) > 0)
    app.clock.advance(60 * MINUTE)
    equal((await form.send({ ...values, city: 'Another' })).status, 303)
  })

  test('that cannot be stored keeps what was typed, and counts once when it is sent again', async t => {
    const app = await startApp(t)
    const form = await openForm(app, 'site')
    const values = typed('site', { message: 'Kept words' })
    const accept = t.mock.method(app.app.store, 'accept', async () => {
      throw new StoreUnavailable('The disk is full')
    })
    const answer = await form.send(values)
    equal(answer.status, 503)
    match(readable(answer.text), /something on our side is not working right now/)
    match(answer.text, />\nKept words<\/textarea>/)
    accept.mock.restore()
    equal((await asForm(app, formUrl(app, 'site'), answer).send(values)).status, 303)
    equal(await countRows(app.database, 'submissions'), 1)
  })

  test('of a person with an account leads to the sign-in', async t => {
    const app = await startApp(t, {
      settings: { accounts: { directory: 'table' }, forms: { signInUrl: 'https://learn.school.example/login' } },
    })
    const { store } = app.app
    const secret = await store.getOrCreateSecret('addresses', 'kept by the service')
    await store.importAccounts([addressHash(secret, KNOWN)], { replace: true })
    const form = await openForm(app, 'student')
    const answer = await form.send(typed('student', { email: KNOWN }))
    equal(answer.status, 409)
    match(readable(answer.text), /already have an account/)
    match(answer.text, /href="https:\/\/learn\.school\.example\/login"/)
    equal(await countRows(app.database, 'submissions'), 1)
  })
})

describe('the parser of a form', () => {
  const names = fc.constantFrom('firstName', 'email', 'message', '__proto__', 'toString', 'é')
  const entries = fc.array(fc.tuple(names, fc.string({ unit: 'grapheme', maxLength: 40 })), { maxLength: 12 })

  test('reads what browsers write', () => {
    fc.assert(
      fc.property(entries, list => {
        const { values, trouble } = readUrlencoded(Buffer.from(`${new URLSearchParams(list)}`))
        for (const [name, value] of new Map(list.toReversed())) equal(values[name], value)
        const differ = list.some(([name, value]) => values[name] !== value)
        equal(trouble, differ ? 'twice' : undefined)
      }),
      { numRuns: 500 },
    )
  })

  test('takes any bytes, and gives only text', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .array(fc.constantFrom('a', '=', '&', '%', '%E', '%EB', '+', '%00', ';', 'ë'))
        .map(parts => Buffer.from(parts.join(''), 'latin1')),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async some => {
        const all = Buffer.from(some)
        const one = readUrlencoded(all)
        const other = await readMultipart(all, 'multipart/form-data; boundary=x')
        for (const { values } of [one, other]) for (const value of Object.values(values)) ok(value.isWellFormed())
      }),
      { numRuns: 500 },
    )
  })
})

describe('the token of a form', () => {
  const tokens = createTokens('a secret')

  test('is read only for what it was issued for', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(), (seen, other, now) => {
        const token = tokens.issue('student', seen, now)
        equal(tokens.read('student', seen, token)?.startedAt, now)
        equal(tokens.read('site', seen, token), undefined)
        if (other !== seen) equal(tokens.read('student', other, token), undefined)
        equal(createTokens('another').read('student', seen, token), undefined)
        equal(tokens.read('student', seen, other), undefined)
      }),
    )
  })
})
