/** Requests that no page of the console makes: none may be a defect of the program, or do more than it says. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
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

const sendTo = (who: ConsoleClient, origin: string, path: string, body: string, type: string) =>
  who.fetch(path, { method: 'POST', headers: { origin, 'content-type': type }, body })

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
  '/operators',
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
