/** How operators get in: the first one, those that an admin invites, and those who forgot their password. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { StoreUnavailable } from '../../src/store/acceptance/store-unavailable.ts'
import { type ConsoleClient, startConsole, type TestConsole } from '../support/console.ts'
import { countRows, onEachEngine } from '../support/engines.ts'

const PASSWORD = 'correct horse battery'
const HOUR = 3_600_000

/** The path of a link at the console. */
const pathOf = (url: string): string => new URL(url).pathname

const signIn = (browser: ConsoleClient, email: string, password = PASSWORD) =>
  browser.post('/sign-in', { email, password, next: '/account' })

/** The emails with a link to choose a password. */
const withLink = ({ sent }: TestConsole) => sent.filter(({ text }) => LINK.test(text))
const LINK = /http\S+\/welcome\/[\w.-]+/

/** The link in the last of these emails, which goes to `email`. */
function mailedLink(service: TestConsole, email: string): string {
  const message = withLink(service).at(-1)
  equal(message?.to.address, email)
  return pathOf(LINK.exec(message?.text ?? '')?.[0] ?? '')
}

onEachEngine(engine => {
  test('the first operator is created once, by a link that works once', async t => {
    const service = await startConsole(t, { engine })
    const links = await Promise.all([1, 2].map(() => service.app.firstOperatorLink()))
    const [link = '', other = ''] = links.map(link => pathOf(link ?? ''))
    const person = { name: 'Ana Ruiz', email: 'ana@school.example', password: PASSWORD }
    const browsers = await Promise.all([1, 2].map(() => service.client()))

    for (const browser of browsers) match((await browser.get(link)).text, /You are the first/)
    await Promise.all(
      browsers.map((browser, n) => browser.post(n === 0 ? link : other, { ...person, email: `${n}@school.example` })),
    )
    const operators = await service.app.store.listOperators()
    equal(operators.length, 1)
    equal(operators[0]?.role, 'admin')
    equal(await service.app.firstOperatorLink(), undefined)
    for (const path of [link, other]) equal((await browsers[0]?.post(path, person))?.status, 404)
  })

  test('the link for the first operator that another replica made shows no form once there is one', async t => {
    const service = await startConsole(t, { engine })
    const links = await Promise.all([1, 2].map(() => service.app.firstOperatorLink()))
    const [link = '', other = ''] = links.map(link => pathOf(link ?? ''))
    const browser = await service.client()
    await browser.post(link, { name: 'Ana Ruiz', email: 'ana@school.example', password: PASSWORD })
    equal((await (await service.client()).get(other)).status, 404)
  })

  test('the link for the first operator is over after a day, and another start makes another', async t => {
    const service = await startConsole(t, { engine })
    const browser = await service.client()
    const link = pathOf((await service.app.firstOperatorLink()) ?? '')
    service.clock.advance(23 * HOUR)
    equal((await browser.get(link)).status, 200)
    service.clock.advance(HOUR)
    const person = { name: 'Ana Ruiz', email: 'ana@school.example', password: PASSWORD }
    for (const response of [await browser.get(link), await browser.post(link, person)]) equal(response.status, 404)
    deepEqual(await service.app.store.listOperators(), [])
    equal((await browser.get(pathOf((await service.app.firstOperatorLink()) ?? ''))).status, 200)
  })

  test('an admin invites a counselor by email, who chooses a password and is signed in', async t => {
    const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }
    const service = await startConsole(t, { engine, settings: { admissions: { counselors: [maria] } } })
    const admin = await service.client('admin', { name: 'Dana Kim' })
    match((await admin.get('/operators')).text, /People without an account/)
    const invited = await admin.post('/operators', { ...maria, role: 'counselor' })
    match(invited.text, /Maria Lopez gets an invitation/)
    ok(!invited.text.includes('People without an account'))
    await service.settle()

    const browser = await service.client()
    const link = mailedLink(service, maria.email)
    // Anyone may ask for that: the invitation goes on working.
    await browser.post('/forgotten', { email: maria.email })
    await service.settle()
    const reset = mailedLink(service, maria.email)
    // Mail scanners open links: that changes nothing.
    for (const _ of [1, 2]) match((await browser.get(link)).text, /maria@school\.example/)
    equal((await browser.post(link, { password: 'too short' })).status, 422)
    const inside = await browser.post(link, { password: PASSWORD })
    match(inside.text, /Maria Lopez/)
    for (const over of [link, reset]) equal((await browser.post(over, { password: PASSWORD })).status, 404)
    equal((await signIn(await service.client(), 'MARIA@school.example')).path, '/account')
    equal((await admin.post('/operators', { ...maria, role: 'viewer' })).status, 422)
  })

  test('the manager of the settings is offered as a manager, and once if they are a counselor, too', async t => {
    const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }
    const both = { counselors: [maria], manager: { name: 'Maria Lopez', email: 'MARIA@school.example' } }
    const service = await startConsole(t, { engine, settings: { admissions: both } })
    const admin = await service.client('admin')
    const { text } = await admin.get('/operators')
    equal(text.match(/Invite<span class="hidden"> Maria Lopez/g)?.length, 1)
    match(text, /name="role" value="manager"/)
  })

  test('a counselor who is not on the team, and so gets no leads, is told of it, and the admin, too', async t => {
    const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }
    const service = await startConsole(t, { engine, settings: { admissions: { counselors: [maria] } } })
    const admin = await service.client('admin', { name: 'Dana Kim' })
    const accountOf = async (email: string) => {
      await service.settle()
      const browser = await service.client()
      await browser.post(mailedLink(service, email), { password: PASSWORD })
      return (await browser.get('/account')).text
    }
    await admin.post('/operators', { ...maria, role: 'counselor' })
    doesNotMatch((await admin.get('/operators')).text, /Not on the team/)
    doesNotMatch(await accountOf(maria.email), /You are not on the team/)

    const sam = { name: 'Sam Reed', email: 'sam@school.example' }
    const invited = await admin.post('/operators', { ...sam, role: 'counselor' })
    match(invited.text, /Sam Reed gets an invitation by email\. Add them under Team, too/)
    match(await accountOf(sam.email), /You are not on the team yet: no new leads go to you/)
    await admin.post('/operators', { ...sam, email: 'tom@school.example', role: 'viewer' })
    const { text } = await admin.get('/operators')
    equal(text.match(/Not on the team: no new leads go to them/g)?.length, 1)
    doesNotMatch(await accountOf('tom@school.example'), /You are not on the team/)
  })

  test('a forgotten password is replaced by a link in an email, which works for an hour', async t => {
    const service = await startConsole(t, { engine })
    const { email } = { email: 'ana@school.example' }
    const ana = await service.client('viewer', { email })
    const browser = await service.client()
    const ask = async () => {
      await browser.post('/forgotten', { email: ' ANA@school.example ' })
      await service.settle()
    }
    await ask()
    const late = mailedLink(service, email)
    await ask()
    equal(service.sent.length, 1, 'one email within five minutes')
    service.clock.advance(HOUR)
    equal((await browser.get(late)).status, 404)

    service.sent.length = 0
    await ask()
    const link = mailedLink(service, email)
    match((await browser.post(link, { password: PASSWORD })).text, /Welcome/)
    equal((await ana.get('/account')).path, '/sign-in?next=%2Faccount', 'other sessions ended')
    await browser.post('/forgotten', { email: 'bob@school.example' })
    await service.settle()
    equal(withLink(service).length, 1)
  })

  test('a page says that a link is on its way once it is stored, and every address waits for the page', async t => {
    const service = await startConsole(t, { engine })
    await service.client('viewer', { email: 'ana@school.example' })
    const { store } = service.app
    const { requestReset } = store
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    store.requestReset = async (...request) => {
      begun.resolve()
      await goOn.promise
      return requestReset(...request)
    }
    const browser = await service.client()
    let answered = false
    const known = browser.post('/forgotten', { email: 'ana@school.example' }).finally(() => {
      answered = true
    })
    await begun.promise
    // Someone who asks later, in the name of no one, gets the page meanwhile.
    match((await browser.post('/forgotten', { email: 'bob@school.example' })).text, /on its way/)
    equal(answered, false)
    goOn.resolve()
    match((await known).text, /on its way/)
    equal(await countRows(service.database, 'operator_links'), 1)
    store.probe = async () => {
      throw new StoreUnavailable('full')
    }
    for (const email of ['ana@school.example', 'bob@school.example'])
      equal((await browser.post('/forgotten', { email })).status, 503, email)
  })

  test('links that someone requests in the name of an operator are sent more and more rarely', async t => {
    const service = await startConsole(t, { engine })
    const { operator } = await service.client('viewer', { email: 'ana@school.example' })
    const { store } = service.app
    const start = service.clock.now()
    const minutes: number[] = []
    for (let minute = 0; minute <= 240; minute++) {
      const before = service.sent.length
      await store.requestReset('ana@school.example', { nonce: `nonce ${minute}`, now: start + minute * 60_000 })
      await service.settle()
      if (service.sent.length > before) minutes.push(minute)
    }
    deepEqual(minutes, [0, 5, 15, 35, 75, 135, 195])
    ok(operator > 0)
    // The last one works until the next: no one is kept out by it.
    service.clock.advance(240 * 60_000)
    const browser = await service.client()
    match((await browser.post(mailedLink(service, 'ana@school.example'), { password: PASSWORD })).text, /Welcome/)
  })

  test('a new password by email shows the passkeys of the account, and removes those that are chosen', async t => {
    const service = await startConsole(t, { engine })
    const ana = await service.client('viewer', { email: 'ana@school.example' })
    const { store } = service.app
    for (const id of ['mine', 'strange']) {
      const passkey = { id, operatorId: ana.operator, publicKey: 'x', counter: 0, name: `The ${id} one` }
      await store.addPasskey({ ...passkey, createdAt: service.clock.now() })
    }
    await store.requestReset('ana@school.example', { nonce: 'a nonce', now: service.clock.now() })
    await service.settle()
    const browser = await service.client()
    const link = mailedLink(service, 'ana@school.example')
    match((await browser.get(link)).text, /The strange one, added/)
    await browser.post(link, { password: PASSWORD, remove: 'strange' })
    deepEqual(
      (await store.listPasskeys(ana.operator)).map(({ id }) => id),
      ['mine'],
    )
  })

  test('a passkey is not removed from a session that someone found open: it takes the password, too', async t => {
    const service = await startConsole(t, { engine })
    const ana = await service.client('viewer', { email: 'ana@school.example' })
    const { store } = service.app
    const now = service.clock.now()
    const passkey = { id: 'mine', operatorId: ana.operator, publicKey: 'x', counter: 0, name: 'Laptop', createdAt: now }
    await store.addPasskey(passkey)
    for (const password of [undefined, '', 'wrong horse battery']) {
      const sent: Record<string, string> = password === undefined ? { id: 'mine' } : { id: 'mine', password }
      const { status, text } = await ana.post('/account/passkeys/remove', sent)
      equal(status, 422)
      match(text, /The password is not right|Too many attempts/)
    }
    equal((await store.listPasskeys(ana.operator)).length, 1)
  })

  test('a disabled operator is out at once, and in again once enabled', async t => {
    const service = await startConsole(t, { engine })
    const admin = await service.client('admin')
    const viewer = await service.client('viewer')
    match((await admin.post(`/operators/${viewer.operator}/disable`)).text, /can no longer sign in/)
    equal((await viewer.get('/account')).path, '/sign-in?next=%2Faccount')
    await admin.post(`/operators/${viewer.operator}/enable`)
    const [one] = (await service.app.store.listOperators()).filter(({ role }) => role === 'viewer')
    equal(one?.disabled, false)
  })
})

