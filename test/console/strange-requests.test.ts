/** Requests that no page of the console makes: none may be a defect of the program, or do more than it says. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { exchange, RawClient } from '../process/raw-client.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

async function aDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
  await service.postStudent(ben())
  await service.settle()
  const admin = await service.client('admin')
  const send = (path: string, body: string, type = 'application/x-www-form-urlencoded') =>
    sendTo(admin, service.origin.console, path, body, type)
  return { ...service, admin, send }
}

/**
 * On a connection of its own: the service closes one whose body it did not read, and a client may have begun to use it
 * again.
 */
const sendTo = (who: ConsoleClient, origin: string, path: string, body: string, type: string) =>
  who.fetch(path, { method: 'POST', headers: { origin, 'content-type': type, connection: 'close' }, body })

const FORMS = [
  '/sign-in',
  '/sign-in/code',
  '/sign-in/passkey',
  '/forgotten',
  '/leads/1',
  '/leads/1/undo',
  '/leads/1/write',
  '/inbox/actions',
  '/inbox/undo',
  '/inbox/views',
  '/quarantine',
  '/quarantine/undo',
  '/delivery',
  '/destinations/new/request',
  '/sources/new/post',
  '/costs',
  '/export/nightly',
  '/operators',
  '/tokens',
  '/account/password',
  '/account/shortcuts',
  '/account/sessions/end',
  '/account/second-factor',
  '/account/passkeys',
  '/account/passkeys/remove',
]

