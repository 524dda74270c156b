/** How someone signs in, and every change of it: stored with its entry of the audit log, or not at all. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { TOTP } from 'otpauth'
import { hashPassword } from '../../src/console/sign-in/passwords.ts'
import { newPasskey, passkeyOptions } from '../support/authenticator.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { pressWithEntry } from '../support/with-its-entry.ts'

const PASSWORD = 'correct horse battery'
const NEXT_PASSWORD = 'another horse battery'
const EMAIL = 'ana@school.example'
const TOLD = 'Your sign-in: '

const QUERIES = [
  'select id, password, totp_secret from operators order by id',
  'select token_hash from sessions order by token_hash',
  'select id from passkeys order by id',
  'select id, used_at from operator_links order by id',
  "select id from tasks where kind = 'security' order by id",
]

/** Sends a form, twice if it fails the first time. What it needs is made before. */
type Send = () => Promise<{ status: number }>

onEachEngine(engine => {
  test('a passkey whose copy was used lets no one in, and the audit log and the log say whose it is', async t => {
    const { app, clock, client, database, log, sent, settle } = await startConsole(t, { engine })
    const passkey = newPasskey('http://localhost:3002')
    const ana = await client('admin', { name: 'Ana Ruiz', email: EMAIL })
    await app.store.setPassword(ana.operator, { password: await hashPassword(PASSWORD), now: clock.now() })
    await ana.post('/sign-in', { email: EMAIL, password: PASSWORD, next: '/account' })
    const add = async (response: string) =>
      ana.post('/account/passkeys', { password: PASSWORD, name: 'Laptop', response })
    const made = passkey.make(passkeyOptions((await ana.get('/account/passkeys')).text))
    match((await add(made)).text, /The passkey is added/)
    match((await add(made)).text, /The passkey is added/, 'pressed twice')
    const copied = async () =>
      sql(database, `select operator_id, actor, detail from audit_log where action like '%copy of a passkey%'`)
    const stranger = await client()
    const use = async (forged = false) => {
      const response = passkey.use(passkeyOptions((await stranger.get('/sign-in')).text))
      const sent = forged ? response.replace(/("signature":"[^"]{20})..../, '$1AAAA') : response
      return stranger.post('/sign-in/passkey', { response: sent, next: '/account' })
    }
    equal((await use()).path, '/account')
    await stranger.post('/sign-out')
    await sql(database, 'update passkeys set counter = 1000')
    match((await use(true)).text, /not known here/)
    deepEqual(await copied(), [], 'anyone can send such a response')
    match((await use()).text, /not known here/)
    deepEqual(
      (await copied()).map(row => ({ ...row })),
      [{ operator_id: ana.operator, actor: 'Ana Ruiz', detail: 'Laptop' }],
    )
    match(log.join(''), /a copy of a passkey was used/)
    await use()
    equal((await copied()).length, 2)
    await settle()
    const told = sent.filter(({ subject }) => /a copy of a passkey was used$/.test(subject))
    deepEqual(
      told.map(({ to }) => to.address),
      [EMAIL],
      'not more than once an hour',
    )
    match(told[0]?.text ?? '', /from the\s+network\s+address 127\.0\.0\.1/)
  })

  test('how someone signs in is stored with its audit entry and an email that tells them, or not at all', async t => {
    const { app, clock, client, database, sent, settle } = await startConsole(t, { engine })
    const { store } = app
    const passkey = newPasskey('http://localhost:3002')
    const stored = () => Promise.all(QUERIES.map(query => sql(database, query)))
    const linkSent = () =>
      new URL(/http\S+\/welcome\/[\w.-]+/.exec(sent.map(({ text }) => text).join())?.[0] ?? '').pathname

    const press = (name: string, send: Send) => pressWithEntry({ database }, { stored, press: send, name })

    const first = new URL((await app.firstOperatorLink()) ?? '').pathname
    const person = { name: 'Ana Ruiz', email: EMAIL, password: PASSWORD }
    const stranger = await client()
    await press('first operator', () => stranger.post(first, person))
    await stranger.post('/forgotten', { email: EMAIL })
    await settle()
    const link = linkSent()
    await press('link', () => stranger.post(link, { password: PASSWORD }))

    const ana = await client()
    const signIn = { email: EMAIL, password: PASSWORD, next: '/account' }
    await press('sign in', () => ana.post('/sign-in', signIn))
    await press('sign out elsewhere', () => ana.post('/account/sessions/end'))
    const [operator] = await store.listOperators()
    const id = operator?.id ?? 0
    const session = { tokenHash: 'other', network: '127.0.0.1', browser: 'a test', now: clock.now() }
    await store.addSession(id, session)
    await press('end a session', () => ana.post('/account/sessions/end', { session: 'other' }))
    await press('password', () => ana.post('/account/password', { current: PASSWORD, password: NEXT_PASSWORD }))
    const proof = { password: NEXT_PASSWORD }
    await press('passkey', async () => {
      const response = passkey.make(passkeyOptions((await ana.get('/account/passkeys')).text))
      return ana.post('/account/passkeys', { ...proof, name: 'Laptop', response })
    })
    await press('remove passkey', () => ana.post('/account/passkeys/remove', { ...proof, id: passkey.id }))
    let codes: string[] = []
    await press('second factor', async () => {
      const secret = fieldOn((await ana.get('/account/second-factor')).text, 'secret')
      const code = new TOTP({ secret }).generate({ timestamp: clock.now() })
      const response = await ana.post('/account/second-factor', { ...proof, secret, code })
      codes = [...response.text.matchAll(/<li><code>([^<]+)<\/code>/g)].map(([, code = '']) => code)
      return response
    })
    ok(codes.length > 2)
    await press('remove second factor', () =>
      ana.post('/account/second-factor/remove', { ...proof, proof: codes.pop() ?? '' }),
    )
    await settle()
    deepEqual(
      sent
        .flatMap(({ to, subject }) =>
          to.address === EMAIL && subject.startsWith(TOLD) ? [subject.slice(TOLD.length)] : [],
        )
        .toSorted(),
      [
        'Ana Ruiz added a passkey',
        'Ana Ruiz changed their password',
        'Ana Ruiz chose a password',
        'Ana Ruiz removed a passkey',
        'Ana Ruiz removed their second factor',
        'Ana Ruiz set up a second factor',
      ],
    )
    await store.setPassword(id, { password: await hashPassword(PASSWORD), now: clock.now() })
    await ana.post('/sign-in', signIn)
    const cookie = ana.cookies.get('session') ?? ''
    await press('sign out', () => {
      // Whatever happens to the session, the browser forgets it.
      ana.cookies.set('session', cookie)
      return ana.post('/sign-out')
    })
  })
})
