/** Signing in to the console, and what its pages need before they show anything. */
import { equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hashPassword } from '../../src/console/sign-in/passwords.ts'
import { aStudent } from '../support/bodies.ts'
import { startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'

const PASSWORD = 'correct horse battery'

async function addAna({ app, clock }: TestConsole): Promise<number> {
  const ana = { email: 'Ana@school.example', name: 'Ana Ruiz', role: 'manager' } as const
  const id = (await app.store.addOperator({ ...ana, now: clock.now() })) ?? 0
  await app.store.setPassword(id, { password: await hashPassword(PASSWORD), now: app.store.clock.now() })
  return id
}

onEachEngine(engine => {
  test('an operator signs in, sees the console, and signs out', async t => {
    const service = await startConsole(t, { engine })
    await addAna(service)
    const browser = await service.client()

    const form = await browser.get('/')
    equal(form.path, '/sign-in')
    const account = await browser.post('/sign-in', {
      email: ' ana@SCHOOL.example',
      password: PASSWORD,
      next: '/account',
    })
    equal(account.path, '/account')
    match(account.text, /Ana Ruiz/)

    const cookie = browser.cookies.get('session')
    const out = await browser.post('/sign-out')
    match(out.text, /You are signed out/)
    const again = await browser.fetch('/account', { headers: { cookie: `session=${cookie}` } })
    equal(again.headers.get('location'), '/sign-in?next=%2Faccount')
  })

  test('a session ends when it was idle for too long, and when it is too old', async t => {
    const service = await startConsole(t, { engine })
    const browser = await service.client('viewer')
    const HOUR = 3_600_000
    for (let hours = 0; hours < 7 * 24 - 10; hours += 10) {
      equal((await browser.get('/account')).path, '/account')
      service.clock.advance(10 * HOUR)
    }
    service.clock.advance(2 * HOUR)
    equal((await browser.get('/account')).path, '/sign-in?next=%2Faccount')

    const idle = await service.client('viewer')
    service.clock.advance(12 * HOUR)
    equal((await idle.get('/account')).path, '/sign-in?next=%2Faccount')
  })
})

describe('signing in', () => {
  test('is counted in the log where it fails, by number only', async t => {
    const service = await startConsole(t)
    await addAna(service)
    const browser = await service.client()
    await browser.get('/')
    for (let i = 0; i < 7; i++) {
      await browser.post('/sign-in', { email: 'ana@school.example', password: 'a guess of mine' })
    }
    await browser.post('/sign-in', { email: 'ana@school.example', password: PASSWORD })
    await service.close()
    const lines = service.log.filter(text => text.includes('security events'))
    equal(lines.length, 1)
    match(lines[0] ?? '', /"failedSignIns":[78]\b/)
    ok(!/ana@|guess|127\.0/i.test(lines[0] ?? ''))
  })

  test('does not tell a wrong password from an unknown address', async t => {
    const service = await startConsole(t)
    await addAna(service)
    const browser = await service.client()
    const wrong = await browser.post('/sign-in', { email: 'ana@school.example', password: 'x' })
    const unknown = await browser.post('/sign-in', { email: 'bob@school.example', password: 'x' })
    equal(wrong.status, 422)
    const page = (text: string, name: string) =>
      text.replaceAll(`${name}@school`, '').replace(/data-options="[^"]*"/, '')
    equal(page(wrong.text, 'ana'), page(unknown.text, 'bob'))
  })

  test('gives every session a new token, and ends the one before', async t => {
    const service = await startConsole(t)
    await addAna(service)
    const browser = await service.client()
    const fields = { email: 'ana@school.example', password: PASSWORD, next: '/account' }
    await browser.post('/sign-in', fields)
    const first = browser.cookies.get('session')
    await browser.post('/sign-in', fields)
    notEqual(browser.cookies.get('session'), first)
    const old = await browser.fetch('/account', { headers: { cookie: `session=${first}` } })
    equal(old.status, 303)
  })

  test('leads only to pages of the console', async t => {
    const service = await startConsole(t)
    await addAna(service)
    const browser = await service.client()
    const targets = ['https://evil.example/', '//evil.example/', '/\\evil.example', 'account']
    for (const next of targets) {
      const response = await browser.fetch('/sign-in', {
        method: 'POST',
        headers: { origin: service.origin.console },
        body: new URLSearchParams({ email: 'ana@school.example', password: PASSWORD, next }),
      })
      equal(response.headers.get('location'), '/', next)
    }
  })

  test('sets a __Host- cookie where the console is served over https', async t => {
    const service = await startConsole(t, { env: { CONSOLE_URL: 'https://desk.school.example' } })
    await addAna(service)
    const browser = await service.client()
    const response = await browser.fetch('/sign-in', {
      method: 'POST',
      headers: { origin: 'https://desk.school.example' },
      body: new URLSearchParams({ email: 'ana@school.example', password: PASSWORD }),
    })
    match(
      response.headers.getSetCookie().join('\n'),
      /^__Host-session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/m,
    )
  })
})

describe('the sentence after an action', () => {
  const undo = { path: '/operators', fields: { name: 'Eve', email: 'eve@evil.example', role: 'admin' } }
  const made = JSON.stringify({ text: 'A new version is ready.', undo })

  test('is shown only if we have signed it, in the session that it is for', async t => {
    const service = await startConsole(t)
    const [ana, ben] = [await service.client('admin'), await service.client('admin')]
    for (const cookie of [made, `.${made}`, `${'A'.repeat(43)}.${made}`, 'x.{', 'x.null', '']) {
      ana.cookies.set('flash', encodeURIComponent(cookie))
      ok(!(await ana.get('/account')).text.includes('A new version'), cookie)
    }
    // An undo works only in its own session.
    await service.postStudent(aStudent())
    await service.settle()
    const left = { origin: service.origin.console }
    const body = new URLSearchParams({ do: 'reached' })
    await ana.fetch('/leads/1', { method: 'POST', headers: left, body })
    const flash = ana.cookies.get('flash') ?? ''
    ben.cookies.set('flash', flash)
    ok(!(await ben.get('/account')).text.includes('Undo'))
    ana.cookies.set('flash', flash)
    match((await ana.get('/account')).text, /Undo/)
  })

  test('is in a __Host- cookie where the console is served over https', async t => {
    const service = await startConsole(t, { env: { CONSOLE_URL: 'https://desk.school.example' } })
    await addAna(service)
    const browser = await service.client()
    const headers = { origin: 'https://desk.school.example' }
    const body = new URLSearchParams({ email: 'ana@school.example', password: PASSWORD })
    await browser.fetch('/sign-in', { method: 'POST', headers, body })
    const out = await browser.fetch('/sign-out', { method: 'POST', headers })
    match(
      out.headers.getSetCookie().join('\n'),
      /^__Host-flash=[^;]+; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/m,
    )
  })
})

describe('every page', () => {
  test('has a policy that allows no inline script or style, and is never cached', async t => {
    const service = await startConsole(t)
    const browser = await service.client('admin')
    const { headers, text } = await browser.get('/account')
    const policy = headers.get('content-security-policy') ?? ''
    match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
    ok(!policy.includes('unsafe'))
    equal(headers.get('cache-control'), 'no-store')
    ok(!/<style|<script>|\son\w+=|\sstyle=/.test(text))
    for (const [, url = ''] of text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
      const asset = await browser.fetch(url)
      equal(asset.status, 200, url)
      match(asset.headers.get('cache-control') ?? '', /immutable/)
    }
  })

  test('responds to HEAD as to GET, even if no one is signed in', async t => {
    const { client } = await startConsole(t)
    const stranger = await client()
    const { status, headers } = await stranger.fetch('/inbox', { method: 'HEAD' })
    equal(status, 303)
    equal(headers.get('location'), '/sign-in?next=%2Finbox')
  })

  test('accepts a form only from a page of the console', async t => {
    const service = await startConsole(t)
    const browser = await service.client('admin')
    const send = async (headers: Record<string, string>) => {
      const { status } = await browser.fetch('/account/shortcuts', {
        method: 'POST',
        body: new URLSearchParams({ shortcuts: 'off' }),
        headers,
      })
      return status
    }
    const origin = service.origin.console
    equal(await send({}), 403)
    equal(await send({ origin: 'https://evil.example' }), 403)
    equal(await send({ origin: 'null' }), 403)
    for (const spelled of [
      origin.replace('http:', 'https:'),
      `${origin}/`,
      origin.toUpperCase(),
      origin.replace('//', '//a@'),
    ])
      equal(await send({ origin: spelled }), 403, spelled)
    equal(await send({ origin, 'sec-fetch-site': 'cross-site' }), 403)
    equal(await send({ origin, 'sec-fetch-site': 'same-site' }), 403)
    equal(await send({ origin }), 303)
    equal(await send({ 'sec-fetch-site': 'same-origin' }), 303)
  })

  test('leaves the links in emails and the health of the service as they are', async t => {
    const service = await startConsole(t)
    const browser = await service.client()
    equal((await browser.fetch('/healthz')).status, 200)
    equal((await browser.fetch('/readyz')).status, 200)
    equal((await browser.fetch('/act/unknown')).status, 404)
  })

  test('says in words that there is no such page', async t => {
    const service = await startConsole(t)
    for (const browser of [await service.client(), await service.client('viewer')]) {
      const { status, text } = await browser.get('/nothing')
      equal(status, 404)
      match(text, /This page does not exist/)
    }
  })
})
