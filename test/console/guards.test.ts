/** What keeps strangers out of an account, and what does not get in its operator's way. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
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
async function setUp(service: TestConsole, browser: ConsoleClient, proof = '') {
  const page = await browser.get('/account/second-factor')
  const secret = fieldOn(page.text, 'secret')
  match(secret, /^[A-Z2-7]{32}$/)
  const code = codeFor(secret, service)
  const wrong = await browser.post('/account/second-factor', { secret, code, password: 'wrong', proof })
  match(wrong.text, /The password is not right/)
  const done = await browser.post('/account/second-factor', { secret, code, password: PASSWORD, proof })
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
  test('guessing gets slower and slower', async t => {
    const { service } = await startWithAna(t, engine)
    const stranger = await service.client()
    const guess = (address?: string) => signIn(stranger, 'guess', address)
    // The wait begins with the sixth attempt.
    for (let n = 0; n < 6; n++) equal((await guess()).status, 422)
    equal((await guess('203.0.113.9')).status, 422, 'another network has a count of its own')
    const slow = await guess()
    equal(slow.status, 429)
    match(slow.text, /Wait \d+ seconds/)
    ok(Number(slow.headers.get('retry-after')) <= 60)
    // Even the right password must wait in a browser that we do not know, which a link by email gets around.
    const unknown = await signIn(await service.client(), PASSWORD)
    equal(unknown.status, 429)
    match(unknown.text, /a link by email always works/)
    service.clock.advance(MINUTE)
    equal((await signIn(await service.client(), PASSWORD)).path, '/account')
  })

  test('no one who guesses keeps operators out of browsers in which they have signed in', async t => {
    const { service, ana } = await startWithAna(t, engine)
    const stranger = await service.client()
    const statuses = new Set<number>()
    // In her own network, as in the Wi-Fi of a school, and from everywhere.
    for (let n = 0; n < 30; n++) {
      statuses.add((await signIn(stranger, 'guess')).status)
      statuses.add((await signIn(stranger, 'guess', `203.0.113.${n}`)).status)
    }
    ok(statuses.has(429))
    equal((await signIn(await service.client(), PASSWORD, '203.0.113.99')).status, 429)
    for (let n = 0; n < 10; n++) {
      await signIn(stranger, 'guess')
      equal((await signIn(ana, PASSWORD, n % 2 === 0 ? undefined : '192.0.2.9')).path, '/account')
    }
    // The cookie of one browser is of no use for another account, and an invented one for none.
    const [[name = '', value = ''] = []] = [...ana.cookies].filter(([name]) => name.startsWith('device-'))
    stranger.cookies.set(name, value.replace(/\.[^.]+$/, '.invented'))
    equal((await signIn(stranger, 'guess')).status, 429)
  })

  test('a browser in which someone has signed in is slowed down, too, when the guesses come from there', async t => {
    const { service, ana } = await startWithAna(t, engine)
    for (let n = 0; n < 11; n++) equal((await signIn(ana, 'guess', `203.0.113.${n}`)).status, 422)
    equal((await signIn(ana, PASSWORD, '203.0.113.99')).status, 429)
    service.clock.advance(MINUTE)
    equal((await signIn(ana, PASSWORD, '203.0.113.99')).path, '/account')
  })

  test('right passwords do not count as guesses: a whole school can sign in from one network', async t => {
    const { service } = await startWithAna(t, engine)
    for (let n = 0; n < 40; n++) equal((await signIn(await service.client(), PASSWORD)).path, '/account')
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

    const { browser, token } = await step('wrong')
    service.clock.advance(6 * MINUTE)
    const sent = { token, email: EMAIL, code: codeFor(secret, service) }
    match((await browser.post('/sign-in/code', sent)).text, /Too much time has passed/)
  })

  test('writing the address in other letters gives no one more guesses of a code', async t => {
    const { service, ana } = await startWithAna(t, engine)
    await setUp(service, ana)
    const { browser, token } = await enterCode(service, 'wrong')
    const from = { 'x-forwarded-for': '198.51.100.7' }
    const spellings = ['ｓchool', 'sｃhool', 'scｈool', 'schｏol', 'schoｏl', 'schooｌ']
    const guess = (email: string) => browser.post('/sign-in/code', { token, email, code: 'wrong' }, from)
    const statuses = await Array.fromAsync(spellings, async school => (await guess(`ana@${school}.example`)).status)
    deepEqual(statuses, [422, 422, 422, 422, 422, 429])
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
    const { secret: fresh } = await setUp(next, entered.browser, codes[1])
    next.clock.advance(15 * MINUTE)
    equal((await enterCode(next, codeFor(fresh, next))).path, '/account')
  })

  test('a second factor is removed or replaced with the password and a code, and survives a new password', async t => {
    const { service, ana } = await startWithAna(t, engine)
    const { codes } = await setUp(service, ana)
    const [first = '', second = ''] = codes
    const password = 'another horse battery'
    const changed = await ana.post('/account/password', { current: PASSWORD, password })
    match(changed.text, /The password is changed/)
    match((await signIn(await service.client(), password)).text, /Enter your code/)

    const path = '/account/second-factor'
    const fresh = fieldOn((await ana.get(path)).text, 'secret')
    const replace = (proof: string) => ana.post(path, { secret: fresh, code: codeFor(fresh, service), password, proof })
    match((await replace('000000')).text, /This code is not right/)
    match((await replace(first)).text, /The second factor is on/)

    const remove = (typed: Record<string, string>) => ana.post(`${path}/remove`, typed)
    equal((await remove({ password: PASSWORD, proof: second })).status, 422)
    for (const proof of ['', first, 'wrong']) equal((await remove({ password, proof })).status, 422, proof)
    service.clock.advance(15 * MINUTE)
    match((await remove({ password, proof: codeFor(fresh, service) })).text, /The second factor is removed/)
    equal((await signIn(await service.client(), password)).path, '/account')
  })

  test('codes cannot be tried without end in a session that someone has left open', async t => {
    const { service, ana } = await startWithAna(t, engine)
    await setUp(service, ana)
    const tried = async () => (await ana.post('/account/second-factor/remove', { password: PASSWORD, proof: '0' })).text
    for (let n = 0; n < 10; n++) match(await tried(), /This code is not right/)
    match(await tried(), /Too many attempts/)
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
