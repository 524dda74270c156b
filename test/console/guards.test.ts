/** What keeps strangers out of an account, and what does not get in its operator's way. */
import { equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { hashPassword } from '../../src/console/sign-in/passwords.ts'
import { type ConsoleClient, fieldOn, startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'

const PASSWORD = 'correct horse battery'
const EMAIL = 'ana@school.example'
const MINUTE = 60_000
// A service that trusts this proxy sees the addresses that the tests name.
const env = { TRUSTED_PROXIES: '127.0.0.1' }

/** Ana, signed in, with a password. */
async function startWithAna(t: Parameters<typeof startConsole>[0], engine: 'sqlite' | 'postgres') {
  const service = await startConsole(t, { engine, env })
  const ana = await service.client('viewer', { email: EMAIL, name: 'Ana Ruiz' })
  await service.app.store.setPassword(ana.operator, {
    password: await hashPassword(PASSWORD),
    now: service.clock.now(),
  })
  await signIn(ana, PASSWORD)
  return { service, ana }
}

const signIn = (browser: ConsoleClient, password: string, address = '198.51.100.7', more = {}) =>
  browser.post('/sign-in', { email: EMAIL, password, next: '/account', ...more }, { 'x-forwarded-for': address })

const codeFor = (secret: string, { clock }: TestConsole, periods = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() + periods * 30_000 })

/** Sets up a second factor, and returns its key and its recovery codes. */
async function setUp(service: TestConsole, browser: ConsoleClient) {
  const page = await browser.get('/account/second-factor')
  const secret = fieldOn(page.text, 'secret')
  match(secret, /^[A-Z2-7]{32}$/)
  const code = codeFor(secret, service)
  const wrong = await browser.post('/account/second-factor', { secret, code, password: 'wrong' })
  match(wrong.text, /The password is not right/)
  const done = await browser.post('/account/second-factor', { secret, code, password: PASSWORD })
  const codes = [...done.text.matchAll(/<code>([a-z2-7]{5}-[a-z2-7]{5})<\/code>/g)]
  equal(codes.length, 10)
  return { secret, codes: codes.map(([, code = '']) => code) }
}

/** What the page for the code says when the secret of the app cannot be read. */
const LOST = /Frontdesk cannot check codes from your app anymore/

/** Signs in with the password, then with this code. */
async function enterCode(service: TestConsole, code: string) {
  const browser = await service.client()
  const asked = await signIn(browser, PASSWORD)
  match(asked.text, /Enter your code/)
  equal((await browser.get('/account')).path, '/sign-in?next=%2Faccount')
  const token = fieldOn(asked.text, 'token')
  const sent = await browser.post(
    '/sign-in/code',
    { token, email: EMAIL, code, next: '/account' },
    { 'x-forwarded-for': '198.51.100.7' },
  )
  return { ...sent, browser, token }
}

onEachEngine(engine => {
  test('guessing gets slower and slower, and does not slow down the operator elsewhere', async t => {
    const { service } = await startWithAna(t, engine)
    const stranger = await service.client()
    const guess = (address?: string) => signIn(stranger, 'guess', address)
    // The wait begins with the sixth attempt; the first was Ana's own.
    for (let n = 0; n < 5; n++) equal((await guess()).status, 422)
    equal((await guess('203.0.113.9')).status, 422, 'another network has a count of its own')
    const slow = await guess()
    equal(slow.status, 429)
    match(slow.text, /Wait \d+ seconds/)
    ok(Number(slow.headers.get('retry-after')) <= 60)
    // Even the right password must wait there.
    equal((await signIn(await service.client(), PASSWORD)).status, 429)
    service.clock.advance(MINUTE)
    equal((await signIn(await service.client(), PASSWORD)).path, '/account')
  })

  test('guessing from many networks does not slow down the operator in their own', async t => {
    const { service } = await startWithAna(t, engine)
    const stranger = await service.client()
    const statuses = new Set<number>()
    for (let n = 0; n < 30; n++) statuses.add((await signIn(stranger, 'guess', `203.0.113.${n}`)).status)
    ok(statuses.has(429))
    equal((await signIn(await service.client(), PASSWORD, '203.0.113.99')).status, 429)
    equal((await signIn(await service.client(), PASSWORD)).path, '/account')
  })

  test('a network that must wait adds no counters for the addresses that it makes up', async t => {
    const { service } = await startWithAna(t, engine)
    const stranger = await service.client()
    const { store } = service.app
    const counted: string[] = []
    const count = store.count
    store.count = (key, hit) => {
      counted.push(key)
      return count(key, hit)
    }
    const attempt = (i: number) => signIn(stranger, 'x', '203.0.113.9', { email: `${i}@made.up` })
    for (let i = 0; i < 35; i++) await attempt(i)
    const before = counted.length
    ok(before > 0)
    equal((await attempt(99)).status, 429)
    ok(counted.slice(before).every(key => key.startsWith('sign-in network')))
    const ask = () => stranger.post('/forgotten', { email: EMAIL }, { 'x-forwarded-for': '203.0.113.9' })
    for (let i = 0; i < 10; i++) equal((await ask()).status, 200)
    equal((await ask()).status, 429)
  })

  test('a second factor asks for a code after the password; each code works once', async t => {
    const { service, ana } = await startWithAna(t, engine)
    const { secret, codes } = await setUp(service, ana)
    const step = (code: string) => enterCode(service, code)
    equal((await step(codeFor(secret, service))).status, 422, 'used to set it up')
    equal((await step('000000x')).status, 422)
    service.clock.advance(15 * MINUTE)
    const code = codeFor(secret, service)
    equal((await step(code)).path, '/account')
    equal((await step(code)).status, 422, 'used already')
    const [recovery = ''] = codes
    equal((await step(recovery.toUpperCase().replace('-', ' '))).path, '/account')
    service.clock.advance(15 * MINUTE)
    equal((await step(recovery)).status, 422, 'used already')

    const late = await step('wrong')
    service.clock.advance(6 * MINUTE)
    const { browser, token } = late
    const sent = { token, email: EMAIL, code: codeFor(secret, service) }
    match((await browser.post('/sign-in/code', sent)).text, /Too much time has passed/)
  })

  test('the secret of an authenticator app is encrypted in the database, for one operator only', async t => {
    const { service, ana } = await startWithAna(t, engine)
    const { secret } = await setUp(service, ana)
    const stored = async () => {
      const [row] = await sql(service.database, 'select totp_secret from operators')
      return String(row?.['totp_secret'])
    }
    const sealed = await stored()
    match(sealed, /^[A-Z2-7]{77}$/)
    ok(!sealed.includes(secret))
    // A copy of it is of no use to another operator.
    const viewer = await service.client('viewer', { email: 'ben@school.example' })
    const { operator } = viewer
    await service.app.store.setSecondFactor(operator, { secret: sealed, step: 0, codeHashes: ['x'] })
    const [found] = await sql(service.database, `select password from operators where email = '${EMAIL}'`)
    const password = String(found?.['password'])
    await service.app.store.setPassword(operator, { password, now: service.clock.now() })
    match((await signIn(viewer, PASSWORD, undefined, { email: 'ben@school.example' })).text, LOST)
  })

  test('after SECRET_KEY was changed, signing in says what to do; a recovery code still lets in', async t => {
    const { service, ana } = await startWithAna(t, engine)
    const { secret, codes } = await setUp(service, ana)
    await service.close()
    const changed = { ...env, SECRET_KEY: 'another secret of 32 characters!' }
    const next = await startConsole(t, { ...service, env: changed })
    const asked = await signIn(await next.client(), PASSWORD)
    match(asked.text, LOST)
    match(asked.text, /npx frontdesk operators reset ana@school\.example/)
    ok(next.log.some(line => line.includes('SECRET_KEY was changed or lost')))
    next.clock.advance(15 * MINUTE)
    const refused = await enterCode(next, codeFor(secret, next))
    equal(refused.status, 422)
    match(refused.text, LOST)
    next.clock.advance(15 * MINUTE)
    const entered = await enterCode(next, codes[0] ?? '')
    equal(entered.path, '/account')
    const { secret: fresh } = await setUp(next, entered.browser)
    next.clock.advance(15 * MINUTE)
    equal((await enterCode(next, codeFor(fresh, next))).path, '/account')
  })

  test('a second factor can be removed with the password, and survives a new password', async t => {
    const { service, ana } = await startWithAna(t, engine)
    await setUp(service, ana)
    const changed = await ana.post('/account/password', { current: PASSWORD, password: 'another horse battery' })
    match(changed.text, /The password is changed/)
    match((await signIn(await service.client(), 'another horse battery')).text, /Enter your code/)
    equal((await ana.post('/account/second-factor/remove', { password: PASSWORD })).status, 422)
    await ana.post('/account/second-factor/remove', { password: 'another horse battery' })
    service.clock.advance(15 * MINUTE)
    equal((await signIn(await service.client(), 'another horse battery')).path, '/account')
  })

  test('an operator sees where they are signed in, and ends other sessions', async t => {
    const { service, ana } = await startWithAna(t, engine)
    const phone = await service.client()
    const tablet = await service.client()
    for (const browser of [phone, tablet]) await signIn(browser, PASSWORD, '203.0.113.9')
    const page = await ana.get('/account')
    equal(page.text.match(/203\.0\.113\.9/g)?.length, 2)
    const session = fieldOn(page.text, 'session')
    await ana.post('/account/sessions/end', { session })
    const paths = await Promise.all([phone, tablet].map(async one => (await one.get('/account')).path))
    equal(paths.filter(path => path === '/account').length, 1)
    await ana.post('/account/sessions/end')
    for (const browser of [phone, tablet]) notEqual((await browser.get('/account')).path, '/account')
    equal((await ana.get('/account')).path, '/account')
  })
})

describe('a form that is sent after its session has ended', () => {
  test('is not lost: after signing in, it is sent on', async t => {
    const { service, ana } = await startWithAna(t, 'sqlite')
    await service.app.store.endOtherSessions(ana.operator, '')
    const typed = { shortcuts: 'off', note: 'He said: "call <after> 5 & before 8"\nthanks' }
    const asked = await ana.post('/account/shortcuts', typed)
    match(asked.text, /what you typed is not lost/)
    const resume = fieldOn(asked.text, 'resume')
    const back = await signIn(ana, PASSWORD, undefined, { resume })
    match(back.text, /call &lt;after&gt; 5 &amp; before 8/)
    match(back.text, /<form method="post" action="\/account\/shortcuts"/)
  })

  test('is not carried along if it holds a password', async t => {
    const { service, ana } = await startWithAna(t, 'sqlite')
    await service.app.store.endOtherSessions(ana.operator, '')
    const fields = { current: PASSWORD, password: 'a new one, long enough' }
    const { text } = await ana.post('/account/password', fields)
    match(text, /Your session has ended\. Sign in again\.</)
    ok(!text.includes('horse') && !text.includes('long enough'))
  })

  test('tells htmx to open the sign-in page', async t => {
    const service = await startConsole(t)
    const browser = await service.client()
    const response = await browser.fetch('/account/shortcuts', {
      method: 'POST',
      headers: {
        origin: service.origin.console,
        'hx-request': 'true',
        'hx-current-url': `${service.origin.console}/inbox?q=a`,
      },
    })
    equal(response.headers.get('hx-redirect'), '/sign-in?next=%2Finbox%3Fq%3Da')
  })

  test('goes nowhere else', async t => {
    const { ana } = await startWithAna(t, 'sqlite')
    const resume = JSON.stringify({ path: '//evil.example/', fields: [] })
    equal((await signIn(ana, PASSWORD, undefined, { resume })).path, '/account')
  })
})
