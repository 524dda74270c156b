/** Exporting leads: what is in the files, who may take them, and that none is held in memory. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { type TestContext, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { strFromU8, unzipSync } from 'fflate'
import { exportRows } from '../../src/console/export/export-rows.ts'
import { ExportsUnderWay } from '../../src/console/export/progress.ts'
import { xlsx } from '../../src/console/export/xlsx.ts'
import { Turns } from '../../src/console/frame/export-turns.ts'
import { timeZone } from '../../src/follow-up/time-zones.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { frontdeskIn } from '../cli/frontdesk.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql, urlOf } from '../support/engines.ts'

const zone = timeZone('America/Chicago')

onEachEngine(engine => {
  test('a manager exports what a filter finds, as CSV and as XLSX, and the audit log says so', async t => {
    const service = await startConsole(t, { engine })
    const formula = '=HYPERLINK("http://evil.example","x") & <b>'
    await service.postStudent(aStudent({ firstName: 'Zoë', phone: '+1 512 555 0142', message: formula }))
    await service.postSite(aSite({ company: 'Mercy Clinic' }))
    await service.settle()
    const manager = await service.client('manager', { name: 'Dana Kim' })

    const csv = await manager.get('/export/leads.csv?kind=student')
    match(csv.headers.get('content-disposition') ?? '', /filename="leads-\d{4}-\d\d-\d\d\.csv"/)
    const [row, ...others] = parse(csv.text, { bom: true, columns: true }) as Record<string, string>[]
    equal(others.length, 0)
    deepEqual([row?.['First name'], row?.['Stage'], row?.['Message']], ['Zoë', 'new', `'${formula}`])

    const response = await manager.fetch('/export/leads.xlsx?stage=any')
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
    const sheet = strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array())
    equal(sheet.match(/<row /g)?.length, 3)
    match(sheet, /<c r="B2" s="1"><v>\d{5}\.\d+</, 'a moment that Excel can count with')
    ok(sheet.includes('t="inlineStr"><is><t xml:space="preserve">+1 512 555 0142</t>'))
    ok(sheet.includes('=HYPERLINK("http://evil.example","x") &amp; &lt;b&gt;'))
    ok(sheet.includes('Mercy Clinic'))
    ok('[Content_Types].xml' in files && 'xl/workbook.xml' in files)

    const [last] = await service.app.store.listAudit({ limit: 1 })
    deepEqual([last?.actor, last?.action, last?.detail], ['Dana Kim', 'exported leads', 'xlsx: stage=any'])
    const dana = await service.client('manager')
    await dana.get('/export/leads.csv?stage=any&q=Okafor&from=Friends+of+Okafor')
    const [search] = await service.app.store.listAudit({ limit: 1 })
    equal(
      search?.detail,
      'csv: stage=any, search words, where they came from',
      'the log outlives a person who is erased',
    )
    for (const role of ['counselor', 'viewer'] as const)
      equal((await (await service.client(role)).get('/export/leads.csv')).status, 403)
  })

  test('the console and the command line export the same CSV', async t => {
    const service = await startConsole(t, { engine })
    await service.postStudent(aStudent({ city: 'Austin', state: 'TX', employer: 'Lone Star Diner' }))
    await service.postSite(aSite({ address: '1 Main Street' }))
    await service.settle()
    const { text } = await (await service.client('manager')).get('/export/leads.csv?stage=any')
    const frontdesk = frontdeskIn(service.dataDir, { DATABASE_URL: urlOf(service.database) })
    const [exported, listed] = [await frontdesk('leads', 'export'), await frontdesk('leads', 'list', '--format', 'csv')]
    equal(exported.out, text)
    equal(listed.out, exported.out)
    for (const part of [',1 Main Street,', ',Austin,TX,Within three months,', ',Lone Star Diner,'])
      ok(text.includes(part), part)
  })
})

onEachEngine(engine => {
  test('the person who exports sees how far the file is, and others do not', async t => {
    const service = await startWithLeads(t, engine)
    const manager = await service.client('manager')
    const progress = async () => {
      const { status, text } = await manager.get('/export/progress?run=r1')
      return status === 200 ? inWords(text) : status
    }
    equal(await progress(), 404, 'nothing is known before it begins')

    const response = await manager.fetch('/export/leads.csv?run=r1')
    const file = response.body?.getReader()
    ok(file)
    await file.read()
    match(String(await progress()), /^(0|150|300) leads so far, about (0|37|75)%$/)
    const other = await service.client('manager')
    equal((await other.get('/export/progress?run=r1')).status, 404)
    while (!(await file.read()).done);
    equal(await progress(), 'Everything is in the file: 400 leads. Your browser shows when the download is done.')

    const interrupted = await manager.fetch('/export/leads.csv?run=r1')
    await interrupted.body?.cancel()
    // The service hears of it a moment later.
    while (String(await progress()).includes('so far'));
    match(String(await progress()), /^The download stopped after \d+ leads\. Start it again\.$/)
  })

  test('the page shows the exports of a person that are under way or have just ended, also after they left it', async t => {
    const service = await startWithLeads(t, engine)
    const manager = await service.client('manager')
    const page = async (client = manager) => inWords((await client.get('/export')).text)
    ok(!(await page()).includes('begun'))

    await (await manager.fetch('/export/leads.csv?run=r1')).body?.cancel()
    // The service hears of it a moment later.
    while ((await page()).includes('leads so far'));
    match(await page(), /CSV file, begun today[^.]*The download stopped after \d+ leads?\./)
    ok(!(await page(await service.client('manager'))).includes('begun'), 'others do not see it')

    await (await manager.fetch('/export/leads.xlsx?run=r2')).arrayBuffer()
    match(await page(), /XLSX file, begun today[^.]*Everything is in the file: 400 leads\.[\s\S]*CSV file/)
    service.clock.advance(11 * MINUTE)
    ok(!(await page()).includes('begun'), 'they are old by now')
  })
})

onEachEngine(engine => {
  test('one person has two files made at once, and others do not wait for them', async t => {
    const service = await startWithLeads(t, engine)
    const { store } = service.app
    const manager = await service.client('manager')
    const listInbox = store.listInbox
    const gate = Promise.withResolvers<void>()
    let reading = 0
    store.listInbox = async (filter, options) => {
      if (options.limit === 150 && options.after === undefined) {
        reading++
        await gate.promise
      }
      return listInbox(filter, options)
    }
    const leave = new AbortController()
    const left = [1, 2].map(() => manager.fetch('/export/leads.csv', { signal: leave.signal }))
    const gone = Promise.allSettled(left)
    while (reading < 2) await manager.get('/export')
    const leaveLine = new AbortController()
    const leftLine = Promise.allSettled([manager.fetch('/export/leads.csv?run=left', { signal: leaveLine.signal })])
    const stateInLine = async () => (await manager.get('/export/progress?run=left')).text
    while (!(await stateInLine()).includes('Waiting'));
    const files = Array.from({ length: 29 }, (_, n) => manager.fetch(`/export/leads.xlsx?run=${n}`))
    const refused = []
    while (refused.length < 22) {
      const { status, headers } = await Promise.race(files)
      equal(status, 429)
      ok(headers.has('retry-after'))
      refused.push(status)
      files.splice(await indexOfDone(files), 1)
    }
    equal(reading, 2)
    const other = await (await service.client('manager')).fetch('/export/leads.csv')
    while (reading < 3) await manager.get('/export')
    ok(inWords((await manager.get('/export')).text).includes('Waiting until another file of yours is done.'))
    ok(inWords((await manager.get('/export')).text).includes('Not started: other files of yours are still being made.'))
    // The service must know that one has left the line before there is a place for it.
    leaveLine.abort()
    await leftLine
    while ((await stateInLine()).includes('Waiting'));
    leave.abort()
    await gone
    gate.resolve()
    match(await other.text(), /a400,/)
    // On a busy machine, the turn of one may not come in time, and the client tries again.
    const whole = async (response: Response): Promise<Response> =>
      response.status === 429 ? whole(await manager.fetch('/export/leads.xlsx')) : response
    for (const file of files)
      equal(unzipSync(new Uint8Array(await (await whole(await file)).arrayBuffer())) instanceof Object, true)
    const exported = (await store.listAudit({ limit: 99 })).filter(({ action }) => action === 'exported leads')
    equal(exported.length, 2 + 7 + 1, 'those that were refused, and those that no one waits for, are not in it')
  })
})

const indexOfDone = (all: Promise<unknown>[]) => Promise.race(all.map((one, index) => one.then(() => index)))

test('a file whose turn does not come is refused after a while', async () => {
  const turns = new Turns(0)
  const responses = [1, 2, 3].map(() => Object.assign(new EventEmitter(), { closed: false }))
  const taken = responses.map(response => turns.take(1, response as never))
  deepEqual(await Promise.all(taken), [true, true, false])
  for (const response of responses) response.emit('close')
  equal(await turns.take(1, responses[0] as never), true)
})

/** A service with 400 leads, which SQL creates: to submit so many takes a while. */
async function startWithLeads(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine })
  await sql(
    service.database,
    `insert into submissions (kind, received_at, key, fingerprint, email, answer, body, client_address)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 400)
     select 'student', i, 'key ' || i, 'print', 'a' || i, 200, '{}', '' from n`,
  )
  await sql(
    service.database,
    `insert into leads (id, kind, stage, email, person_key, first_name, last_name, phone, created_at, updated_at)
     select id, 'student', 'new', email, email, 'Zoë', 'Okafor', '1', id, id from submissions`,
  )
  return service
}

