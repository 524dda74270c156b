/** Importing a list of people in the console, from the file to undoing it. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { xlsx } from '../../src/console/export/xlsx.ts'
import { timeZone } from '../../src/follow-up/time-zones.ts'
import { FILE_LIMITS } from '../../src/leads/import/csv-upload.ts'
import { DAY } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { aSchool, MONDAY } from '../tasks/school.ts'

const FAIR = `Nombre completo;Correo electrónico;Teléfono;Estado;Camiseta
Zoë Núñez;zoe@mail.example;512 555 0188;TX;M
"=Cleo";cleo@mail;555;TX;
Dan Lee;dan@mail.example;(512) 555-0100;;L
`

async function aDesk(t: TestContext) {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  const manager = await service.client('manager', { name: 'Jo Manager' })
  const upload = async (bytes: Uint8Array | string, name = 'fair.csv') => {
    const form = new FormData()
    form.set('file', new File([new Uint8Array(Buffer.from(bytes))], name))
    const headers = { origin: service.origin.console }
    const response = await manager.fetch('/import', { method: 'POST', headers, body: form })
    return { status: response.status, text: await response.text(), path: response.headers.get('location') ?? '' }
  }
  return { ...service, manager, upload }
}

const PLAN = {
  kind: 'student',
  source: 'Fair Austin',
  owner: 'sam',
  'column-0': 'fullName',
  'column-1': 'email',
  'column-2': 'phone',
  'column-3': 'state',
  'column-4': '',
}

test('a list is uploaded, checked, imported and undone, and the audit log says so without naming anyone', async t => {
  const { manager, upload, settle, sent, client, app, clock } = await aDesk(t)
  const { status, path } = await upload(Buffer.from(FAIR, 'latin1'))
  deepEqual([status, path], [303, '/import/1'])
  const draft = (await manager.get(path)).text
  match(draft, /3 rows\. Nothing is imported yet/)
  match(draft, /Zoë Núñez/)
  for (const [at, field] of ['fullName', 'email', 'phone', 'state'].entries())
    match(draft, new RegExp(`name="column-${at}">.*?<option value="${field}" selected>`))
  match(draft, /name="source" type="text" value="fair"/)
  match(draft, /name="mayWrite">/)

  const checking = await manager.post(`${path}/check`, PLAN)
  match(checking.text, /data-progress/)
  const part = await manager.get(path, { 'x-part': 'progress' })
  match(part.text, /^<p><strong>Being checked<\/strong>: 0 of 3 rows/)
  await settle()
  equal((await manager.get(path, { 'x-part': 'progress' })).text, '')
  const checked = (await manager.get(path)).text
  match(checked, /Will be new leads<\/dt><dd>2</)
  match(readable(checked), /3 =Cleo Nombre completo: =Cleo Last name is required/)
  match(readable(checked), /Correo electrónico: cleo@mail Email must be one valid email address/)
  const file = (await manager.get(`${path}/rejected.csv`)).text
  match(file, /Row,Problem,Nombre completo.*\n3,"?Nombre completo: Last name is required/)
  match(file, /,'=Cleo,cleo@mail,555,TX/)

  await manager.post(`${path}/start`)
  await settle()
  const done = (await manager.get(path)).text
  match(done, /New leads<\/dt><dd>2</)
  match(done, /Sam Example: 2/)
  match(done, /It can be undone until/)
  match(done, /<a [^>]*href="\/import\/1\/undo">Undo the import/)
  doesNotMatch(done, /action="\/import\/1\/undo"/)
  deepEqual(
    sent.map(({ to, subject }) => [to.address, subject]),
    [['sam@school.example', '2 new leads from the list Fair Austin']],
  )
  match(String(sent[0]?.text), /\/inbox\?from=Fair\+Austin&who=sam/)
  const listed = (await manager.get('/inbox?from=Fair+Austin')).text
  match(listed, /Zoë Núñez/)
  match(listed, /<span class="target">imported, no reminder<\/span>/)
  doesNotMatch(listed, /call by/)
  const [zoe] = await app.store.findLeadsOf('zoe@mail.example')
  const page = (await manager.get(`/leads/${zoe?.id}`)).text
  match(page, /imported from a list/i)
  match(page, /Came from<\/dt><dd dir="auto">Fair Austin/)
  match(page, / · imported [^·]*, came from Fair Austin/)
  match(page, /<h2 id="inquiries">What we know<\/h2>/)
  doesNotMatch(page, /first wrote|What they wrote/)
  await app.store.addNote(zoe?.id ?? 0, { text: 'Called', actor: 'sam', now: clock.now() })

  const asked = readable((await manager.get(`${path}/undo`)).text)
  match(asked, /What goes: 2 leads that it opened/)
  match(asked, /What stays: leads that someone has worked on since/)
  await manager.post(`${path}/undo`)
  await settle()
  const undone = (await manager.get(path)).text
  match(undone, /1 lead kept/)
  match(undone, new RegExp(`<a href="/leads/${zoe?.id}" dir="auto">Zoë Núñez</a>`))
  equal((await manager.post(`${path}/undo`)).status, 409)
  const { text: log } = await (await client('admin')).get('/audit')
  for (const words of ['uploaded', 'checked', 'imported', 'undid the import of'])
    match(log, new RegExp(`${words} <a href="/import/1">the list “fair.csv”</a>`))
  match(log, /2 new, /)
  doesNotMatch(log, /Zoë|zoe@/)
  const logged = JSON.stringify(await app.store.listAudit({ limit: 20 }))
  doesNotMatch(logged, /Fair Austin|fair\.csv/, 'a list may have the name of a person')
})

test('the columns of the last list with the same headers are remembered, but not the consent', async t => {
  const { manager, upload, settle } = await aDesk(t)
  const first = (await upload(FAIR)).path
  await manager.post(`${first}/check`, { ...PLAN, 'column-4': 'message', mayWrite: 'on' })
  await settle()
  const { path } = await upload(FAIR, 'another.csv')
  const { text } = await manager.get(path)
  match(text, /as for the last list with these headers/)
  match(text, /name="column-4">.*?<option value="message" selected>/)
  doesNotMatch(text, /name="mayWrite" checked/)
  const site = await manager.post(`${path}/check`, { ...PLAN, kind: 'site', guess: '1' })
  match(site.text, /<option value="company">/)
  match((await manager.get(`${first}?change=1`)).text, /name="mayWrite" checked/)
})

test('the result of the check names the list in which the same rows wait', async t => {
  const { manager, upload, settle, database } = await aDesk(t)
  const first = (await upload(FAIR)).path
  await manager.post(`${first}/check`, PLAN)
  await settle()
  await manager.post(`${first}/start`)
  await settle()
  const { path } = await upload(FAIR, 'same.csv')
  await manager.post(`${path}/check`, PLAN)
  await settle()
  const repeated = (await manager.get(path)).text
  match(repeated, /Repeated rows<\/dt><dd>2</)
  doesNotMatch(repeated, /already waiting/)
  await sql(database, "update imports set state = 'running', through = 0 where id = 1")
  match(
    (await manager.get(path)).text,
    /Repeated rows are already waiting in <a href="\/import\/1">list 1<\/a>, which is being imported\./,
  )
})

test('the check names the people who have a lead, and counts the same person twice in the list apart', async t => {
  const { manager, upload, settle, postStudent } = await aDesk(t)
  await postStudent(aStudent({ email: 'dan@mail.example', firstName: 'Dan', lastName: 'Lee' }))
  await settle()
  const { path } = await upload(
    `${FAIR}Zoë Núñez;zoe@mail.example;512 555 0188;AZ;S\nDan Lee;dan@mail.example;512 555 0100;AZ;\n`,
  )
  await manager.post(`${path}/check`, PLAN)
  await settle()
  const checked = (await manager.get(path)).text
  match(checked, /Will be new leads<\/dt><dd>1</)
  match(checked, /open lead<\/dt><dd>1: <a href="\/leads\/1" dir="auto">Dan Lee<\/a></)
  match(checked, /Same person twice in this list<\/dt><dd>2</)
  match(readable(checked), /except the person who uploaded the list\. After that, no one is reminded to call them\./)
  await manager.post(`${path}/start`)
  await settle()
  const done = (await manager.get(path)).text
  match(done, /open lead<\/dt><dd>1<\/dd>\s*<dt>Same person twice in this list<\/dt><dd>2</)
  match(done, /Sam Example: 1\. No one is reminded to call them\./)
  await manager.post(`${path}/undo`)
  await settle()
  const undone = readable((await manager.get(path)).text)
  match(undone, /What was undone Leads removed 1 Leads kept 0 Rows removed from other leads 3/)
  doesNotMatch(undone, /What was imported|New leads|Sam Example/)
  const gone = await manager.get('/leads/2')
  equal(gone.status, 404)
  match(gone.text, /removed when an import was undone/)
})

test('each rejected row says whose it is, and the value beside the reason', async t => {
  const { manager, upload, settle } = await aDesk(t)
  const long = 'x'.repeat(100)
  const { path } = await upload(`First,Last,Mail,Tel\n,,ana@mail.example,\nBen,<b>Lee</b>,${long},\n`)
  const columns = ['firstName', 'lastName', 'email', 'phone'].map((field, at) => [`column-${at}`, field])
  await manager.post(`${path}/check`, { kind: 'student', source: 'Fair', ...Object.fromEntries(columns) })
  await settle()
  const { text } = await manager.get(path)
  match(readable(text), /2 ana@mail\.example First: empty First name is required\. Last: empty Last name is required\./)
  match(readable(text), new RegExp(`3 Ben <b>Lee</b> Mail: ${'x'.repeat(60)}… Email must be`))
})

test('what cannot be imported is answered in words', async t => {
  const { manager, upload, database, clock, settle, origin } = await aDesk(t)
  const workbook = Buffer.concat(
    await Array.fromAsync(
      xlsx(
        (async function* () {
          yield [['a']]
        })(),
        { zone: timeZone('UTC') },
      ),
    ),
  )
  for (const [bytes, words] of [
    ['', /The file is empty/],
    ['Name,Email\n', /only headers\. Add a row below them/],
    [workbook, /an Excel workbook/],
    [`Name\n"${'x\n'.repeat(200_000)}`, /Row 2 has more than 200,000 characters/],
    ['x\n'.repeat(FILE_LIMITS.rows + 2), /more than 100,000 rows/],
  ] as const) {
    const { status, text } = await upload(bytes)
    equal(status, 422)
    match(text, words)
  }
  const none = await manager.fetch('/import', {
    method: 'POST',
    headers: { origin: origin.console },
    body: new FormData(),
  })
  equal(none.status, 422)
  const large = await upload(Buffer.alloc(FILE_LIMITS.bytes + 2_000_000, 'x'))
  equal(large.status, 413)
  const { path } = await upload(FAIR)
  const wrong = await manager.post(`${path}/check`, { ...PLAN, source: ' ', 'column-2': 'email' })
  equal(wrong.status, 422)
  match(wrong.text, /Several columns are chosen for “Email”/)
  const long = await manager.post(`${path}/check`, { ...PLAN, source: 'x'.repeat(300) })
  equal(long.status, 422)
  match(long.text, /“Where they come from” must be at most 100 characters \(it has 300\)/)
  match(wrong.text, /“Where they come from” is empty: say where these people come from/)
  equal((await manager.post(`${path}/start`)).status, 409, 'not before it was checked')
  equal((await manager.get('/import/99')).status, 404)
  match((await manager.post(`${path}/discard`)).text, /fair\.csv is discarded/)
  equal((await manager.get(path)).status, 404)
  clock.advance(DAY)
  await settle()
  equal(Number((await sql(database, 'select count(*) as count from leads'))[0]?.['count']), 0)
})

test('words that are not known are asked about once for all rows, with a suggestion, and reject no one', async t => {
  const { manager, upload, settle, app } = await aDesk(t)
  const rows = ['Ana', 'Bea', 'Cy', 'Di'].map(
    (name, n) => `${name} Lee,${name}@mail.example,${n < 3 ? 'Tex.' : 'Lalaland'}`,
  )
  const { path } = await upload(['Name,Email,State', ...rows, 'Ed Lee,ed@mail.example,TX'].join('\n'))
  const fields = { kind: 'student', source: 'Fair', 'column-0': 'fullName', 'column-1': 'email', 'column-2': 'state' }
  await manager.post(`${path}/check`, fields)
  await settle()
  const checked = (await manager.get(path)).text
  match(checked, /Will be new leads<\/dt><dd>5</)
  match(checked, /State: <strong dir="auto">Tex\.<\/strong><\/td><td>3</)
  match(checked, /What Tex\. means.*?<option value="TX" selected>Texas/s)
  match(checked, /What Lalaland means"><option value="" selected>Leave it out/)
  const answers = Object.fromEntries(
    [...checked.matchAll(/name="((?:field|words)-\d+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
  await manager.post(`${path}/meanings`, { ...answers, 'meaning-0': 'TX', 'meaning-1': '' })
  await settle()
  const again = (await manager.get(path)).text
  doesNotMatch(again, /What do these words mean/)
  match(readable(again), /These people will be imported without these values\..*State: Lalaland .* 1 row/)
  await manager.post(`${path}/start`)
  await settle()
  const states = await Promise.all(['ana', 'di', 'ed'].map(name => app.store.findLeadsOf(`${name}@mail.example`)))
  deepEqual(
    states.map(([lead]) => lead?.state),
    ['TX', null, 'TX'],
  )
  match(readable((await manager.get(path)).text), /These people were imported without these values/)
})
