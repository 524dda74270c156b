/** Signing in while what proves who someone is changes: a person who learned an old password must be out. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { TOTP } from 'otpauth'
import { hashPassword } from '../../src/console/sign-in/passwords.ts'
import { newRecoveryCodes, recoveryHash } from '../../src/console/sign-in/second-factor-codes.ts'
import { newPasskey, passkeyOptions } from '../support/authenticator.ts'
import { startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'

const PASSWORD = 'correct horse battery'
const EMAIL = 'ana@school.example'

const aPasskey = () => newPasskey('http://localhost:3002')

/** Ana with her password, signed in. */
async function addAna(service: TestConsole) {
  const { store } = service.app
  const now = service.clock.now()
  const id = (await store.addOperator({ email: EMAIL, name: 'Ana Ruiz', role: 'manager', now })) ?? 0
  await store.setPassword(id, { password: await hashPassword(PASSWORD), now })
  const ana = await service.client()
  equal((await ana.post('/sign-in', { email: EMAIL, password: PASSWORD, next: '/account' })).path, '/account')
  const sessions = () => store.listSessions(id, now)
  return { ana, id, sessions }
}

/** What happens just after the service has read from the store by this method, once. */
function afterReading(service: TestConsole, method: 'findOperator' | 'readPasskey', happens: () => Promise<unknown>) {
  const { store } = service.app
  const read = store[method] as (key: string) => Promise<unknown>
  store[method] = (async (key: string) => {
    const found = await read(key)
    store[method] = read as never
    await happens()
    return found
  }) as never
}

