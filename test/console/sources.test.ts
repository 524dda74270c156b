/** Sources that bring leads: made in the console, posting with a key. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { addressLimits, sourceLimit } from '../../src/http/rate-limits.ts'
import { DAY, MINUTE } from '../../src/platform/time.ts'
import { type ConsoleClient, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { aGoogleLead } from '../support/google-lead.ts'

type Fields = Record<string, string>

const mapping: Fields = {
  'place-fullName': 'person.name',
  'place-email': 'person.email',
  'place-id': 'ref',
  'place-consent': 'consent.given',
  'place-consentText': 'consent.words',
}

const aPost = (more: object = {}) => ({ ref: 'a-1', person: { name: 'Ana Ruiz', email: 'ana@mail.example' }, ...more })

async function aDesk(t: TestContext, engine: Engine, env: Fields = {}) {
  const service = await startConsole(t, { engine, env })
  const admin = await service.client('admin')
  const add = async (kind: 'google' | 'post', more: Fields = {}) => {
    const { text } = await admin.post(`/sources/new/${kind}`, {
      name: 'Vendor',
      leadKind: 'student',
      ...(kind === 'post' ? mapping : {}),
      ...more,
    })
    return keyOn(text)
  }
  const send = (key: string, body: unknown, headers: Fields = { 'content-type': 'application/json' }) =>
    fetch(`${service.origin.console}/sources/${key}`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const post = async (...sent: Parameters<typeof send>) => {
    const response = await send(...sent)
    return [response.status, await response.json()] as const
  }
  const submissions = async () => {
    await service.settle()
    return sql(service.database, 'select kind, body, form, answer from submissions order by id')
  }
  return { ...service, admin, add, send, post, submissions }
}

const keyOn = (text: string): string => /src_[\w-]{43}/.exec(text)?.[0] ?? ''

const editPage = (admin: ConsoleClient) => admin.get('/sources/1/edit').then(({ text }) => readable(text))

onEachEngine(engine => {
  test('an admin makes a source, whose posts become leads that say where they are from', async t => {
    const { admin, add, post, submissions, app, send } = await aDesk(t, engine)
    const key = await add('post')
    deepEqual(await post(key, aPost()), [200, { success: true }])
    const [stored] = await submissions()
    const { campaign, source } = JSON.parse(String(stored?.['form']))
    deepEqual([campaign, source], [{ source: 'Vendor' }, { id: 1, name: 'Vendor', mayWrite: false }])
    const lead = await app.store.findLead(1)
    deepEqual([lead?.firstName, lead?.cameFrom, lead?.phone], ['Ana', 'Vendor', null])
    match(readable((await admin.get('/leads/1')).text), /Source Vendor/)
    match((await admin.get('/inbox?stage=any&from=Vendor')).text, /Ana Ruiz/)
    const again = await send(key, aPost({ person: { name: 'Ana Changed', email: 'ana@mail.example' } }))
    deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
    equal((await submissions()).length, 1)
  })

  test('a source can post a form', async t => {
    const { add, post, submissions } = await aDesk(t, engine)
    const key = await add('post', { 'place-fullName': 'name', 'place-email': 'user[email]' })
    const form = new URLSearchParams({ name: 'José Ñuñez', 'user[email]': 'jose@mail.example' }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
    deepEqual(await post(key, form, type), [200, { success: true }])
    equal(JSON.parse(String((await submissions())[0]?.['body'])).lastName, 'Ñuñez')
    const parts = `--b\r\nContent-Disposition: form-data; name="user[email]"\r\n\r\nana@mail.example\r\n--b\r\nContent-Disposition: form-data; name="cv"; filename="cv.txt"\r\n\r\na file\r\n--b--\r\n`
    const ofParts = { 'content-type': 'multipart/form-data; boundary=b' }
    deepEqual(await post(key, parts, ofParts), [200, { success: true }])
    equal(JSON.parse(String((await submissions())[1]?.['body'])).email, 'ana@mail.example')
    deepEqual(await post(key, parts.slice(0, 90), ofParts), [
      400,
      { error: 'The form cannot be read, or has too many parts' },
    ])
    equal((await post(key, form, { 'content-type': 'text/plain' }))[0], 415)
    equal((await post(key, 'x='.padEnd(33 * 1024, 'y'), type))[0], 413)
  })

  test('no email goes to the people of a source that does not say that they asked for it', async t => {
    const { add, post, database, settle } = await aDesk(t, engine)
    const [quiet, asked] = [await add('post'), await add('post', { name: 'Our ads', mayWrite: 'on' })]
    await post(quiet, aPost())
    await post(asked, aPost({ person: { name: 'Eva Ruiz', email: 'eva@mail.example' } }))
    await settle()
    const receipts = await sql(
      database,
      `select subject, state, note from tasks where kind = 'receipt' order by subject`,
    )
    deepEqual(
      receipts.map(({ subject, state, note }) => [Number(subject), state, note]),
      [
        [1, 'skipped', 'they did not ask us to write by email'],
        [2, 'done', null],
      ],
    )
  })

  test('the consent of a lead is what its source says', async t => {
    const { admin, add, post, settle, app } = await aDesk(t, engine)
    const key = await add('post')
    await post(key, aPost())
    await post(
      key,
      aPost({
        ref: 'b',
        person: { name: 'Bo', email: 'bo@mail.example' },
        consent: { given: 'yes', words: 'Call me.' },
      }),
    )
    await settle()
    deepEqual([(await app.store.findLead(1))?.consent, (await app.store.findLead(2))?.consent], [null, 'given'])
    match(readable((await admin.get('/leads/2')).text), /as Vendor says: “Call me\.”/)
  })

  test('Google posts its lead forms, and gets the responses that it expects', async t => {
    const { add, post, submissions } = await aDesk(t, engine)
    const key = await add('google')
    ok(key.length <= 50, 'Google takes no longer key')
    deepEqual(await post(key, aGoogleLead({ google_key: key })), [200, {}])
    deepEqual(await post(key, aGoogleLead({ google_key: key })), [200, {}])
    equal((await submissions()).length, 1)
    deepEqual(await post(key, aGoogleLead({ google_key: 'other', lead_id: '2' })), [
      403,
      { message: 'google_key is not the key of this source' },
    ])
    deepEqual(await post(key, aGoogleLead({ google_key: key, lead_id: undefined })), [
      400,
      { message: 'lead_id is required' },
    ])
    equal((await post(key, '{'))[0], 400)
    equal((await submissions()).length, 1)
  })

  test('test leads of Google are stored nowhere', async t => {
    const { add, post, database } = await aDesk(t, engine)
    const key = await add('google')
    deepEqual(await post(key, aGoogleLead({ google_key: key, is_test: true, lead_id: 'TeSter-123' })), [200, {}])
    for (const table of ['submissions', 'leads', 'idempotency_keys'])
      deepEqual(await sql(database, `select * from ${table}`), [], table)
  })

  test('a key that is unknown is a 404, and a source that is off rejects what it posts, until it is on again', async t => {
    const { admin, add, post, submissions } = await aDesk(t, engine)
    const key = await add('post')
    equal((await post(`src_${'x'.repeat(43)}`, aPost()))[0], 404)
    await admin.post('/sources/1/off')
    deepEqual(await post(key, aPost()), [403, { error: 'This source is switched off' }])
    match(await editPage(admin), /It is off/)
    equal((await submissions()).length, 0)
    await admin.post('/sources/1/on')
    equal((await post(key, aPost()))[0], 200)
    equal((await admin.post('/sources/1/delete')).status, 422)
    await admin.post('/sources/1/off')
    match((await admin.post('/sources/1/delete')).text, /was deleted/)
    equal((await post(key, aPost()))[0], 404)
    equal((await submissions()).length, 1)
  })

  test('a key is stored nowhere; a new one takes its place, and it works for a day more', async t => {
    const { admin, add, post, database, clock } = await aDesk(t, engine)
    const first = await add('post')
    ok(!JSON.stringify(await sql(database, 'select * from sources')).includes(first.slice(4)))
    ok(!JSON.stringify(await sql(database, 'select * from audit_log')).includes(first.slice(4)))
    ok(!(await editPage(admin)).includes(first))
    const second = keyOn((await admin.post('/sources/1/key')).text)
    for (const key of [first, second]) equal((await post(key, aPost()))[0], 200)
    const third = keyOn((await admin.post('/sources/1/key')).text)
    equal((await post(first, aPost()))[0], 404)
    equal((await post(second, aPost()))[0], 200)
    clock.advance(DAY)
    equal((await post(second, aPost()))[0], 404)
    equal((await post(third, aPost()))[0], 200)
  })

  test('what cannot become a lead is rejected with the reason, which admins see without words of the person', async t => {
    const { admin, add, post, submissions } = await aDesk(t, engine)
    const key = await add('post')
    const [status, body] = await post(key, aPost({ person: { name: 'Ana Ruiz', email: 'ana@' } }))
    equal(status, 400)
    match((body as { error: string }).error, /^email must be one valid email address/)
    match(await editPage(admin), /The last post that was rejected .*email must be one valid/)
    ok(!(await editPage(admin)).includes('Ruiz'))
    equal((await submissions()).length, 0)
  })

  test('a client that tries out keys is limited by its address, a source is not', async t => {
    const { add, send } = await aDesk(t, engine, { TRUSTED_PROXIES: '127.0.0.1' })
    const key = await add('post')
    const from = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' }
    const tried: number[] = []
    for (let n = 0; n <= addressLimits.burst.points; n++) tried.push((await send(`src_${n}`, aPost(), from)).status)
    deepEqual([tried[0], tried.at(-2), tried.at(-1)], [404, 404, 429])
    for (let n = 0; n < 3; n++) equal((await send(key, aPost({ ref: `${n}` }), from)).status, 200)
  })

  test('a source has a limit of its own, which is not that of an address', async t => {
    const { add, send, app, clock } = await aDesk(t, engine)
    const key = await add('post')
    const now = clock.now()
    await app.store.count('source 1', { add: sourceLimit.points, duration: sourceLimit.duration, now })
    const response = await send(key, aPost())
    equal(response.status, 429)
    ok(Number(response.headers.get('retry-after')) > 0)
    clock.advance(sourceLimit.duration + MINUTE)
    equal((await send(key, aPost())).status, 200)
  })

  test('a sample is tried out, and suggests a mapping, without storing anything', async t => {
    const { admin, database } = await aDesk(t, engine)
    const sample = JSON.stringify({ ...aPost(), consent: { given: false } })
    const tried = await admin.post('/sources/new/post', { name: '', leadKind: 'student', sample, do: 'try' })
    match(
      readable(tried.text),
      /First name Ana .*Last name Ruiz .*Email ana@mail\.example .*Agreed to calls and texts not said/,
    )
    match(tried.text, /name="place-email" type="text" value="person\.email"/)
    const mapped = await admin.post('/sources/new/post', {
      name: 'x',
      leadKind: 'student',
      ...mapping,
      sample,
      do: 'try',
    })
    match(readable(mapped.text), /Agreed to calls and texts no .*by its id, a-1/)
    const wrong = await admin.post('/sources/new/post', { name: 'x', leadKind: 'student', sample: 'hello', do: 'try' })
    match(readable(wrong.text), /Paste a sample first/)
    for (const table of ['sources', 'submissions']) deepEqual(await sql(database, `select * from ${table}`), [], table)
  })

  test('a source without a name, a way to reach people or with the name of another is not made', async t => {
    const { admin, add } = await aDesk(t, engine)
    await add('post')
    for (const [more, sentence] of [
      [{ name: ' ' }, /must not be empty/],
      [{ name: 'VENDOR' }, /Another source has this name/],
      [{ name: 'Other', 'place-email': '' }, /where the email address or the phone number is/],
      [{ name: 'Other', 'place-consent': '"yes"' }, /would be made up/],
    ] as const) {
      const { status, text } = await admin.post('/sources/new/post', { leadKind: 'student', ...mapping, ...more })
      equal(status, 422)
      match(readable(text), sentence)
    }
    equal((await admin.get('/sources/new/nonsense')).status, 404)
    equal((await admin.get('/sources/99/edit')).status, 404)
  })
})