onEachEngine(engine => {
  test('what is not a form, or has a NUL, is rejected as a mistake of the sender', async t => {
    const { send } = await aDesk(t, engine)
    for (const path of FORMS) {
      equal((await send(path, '{"do":"retry"}', 'application/json')).status, 400, path)
      equal((await send(path, 'x', 'multipart/form-data; boundary=b')).status, 400, path)
      equal((await send(path, 'session=%00&do=note&note=a%00b')).status, 400, path)
      ok((await send(path, '')).status < 500, path)
    }
    const escaped = new URLSearchParams({ response: String.raw`{"id":"\u0000"}` })
    equal((await send('/sign-in/passkey', String(escaped))).status, 422)
  })

  test('a value of a URL that makes no sense is left out', async t => {
    const { admin } = await aDesk(t, engine)
    for (const list of ['/quarantine', '/delivery', '/audit'])
      for (const query of ['before=1e300', 'before=1.5', 'before=Infinity', 'state=constructor'])
        equal((await admin.get(`${list}?${query}`)).status, 200, `${list}?${query}`)
    equal((await admin.get('/inbox?who=%00')).status, 404)
    match((await admin.get('/inbox?who=constructor')).text, /chip"[^>]*>constructor /)
  })

  test('a value of a form that makes no sense changes nothing', async t => {
    const { send, app } = await aDesk(t, engine)
    for (const name of ['constructor', '__proto__', 'toString'])
      equal((await send('/leads/1', `do=${name}`)).status, 422, name)
    for (const id of ['1.5', 'NaN', '1e300'])
      equal((await send('/quarantine', `do=release&chosen=${id}`)).status, 303, id)
    const { lead } = (await app.store.readLead(1)) ?? {}
    equal(lead?.stage, 'new')
  })

  test('only someone who may send a file makes the service read a large body', async t => {
    const { admin, client, origin, send } = await aDesk(t, engine)
    const part = `--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n`
    const files = `${part}name,email\r\n${'x'.repeat(200_000)}\r\n--b--`
    const multipart = 'multipart/form-data; boundary=b'
    const nobody = await client()
    const viewer = await client('viewer')
    for (const who of [nobody, viewer])
      equal((await sendTo(who, origin.console, '/import', files, multipart)).status, 413)
    equal((await sendTo(admin, origin.console, '/import', files, multipart)).status, 303)
    equal((await send('/import', 'a&'.repeat(100_000))).status, 413)
    equal((await send('/tags/1', files, multipart)).status, 413)
  })

  test('a form with a number that cannot be right changes nothing', async t => {
    const { send, app } = await aDesk(t, engine)
    for (const number of ['NaN', '1.5', '1e300', '-1', '9223372036854775808', ''])
      for (const [path, fields] of [
        ['/board/move', 'to=qualified&lead='],
        ['/leads/1', 'do=remove label&label='],
        ['/leads/1/unmerge', 'lead='],
        ['/leads/1/merge', 'keep=1&with='],
        ['/inbox/actions', 'do=tag&tag=a&lead='],
        ['/tags/1', 'name='],
        ['/team/add', 'name=Kim Lee&email=kim@school.example&weight=1&version='],
        ['/team/manager', 'name=Kim Lee&email=kim@school.example&version='],
        ['/team/absences/remove', 'id='],
        ['/cadence', 'kind=student&replaces='],
        ['/cadence/back', 'kind=student&version='],
        ['/account/notifications/browsers/remove', 'id='],
        ['/account/absences/remove', 'id='],
      ] as const) {
        const { status } = await send(path, `${fields}${number}`)
        ok(status < 500, `${path} ${fields}${number}: ${status}`)
      }
    const { lead } = (await app.store.readLead(1)) ?? {}
    equal(lead?.stage, 'new')
    deepEqual((await app.store.currentEditedSettings()).versions, [])
  })

  test('failed emails are retried or acknowledged only by a form that says which, and what', async t => {
    const { send, app, clock } = await aDesk(t, engine)
    const [mail] = await app.store.listMail({ state: 'sent', limit: 1 })
    ok(mail)
    const returned = { kind: mail.kind, subject: mail.subject, step: mail.step, about: null }
    await app.store.setMailboxPosition('of the test', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
    await app.store.recordInbound(
      { mailbox: 'of the test', uidValidity: '1', uid: 1, effect: null, returned: { ...returned, note: 'bounced' } },
      clock.now(),
    )
    const failed = async () => (await app.store.listMail({ state: 'failed', limit: 9 })).length
    equal(await failed(), 1)
    for (const body of ['', 'do=constructor', 'do=acknowledge&id=', 'do=acknowledge&id=x'])
      equal((await send('/delivery', body)).status, 422, body)
    equal(await failed(), 1)
    equal((await send('/delivery', `do=acknowledge&id=${mail.id}`)).status, 303)
    equal(await failed(), 0)
  })

  test('a redirect stays on this host, and in one line', async t => {
    const { send } = await aDesk(t, engine)
    const tricks = ['//evil.example', '/\\evil.example', '/%09/evil.example', 'https://evil.example']
    for (const back of [...tricks, '/%0d%0aX: y', `/${'a'.repeat(9000)}`]) {
      const response = await send('/inbox/actions', `do=no answer:1&back=${back}`)
      equal(response.headers.get('location'), '/inbox', back.slice(0, 40))
    }
  })
})

describe('a body that cannot be read', () => {
  test('is refused if it is encoded, and nothing about it is in the log', async t => {
    const { admin, origin, log } = await aDesk(t, 'sqlite')
    const sent = { origin: origin.console, 'content-type': 'application/x-www-form-urlencoded' }
    const gzipped = new Uint8Array(gzipSync('do=note&note=a'))
    for (const encoding of ['gzip', 'br', 'gzip, identity', 'constructor']) {
      const headers = { ...sent, 'content-encoding': encoding }
      equal((await admin.fetch('/leads/1', { method: 'POST', headers, body: gzipped })).status, 415, encoding)
    }
    for (const coding of ['gzip, chunked', 'gzip,chunked', 'identity, chunked'])
      for (const [at, path] of [
        [origin.console, '/leads/1'],
        [origin.console, '/sign-in'],
        [origin.console, '/act/x'],
        [origin.learn, '/api/admissions/interest'],
      ] as const) {
        const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': coding }
        const request = [`POST ${path} HTTP/1.1`, 'Host: a', ...linesOf(headers), '', '5', 'hello', '0', '', '']
        equal((await exchange(at, request.join('\r\n'))).status, 501, `${path} ${coding}`)
      }
    deepEqual(log.filter(isError), [])
  })

  test('is read if it comes in chunks, up to the size that all forms have', async t => {
    const { origin, log } = await aDesk(t, 'sqlite')
    const signIn = (body: string) => {
      const headers = {
        Host: new URL(origin.console).host,
        Origin: origin.console,
        'Content-Type': 'application/x-www-form-urlencoded',
        'Transfer-Encoding': 'chunked',
      }
      const chunks = [body.length.toString(16), body, '0', '', '']
      return exchange(origin.console, ['POST /sign-in HTTP/1.1', ...linesOf(headers), '', ...chunks].join('\r\n'))
    }
    equal((await signIn('email=a%40mail.example&password=b')).status, 422)
    equal((await signIn(`email=${'a'.repeat(130 * 1024)}`)).status, 413)
    deepEqual(log.filter(isError), [])
  })

  test('is not an error of ours if it is broken off', async t => {
    const { client, origin, log } = await aDesk(t, 'sqlite')
    const stranger = await client()
    for (const [type, start] of [
      ['application/x-www-form-urlencoded', 'email=a'],
      ['multipart/form-data; boundary=b', '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n'],
      ['application/json', '{"a":'],
    ] as const)
      for (const path of ['/sign-in', '/sign-in/passkey', '/leads/1', '/import'])
        for (const framing of ['Content-Length: 999', 'Transfer-Encoding: chunked']) {
          const body = framing.startsWith('T') ? `${start.length.toString(16)}\r\n${start}\r\n` : start
          const sent = [`Host: a`, `Content-Type: ${type}`, `Origin: ${origin.console}`, framing]
          const broken = await RawClient.connect(origin.console)
          broken.write([`POST ${path} HTTP/1.1`, ...sent, '', body].join('\r\n'))
          // Until it has begun to read it.
          equal((await stranger.get('/sign-in')).status, 200)
          broken.socket.resetAndDestroy()
        }
    equal((await stranger.get('/sign-in')).status, 200)
    deepEqual(log.filter(isError), [])
  })

  test('is not taken apart if it has more parts than any form', async t => {
    const { admin, origin, send } = await aDesk(t, 'sqlite')
    const part = '--b\r\ncontent-disposition: form-data; name=""\r\n\r\n\r\n'
    const multipart = 'multipart/form-data; boundary=b'
    const post = (body: string, type = multipart) => sendTo(admin, origin.console, '/import', body, type)
    equal((await post(`${part.repeat(2001)}--b--`)).status, 413)
    equal((await post(`${part.repeat(2001)}--b--`, 'multipart/form-data; x=1; boundary="b"')).status, 400)
    equal((await post(`${part.repeat(1000)}--b--`)).status, 422)
    equal((await send('/leads/1', 'a&'.repeat(2001))).status, 413)
    equal((await send('/sign-in', 'a&'.repeat(2001))).status, 413)
    equal((await send('/leads/1', 'a&'.repeat(1000))).status, 422)
  })
})

const linesOf = (headers: Record<string, string>) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
const isError = (line: string) => Number(JSON.parse(line).level) >= 50