const inWords = (page: string) => page.replace(/<[^>]+>/g, '').trim()

test('only the last hundred exports of a process are remembered', async () => {
  const underWay = new ExportsUnderWay(() => 0)
  const run = (n: number) => ({ operator: 1, run: `${n}` })
  for (let n = 0; n <= 100; n++) {
    const leads = exportRows(noLeads, {}, { counselors: [] })
    const rows = underWay.follow({ ...run(n), format: 'csv' }, undefined, leads)
    while (!(await rows.next()).done);
  }
  equal(underWay.progressOf(run(0)), undefined)
  deepEqual(underWay.progressOf(run(100)), { state: 'complete', leads: 0, share: undefined })
})

test('an export that is under way is recent however long ago it began, and an ended one for ten minutes', async () => {
  let now = 0
  const underWay = new ExportsUnderWay(() => now)
  const batches = (async function* () {
    yield [['Name']]
    yield [['Zoë'], ['Ben']]
  })()
  const run = { operator: 1, run: 'r1' }
  const rows = underWay.follow({ ...run, format: 'csv' }, undefined, batches)
  await rows.next()
  await rows.next()
  now = 60 * MINUTE
  const [one] = underWay.recentOf(1)
  deepEqual([one?.run, one?.progress.state, one?.begun, one?.ended], ['r1', 'under way', 0, undefined])
  deepEqual(underWay.recentOf(2), [])
  while (!(await rows.next()).done);
  now += 10 * MINUTE
  equal(underWay.recentOf(1)[0]?.progress.state, 'complete')
  now += 1
  deepEqual(underWay.recentOf(1), [])
})