onEachEngine(engine => {
  test('a sign-in whose password is changed while it is verified is rejected', async t => {
    const service = await startConsole(t, { engine })
    const { id, sessions } = await addAna(service)
    const password = await hashPassword('another horse battery')
    afterReading(service, 'findOperator', () => service.app.store.setPassword(id, { password, now: 0 }))
    const stranger = await service.client()
    const { status, text } = await stranger.post('/sign-in', { email: EMAIL, password: PASSWORD })
    equal(status, 422)
    match(text, /The email or the password is not right/)
    deepEqual(await sessions(), [])
    const entries = await service.app.store.listAudit({ limit: 10 })
    equal(entries.filter(({ action }) => action === 'signed in').length, 1)
  })

  test('of a new password and a sign-in with the old one at the same moment, no old session is left', async t => {
    const service = await startConsole(t, { engine })
    const { id, sessions } = await addAna(service)
    const { store } = service.app
    const session = { network: '127.0.0.1', browser: 'a test', now: service.clock.now() }
    await store.setPassword(id, { password: 'old 0', now: 0 })
    for (let round = 0; round < 20; round++) {
      const proof = { password: `old ${round}` }
      const signIns = [1, 2, 3].map(n => store.addSession(id, { ...session, tokenHash: `${round} ${n}`, proof }))
      await Promise.all([...signIns, store.setPassword(id, { password: `old ${round + 1}`, now: 0 })])
      deepEqual(await sessions(), [])
    }
  })

  test('a passkey that is removed while it is verified signs no one in', async t => {
    const service = await startConsole(t, { engine })
    const { ana, id, sessions } = await addAna(service)
    const passkey = aPasskey()
    const form = await ana.get('/account/passkeys')
    const fields = { name: 'Laptop', password: PASSWORD, response: passkey.make(passkeyOptions(form.text)) }
    match((await ana.post('/account/passkeys', fields)).text, /The passkey is added/)

    const stranger = await service.client()
    const signIn = async () => {
      const { text } = await stranger.get('/sign-in')
      const response = passkey.use(passkeyOptions(text))
      return stranger.post('/sign-in/passkey', { response, next: '/account' })
    }
    equal((await signIn()).path, '/account')
    await stranger.post('/sign-out')
    afterReading(service, 'readPasskey', () => service.app.store.removePasskey(id, passkey.id))
    equal((await signIn()).status, 422)
    equal((await sessions()).length, 1)
  })

  test('a passkey whose id exists is not added, and the page says so', async t => {
    const service = await startConsole(t, { engine })
    const { ana, id } = await addAna(service)
    const passkey = aPasskey()
    const add = async (name: string) => {
      const { text } = await ana.get('/account/passkeys')
      const response = passkey.make(passkeyOptions(text))
      return ana.post('/account/passkeys', { name, password: PASSWORD, response })
    }
    equal((await add('Laptop')).status, 200)
    const again = await add('Phone')
    equal(again.status, 422)
    match(again.text, /No passkey was added, because this one is already in use/)
    const passkeys = await service.app.store.listPasskeys(id)
    deepEqual(
      passkeys.map(({ name }) => name),
      ['Laptop'],
    )
    const entries = await service.app.store.listAudit({ limit: 10 })
    equal(entries.filter(({ action }) => action === 'added a passkey').length, 1)
  })

  test('a session that ends while it proves who it is no longer changes how to sign in', async t => {
    const service = await startConsole(t, { engine })
    const { ana, id } = await addAna(service)
    const { store } = service.app
    const old = await hashPassword(PASSWORD)
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
    const code = () => new TOTP({ secret }).generate({ timestamp: service.clock.now() })
    const proof = { password: PASSWORD, current: PASSWORD }
    const changes: Record<string, (page: string) => Record<string, string>> = {
      '/account/password': () => ({ ...proof, password: 'a new horse battery' }),
      '/account/second-factor': () => ({ ...proof, secret, code: code() }),
      '/account/passkeys': page => ({ ...proof, name: 'Laptop', response: aPasskey().make(passkeyOptions(page)) }),
    }
    for (const [path, fields] of Object.entries(changes)) {
      await store.setPassword(id, { password: old, now: 0 })
      await ana.post('/sign-in', { email: EMAIL, password: PASSWORD, next: '/account' })
      const { text } = await ana.get(path === '/account/password' ? '/account' : path)
      const sent = fields(text)
      const password = await hashPassword('another horse battery')
      afterReading(service, 'findOperator', () => store.setPassword(id, { password, now: 0 }))
      match((await ana.post(path, sent)).text, /Your session has ended/, path)
      const found = await store.findOperator(EMAIL)
      deepEqual([found?.password, found?.totpSecret], [password, null], path)
      deepEqual(await store.listPasskeys(id), [], path)
    }
    const actions = (await store.listAudit({ limit: 20 })).map(({ action }) => action)
    deepEqual([...new Set(actions)], ['signed in'])
  })

  test('a session that ends meanwhile does not remove the second factor', async t => {
    const service = await startConsole(t, { engine })
    const { ana, id } = await addAna(service)
    const { store } = service.app
    const recovery = newRecoveryCodes()
    await store.setSecondFactor(id, { secret: 'sealed', step: 0, codeHashes: recovery.map(recoveryHash) })
    const password = await hashPassword('another horse battery')
    afterReading(service, 'findOperator', () => store.setPassword(id, { password, now: 0 }))
    const sent = { password: PASSWORD, proof: recovery[0] ?? '' }
    match((await ana.post('/account/second-factor/remove', sent)).text, /Your session has ended/)
    equal((await store.findOperator(EMAIL))?.totpSecret, 'sealed')
  })

  test('a session that ends meanwhile does not remove a passkey', async t => {
    const service = await startConsole(t, { engine })
    const { ana, id } = await addAna(service)
    const { store } = service.app
    const passkey = { id: 'a-passkey', operatorId: id, publicKey: 'key', counter: 0, name: 'Laptop', createdAt: 0 }
    equal(await store.addPasskey(passkey), 'done')
    const password = await hashPassword('another horse battery')
    afterReading(service, 'findOperator', () => store.setPassword(id, { password, now: 0 }))
    const sent = { id: 'a-passkey', password: PASSWORD }
    match((await ana.post('/account/passkeys/remove', sent)).text, /Your session has ended/)
    equal((await store.listPasskeys(id)).length, 1)
  })
})