describe('the page of operators', () => {
  test('changes roles, which count from the next request on', async t => {
    const service = await startConsole(t)
    const admin = await service.client('admin')
    const viewer = await service.client('viewer')
    equal((await viewer.get('/operators')).status, 403)
    await admin.post(`/operators/${viewer.operator}/role`, { role: 'admin' })
    equal((await viewer.get('/operators')).status, 200)
    equal((await admin.post(`/operators/${viewer.operator}/role`, { role: 'king' })).status, 422)
  })

  test('does not let admins change their own role or access', async t => {
    const service = await startConsole(t)
    const admin = await service.client('admin')
    equal((await admin.post(`/operators/${admin.operator}/disable`)).status, 409)
    equal((await admin.post(`/operators/${admin.operator}/role`, { role: 'viewer' })).status, 409)
    equal((await admin.post('/operators/999/disable')).status, 404)
  })
})

describe('a link', () => {
  test('that was not signed here, or was replaced by another, does not work', async t => {
    const service = await startConsole(t)
    const admin = await service.client('admin')
    await admin.post('/operators', { name: 'Tom', email: 'tom@school.example', role: 'viewer' })
    await service.settle()
    const first = mailedLink(service, 'tom@school.example')
    const tom = (await service.app.store.findOperator('tom@school.example'))?.operator.id
    await admin.post(`/operators/${tom}/invite`)
    await service.settle()
    const browser = await service.client()
    equal((await browser.get(first)).status, 404)
    const second = mailedLink(service, 'tom@school.example')
    equal((await browser.get(second)).status, 200)
    const forged = second.slice(0, -1) + (second.endsWith('A') ? 'Q' : 'A')
    equal((await browser.get(forged)).status, 404)
    equal((await browser.get('/welcome/nonsense')).status, 404)
  })
})