const noLeads = {
  backgroundDelay: () => 0,
  listInbox: async () => ({ rows: [], next: null, lookedUpTo: null, similar: false }),
}

test('an export reads the next leads only once the earlier ones were taken', async t => {
  const { app, postStudent, settle } = await startConsole(t)
  await postStudent(aStudent())
  await settle()
  const [row] = (await app.store.listInbox({}, { limit: 1 })).rows
  ok(row)
  let asked = 0
  const store = {
    backgroundDelay: () => 0,
    listInbox: async () => {
      asked += 1
      const rows = Array.from({ length: 500 }, () => row)
      return { rows, next: { at: 1, id: 1 }, lookedUpTo: null, similar: false }
    },
  }
  const bytes = xlsx(exportRows(store, {}, { counselors: [] }), { zone })
  let pieces = 0
  while (asked < 5) pieces += Number(!(await bytes.next()).done)
  ok(pieces > 0)
  await new Promise(resolve => setImmediate(resolve))
  equal(asked, 5)
  await bytes.return(undefined)
})

test('a workbook has dates that spreadsheets can sort, in the time of the school', async () => {
  const batches = (async function* () {
    yield [['First wrote'], [new Date('2026-11-23T13:52:25.539Z')]]
  })()
  const pieces: Uint8Array[] = []
  for await (const piece of xlsx(batches, { zone })) pieces.push(piece)
  const files = unzipSync(new Uint8Array(Buffer.concat(pieces)))
  const read = (name: string) => strFromU8(files[name] ?? new Uint8Array())
  const [, style, serial] = /<c r="A2" s="(\d)"><v>([\d.]+)<\/v><\/c>/.exec(read('xl/worksheets/sheet1.xml')) ?? []
  // As =DATE(2026,11,23)+TIME(7,52,25) gives it.
  equal(Number(serial).toFixed(6), (46_349 + (7 * 3600 + 52 * 60 + 25) / 86_400).toFixed(6))
  equal(style, '1')
  match(read('xl/styles.xml'), /formatCode="yyyy\\-mm\\-dd\\ hh:mm"/)
})

test('a workbook continues on the next sheet when one is full', async () => {
  const batches = (async function* () {
    yield [['Name'], ...Array.from({ length: 7 }, (_, index) => [`row ${index}`])]
  })()
  const pieces: Uint8Array[] = []
  for await (const piece of xlsx(batches, { zone, mostRows: 4 })) pieces.push(piece)
  const files = unzipSync(new Uint8Array(Buffer.concat(pieces)))
  const rows = [1, 2, 3].map(n =>
    [...strFromU8(files[`xl/worksheets/sheet${n}.xml`] ?? new Uint8Array()).matchAll(/>([^<]+)<\/t>/g)].map(
      ([, text]) => text,
    ),
  )
  deepEqual(rows, [
    ['Name', 'row 0', 'row 1', 'row 2'],
    ['Name', 'row 3', 'row 4', 'row 5'],
    ['Name', 'row 6'],
  ])
})
