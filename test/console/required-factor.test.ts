/** The second factor that a school asks of some roles: a week to set it up, then nothing but the account. */
import { doesNotMatch, equal, match } from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hashPassword } from '../../src/console/sign-in/passwords.ts'
import { DAY } from '../../src/platform/time.ts'
import type { Store } from '../../src/store/store.ts'
import { frontdeskIn } from '../cli/frontdesk.ts'
import { type ConsoleClient, startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine, urlOf } from '../support/engines.ts'

const settings = { security: { secondFactorFor: ['admin', 'manager'] as ('admin' | 'manager')[] } }
const PASSWORD = 'correct horse battery'
const SET_UP = /Set up a second factor by/
const OVER = /Set up a second factor now/

/** Time passes, and these people sign in again, as sessions end. */
async function later({ app, clock }: TestConsole, time: number, ...people: ConsoleClient[]) {
  clock.advance(time)
  for (const { operator, cookies } of people) {
    const token = randomBytes(32).toString('base64url')
    const tokenHash = createHash('sha256').update(token).digest('base64url')
    const session = { tokenHash, network: '127.0.0.1', browser: 'a test', now: clock.now() }
    await app.store.addSession(operator, session)
    cookies.set('session', token)
  }
}

const addPasskey = (store: Store, operatorId: number) =>
  store.addPasskey({ id: `key ${operatorId}`, operatorId, publicKey: '', counter: 0, name: 'Phone', createdAt: 0 })

onEachEngine(engine => {
  test('those whose role needs one get a week from their first page; then every page leads to their account', async t => {
    const service = await startConsole(t, { engine, settings })
    const dana = await service.client('manager')
    await later(service, 30 * DAY, dana)
    match((await dana.get('/inbox')).text, SET_UP)
    await later(service, 7 * DAY - 1, dana)
    const before = await dana.get('/inbox')
    equal(before.path, '/inbox')
    match(before.text, SET_UP)

    service.clock.advance(1)
    for (const path of ['/', '/inbox', '/today', '/export', '/settings'])
      equal((await dana.get(path)).path, '/account', path)
    match((await dana.get('/account')).text, OVER)
    const refused = await dana.post('/board/move', { lead: '1', to: 'qualified' })
    equal(refused.status, 403)
    match(refused.text, /needs a passkey or an authenticator app/)
    for (const path of ['/account/passkeys', '/account/second-factor']) equal((await dana.get(path)).path, path)
    equal((await dana.fetch('/live')).status, 303)
    equal((await dana.post('/sign-out')).path, '/sign-in')
  })

  test('either kind of second factor ends the request for one, and other roles are not asked', async t => {
    const service = await startConsole(t, { engine, settings })
    const { client, app } = service
    const [dana, eli, maria] = [await client('manager'), await client('admin'), await client('counselor')]
    for (const one of [dana, eli]) match((await one.get('/account')).text, SET_UP)
    await app.store.setSecondFactor(dana.operator, { secret: 'sealed', step: 0, codeHashes: ['a'] })
    await addPasskey(app.store, eli.operator)
    await later(service, 8 * DAY, dana, eli, maria)
    for (const one of [dana, eli, maria]) {
      const { path, text } = await one.get('/inbox')
      equal(path, '/inbox')
      doesNotMatch(text, /Set up a second factor/)
    }
    await app.store.removeSecondFactor(dana.operator)
    equal((await dana.get('/inbox')).path, '/account', 'she had her week')
    await app.store.resetOperator(dana.operator, { nonce: 'nonce', now: service.clock.now(), mail: false })
    await later(service, 0, dana)
    match((await dana.get('/inbox')).text, SET_UP)
  })

  test('a role that no longer needs one is not held up, and begins a new week when it does again', async t => {
    const service = await startConsole(t, { engine, settings })
    const { client, app } = service
    const dana = await client('manager')
    await dana.get('/inbox')
    await later(service, 8 * DAY, dana)
    await app.store.setRole(dana.operator, 'counselor')
    const free = await dana.get('/inbox')
    equal(free.path, '/inbox')
    doesNotMatch(free.text, /Set up a second factor/)
    await app.store.setRole(dana.operator, 'manager')
    match((await dana.get('/inbox')).text, SET_UP)
  })

  test('a passkey as second factor cannot be bypassed, neither by the password nor by a link in the mailbox', async t => {
    const service = await startConsole(t, { engine, settings })
    const { client, app, clock } = service
    const { operator } = await client('manager', { email: 'dana@school.example' })
    const password = await hashPassword(PASSWORD)
    await app.store.setPassword(operator, { password, now: clock.now() })
    await addPasskey(app.store, operator)
    const browser = await client()
    const refused = await browser.post('/sign-in', { email: 'dana@school.example', password: PASSWORD })
    equal(refused.status, 422)
    match(refused.text, /yours is a passkey/)

    await app.store.requestReset('dana@school.example', { nonce: 'a nonce', now: clock.now() })
    await service.settle()
    const link = new URL(/http\S+\/welcome\/[\w.-]+/.exec(service.sent.at(-1)?.text ?? '')?.[0] ?? '')
    match((await browser.get(link.pathname)).text, /Your passkeys stay/)
    const chosen = { password: 'another horse battery', remove: `key ${operator}` }
    match((await browser.post(link.pathname, chosen)).text, /Sign in with your passkey/)
    equal((await app.store.listPasskeys(operator)).length, 1)

    const counselor = await client('counselor', { email: 'sam@school.example' })
    await app.store.setPassword(counselor.operator, { password, now: clock.now() })
    await addPasskey(app.store, counselor.operator)
    equal((await browser.post('/sign-in', { email: 'sam@school.example', password: PASSWORD })).status, 200)
  })

  test('Operators and the command line say who has one, and how long the others have', async t => {
    const service = await startConsole(t, { engine, settings })
    const { client, app } = service
    const eli = await client('admin', { email: 'eli@school.example' })
    const [dana] = [await client('manager', { email: 'dana@school.example' }), await client('counselor')]
    await addPasskey(app.store, dana.operator)
    const { text } = await eli.get('/operators')
    match(text, />passkey</)
    match(text, />no second factor, asked for until [^<]+</)
    match(text, />no second factor</)
    const { out } = await frontdeskIn(service.dataDir, { DATABASE_URL: urlOf(service.database) })('operators', 'list')
    match(out, /dana@school\.example.*passkey/)
    match(out, /eli@school\.example.*no second factor/)
  })
})
