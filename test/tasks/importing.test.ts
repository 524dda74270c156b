/** Imported lists: the dry run, the import and undoing it, in the background. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import { addressHash } from '../../src/leads/body/email.ts'
import type { ImportPlan } from '../../src/leads/import/inquiry-of-row.ts'
import { parseWords } from '../../src/leads/words/search-words.ts'
import { DAY } from '../../src/platform/time.ts'
import { startApp, type TestApp, type TestOptions } from '../support/app.ts'
import { testClock } from '../support/clock.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { noStaff } from '../support/store.ts'
import { aSchool, ben, MONDAY } from './school.ts'

const FAIR = `Name,Email,Phone,State,Notes
Ana Ruiz,ana@mail.example,512 555 0188,TX,Evening classes
Ben Okafor,ben@mail.example,512 555 0199,Texas,
Cleo,cleo@mail,555,TX,
Ana Ruiz,ANA@mail.example,512 555 0188,TX,Also her sister
Dan Lee,dan@mail.example,(512) 555-0100,,=1+1
`

const plan: ImportPlan = {
  kind: 'student',
  columns: ['fullName', 'email', 'phone', 'state', 'message'],
  source: 'Fair Austin',
  language: 'en',
  mayWrite: false,
}

async function aService(t: TestContext, engine: Engine, options: TestOptions = {}) {
  const service = await startApp(t, { engine, settings: aSchool, clock: testClock(MONDAY), ...options })
  const { store } = service.app
  const upload = (text: string) =>
    storeList(store, { bytes: Buffer.from(text), fileName: 'fair.csv', by: 'Jo Manager', now: service.clock.now() })
  /** Uploads, checks and imports a list. */
  const importList = async (text: string, over: Partial<ImportPlan> = {}) => {
    const id = await upload(text)
    const now = service.clock.now()
    equal(await store.checkImport(id, { plan: { ...plan, ...over }, now }), 'done')
    await service.settle()
    equal(await store.startImport(id, { now }), 'done')
    await service.settle()
    return id
  }
  const counts = async (id: number) => {
    const list = await store.readImport(id)
    const { opened, joined, repeated, rejected } = list?.counts ?? {}
    return [list?.state, opened, joined, repeated, rejected]
  }
  return { ...service, store, upload, importList, counts, to: () => recipients(service) }
}

const recipients = ({ sent }: TestApp) => sent.map(({ to }) => to.address).toSorted()

onEachEngine(engine => {
  test('a dry run says what each row would become, and changes no lead', async t => {
    const { store, upload, counts, postStudent, settle, clock, database } = await aService(t, engine)
    await postStudent(ben())
    await settle()
    const list = FAIR.replace('ben@mail.example', ben().email)
    const id = await upload(`${list}Dan Lee,dan@mail.example,(512) 555-0100,,=1+1\n`)
    await store.checkImport(id, { plan, now: clock.now() })
    await settle()
    deepEqual(await counts(id), ['checked', 2, 2, 1, 1])
    const rows = await store.readImportRows(id, { after: 0, limit: 9 })
    deepEqual(
      rows.map(({ row, outcome }) => [row, outcome]),
      [
        [2, 'opened'],
        [3, 'joined'],
        [4, 'rejected'],
        [5, 'joined'],
        [6, 'opened'],
        [7, 'repeated'],
      ],
    )
    deepEqual(
      rows[2]?.problems.map(({ column }) => column),
      ['Name', 'Email', 'Phone'],
    )
    equal((await sql(database, 'select id from leads')).length, 1)
    equal((await sql(database, 'select id from submissions')).length, 1)
  })

  test('a row with only a number or only an address becomes a lead, and the same number is one person', async t => {
    const { importList, upload, store, clock, counts, settle, to, database } = await aService(t, engine)
    const [header] = FAIR.split('\n')
    const rows = ['Ana Ruiz,,512 555 0188,,', 'Bea Silva,bea@mail.example,,,', 'Ana Ruiz,,+1 (512) 555-0188,,Evenings?']
    const list = [header, ...rows, 'Cy Lee,,,,', 'Di Moe,,555,,'].join('\n')
    const checked = await upload(`${list}\n`)
    await store.checkImport(checked, { plan, now: clock.now() })
    await settle()
    deepEqual(await counts(checked), ['checked', 2, 1, 0, 2])
    const rejected = (await store.readImportRows(checked, { after: 0, limit: 9 })).flatMap(one => one.problems)
    deepEqual(
      rejected.map(({ reason }) => reason),
      ['An email address or a phone number is required.', 'Phone must contain 10 to 15 digits (it has 3).'],
    )
    const id = await importList(`${list}\n`, { mayWrite: true })
    deepEqual(await counts(id), ['done', 2, 1, 0, 2])
    deepEqual((await sql(database, 'select email, phone, person_key from leads order by id')).map(Object.values), [
      [null, '512 555 0188', '+15125550188'],
      ['bea@mail.example', null, 'bea@mail.example'],
    ])
    clock.advance(3 * DAY)
    await settle()
    deepEqual([...new Set(to().filter(address => address.endsWith('@mail.example')))], ['bea@mail.example'])
  })

  test('a row gives a new lead its program, tags, stage, counselor and date, and undoing takes all of it', async t => {
    const programs = [{ name: 'Welding' }]
    const { store, importList, upload, settle, clock, database } = await aService(t, engine, {
      settings: { ...aSchool, programs },
    })
    const list = `Name,Email,State,Program,Tags,Status,Advisor,Created
Ana Ruiz,ana@mail.example,Tex.,Welding,"fair, evening",Qualified,Sam Example,2026-10-05
Ben Okafor,ben@mail.example,TX,Baking,,,Nobody,
`
    const columns = ['fullName', 'email', 'state', 'program', 'tags', 'stage', 'counselor', 'since'] as const
    const id = await importList(list, { columns: [...columns], owner: 'maria', mayWrite: true })
    const leads = await sql(database, 'select stage, owner, state, created_at from leads order by id')
    const noon = Date.parse('2026-10-05T12:00:00-04:00')
    deepEqual(
      leads.map(row => [row['stage'], row['owner'], row['state'], Number(row['created_at'])]),
      [
        ['qualified', 'sam', null, noon],
        ['new', 'maria', 'TX', MONDAY],
      ],
    )
    const [ana, ben] = await Promise.all([1, 2].map(lead => store.readLead(lead)))
    match(String(ana?.submissions[0]?.body.message), /^State: Tex\.$/)
    match(String(ben?.submissions[0]?.body.message), /^Program: Baking\nAdvisor: Nobody$/)
    const labels = await sql(database, 'select kind, name from labels order by kind, name')
    deepEqual(labels.map(Object.values), [
      ['program', 'Welding'],
      ['tag', 'evening'],
      ['tag', 'fair'],
    ])
    const unread = await store.listUnreadValues(id)
    deepEqual(unread.map(({ column, value, rows }) => `${column}: ${value} (${rows})`).toSorted(), [
      'Advisor: Nobody (1)',
      'Program: Baking (1)',
      'State: Tex. (1)',
    ])
    // Someone knows Ana already, so she gets no letters.
    const steps = await sql(database, `select distinct subject from tasks where kind = 'step'`)
    deepEqual(
      steps.map(({ subject }) => Number(subject)),
      [2],
    )
    await store.undoImport(id, { now: clock.now() })
    await settle()
    deepEqual(await sql(database, 'select id from leads'), [])
    const again = await upload(list)
    const meanings = { state: { tex: 'TX' }, program: { baking: '' }, counselor: { nobody: 'team' } }
    await store.checkImport(again, { plan: { ...plan, columns: [...columns], meanings }, now: clock.now() })
    await settle()
    deepEqual(
      (await store.listUnreadValues(again)).map(({ value }) => value),
      ['Baking'],
    )
  })

  test('an import makes leads with owners, writes to none of them, and sends each owner one email', async t => {
    const { store, importList, counts, settle, clock, sent, to, database } = await aService(t, engine)
    const id = await importList(FAIR)
    deepEqual(await counts(id), ['done', 3, 1, 0, 1])
    const leads = await sql(database, 'select id, email, owner, came_from, stage from leads order by email')
    deepEqual(
      leads.map(lead => [lead['email'], lead['came_from'], lead['stage']]),
      ['ANA', 'ben', 'dan'].map(name => [`${name.toLowerCase()}@mail.example`, 'Fair Austin', 'new']),
    )
    const owners = new Set(leads.map(lead => lead['owner']))
    const mailed = sent.map(({ subject }) => subject)
    equal(mailed.length, owners.size)
    ok(mailed.every(subject => /new leads? from the list Fair Austin/.test(subject)))
    const ana = await store.readLead(Number(leads[0]?.['id']))
    deepEqual(
      ana?.timeline.map(({ kind, detail, actor }) => [kind, kind === 'submission' ? detail : '', actor]),
      [
        ['submission', 'imported', 'Jo Manager'],
        ['submission', 'imported', 'Jo Manager'],
        ['assigned', '', null],
      ],
    )
    clock.advance(3 * DAY)
    await settle()
    equal(
      to().some(address => address.endsWith('@mail.example')),
      false,
    )
    equal(to().length, owners.size, 'no reminders come')
  })

  test('people who agreed get the follow-up emails, but no receipt, and no one is reminded', async t => {
    const { importList, settle, clock, to } = await aService(t, engine)
    await importList(FAIR, { mayWrite: true, owner: 'sam' })
    deepEqual(to(), ['sam@school.example'])
    for (let hour = 0; hour < 60; hour++) {
      clock.advance(DAY / 24)
      await settle()
    }
    const students = to().filter(address => address.endsWith('@mail.example'))
    deepEqual([...new Set(students)], ['ana@mail.example', 'ben@mail.example', 'dan@mail.example'])
    equal(to().filter(address => !address.endsWith('@mail.example')).length, 1)
  })

  test('people have the programs that their notes name; one who has a lead keeps it as it is', async t => {
    const programs = [{ name: 'Evening classes' }, { name: 'Medical assistant' }]
    const { importList, postStudent, settle, store } = await aService(t, engine, { settings: { ...aSchool, programs } })
    await postStudent({ ...ben(), email: 'dan@mail.example', message: '' })
    await settle()
    await importList(FAIR.replace('=1+1', 'Medical assistant'))
    const of = async (email: string) => {
      const [lead] = await store.findLeadsOf(email)
      return (await store.readLabels([lead?.id ?? 0])).get(lead?.id ?? 0)?.map(({ kind, name }) => `${kind} ${name}`)
    }
    deepEqual(await of('ana@mail.example'), ['program Evening classes'])
    deepEqual([await of('ben@mail.example'), await of('dan@mail.example')], [undefined, undefined])
  })

  test('people who have an account get no follow-up emails', async t => {
    const accounts = { directory: 'table', feedback: 'conceal' } as const
    const settings = { ...aSchool, accounts }
    const { importList, settle, clock, to, store, database } = await aService(t, engine, { settings })
    const secret = await store.getOrCreateSecret('addresses', 'kept before')
    await store.importAccounts([addressHash(secret, 'ana@mail.example')], { replace: false })
    await importList(FAIR, { mayWrite: true, owner: 'sam' })
    const leads = await sql(database, 'select account from leads order by email')
    deepEqual(
      leads.map(lead => Number(lead['account'])),
      [1, 0, 0],
    )
    for (let hour = 0; hour < 60; hour++) {
      clock.advance(DAY / 24)
      await settle()
    }
    const students = to().filter(address => address.endsWith('@mail.example'))
    deepEqual([...new Set(students)], ['ben@mail.example', 'dan@mail.example'])
  })

  test('the same rows again make nothing twice, and the person who has a lead joins it', async t => {
    const { importList, counts, postStudent, settle, sent, store, database } = await aService(t, engine)
    await postStudent({ ...ben(), email: 'ben@mail.example' })
    await settle()
    const before = await store.findLead(1)
    const id = await importList(FAIR, { owner: null })
    deepEqual(await counts(id), ['done', 2, 2, 0, 1])
    deepEqual(await store.findLead(1), before, 'the lead is as it was')
    sent.length = 0
    const again = await importList(FAIR, { owner: null })
    deepEqual(await counts(again), ['done', 0, 0, 4, 1])
    equal(sent.length, 0)
    equal((await sql(database, 'select id from leads')).length, 3)
  })

  test('an import is undone as a whole, except for leads that someone has worked on', async t => {
    const { importList, store, clock, settle, counts, postStudent, database } = await aService(t, engine)
    await postStudent({ ...ben(), email: 'ben@mail.example' })
    await settle()
    const id = await importList(FAIR)
    const [dan] = await store.findLeadsOf('dan@mail.example')
    await store.addNote(dan?.id ?? 0, { text: 'Called', actor: 'sam', now: clock.now() })
    equal(await store.undoImport(id, { now: clock.now() }), 'done')
    await settle()
    const list = await store.readImport(id)
    deepEqual([list?.state, list?.kept, list?.counts.opened], ['undone', 1, 2])
    deepEqual(
      (await store.listKeptLeads(id, 9)).map(({ id: kept, lastName }) => [kept, lastName]),
      [[dan?.id, 'Lee']],
    )
    deepEqual(
      (await sql(database, 'select email from leads order by email')).map(lead => lead['email']),
      ['ben@mail.example', 'dan@mail.example'],
    )
    equal((await store.readLead(1))?.timeline.filter(({ kind }) => kind === 'submission').length, 1)
    const again = await importList(FAIR)
    deepEqual(await counts(again), ['done', 1, 2, 1, 1], 'what was undone can be imported again')
  })

  test('an owner who gets no new lead learns that their leads go on as before', async t => {
    const { importList, postStudent, settle, sent } = await aService(t, engine)
    await postStudent({ ...ben(), email: 'ben@mail.example' })
    await settle()
    await importList('Name,Email,Phone,State,Notes\nBen Okafor,ben@mail.example,512 555 0199,TX,At the fair')
    const text = `${sent.at(-1)?.text.replaceAll(/\s+/g, ' ')}`
    match(text, /already has an open lead: the row is in its timeline.*stays as it was, reminders and/)
    doesNotMatch(text, /Imported leads have no reminders/)
  })

  test('a lead that was merged is joined under the one that is kept, and kept when the import is undone', async t => {
    const { importList, store, clock, settle, counts, postStudent, database } = await aService(t, engine)
    await postStudent({ ...ben(), email: 'ben.old@mail.example' })
    await settle()
    const id = await importList(FAIR)
    const [own] = await store.findLeadsOf('ben@mail.example')
    const merge = { other: own?.id ?? 0, actor: 'sam', now: clock.now() }
    equal((await store.mergeLeads(1, merge)).outcome, 'done')
    const again = await importList(FAIR, { source: 'Another fair' })
    deepEqual(await counts(again), ['done', 0, 4, 0, 1])
    const kept = await store.readLead(1)
    equal(kept?.timeline.filter(({ kind }) => kind === 'submission').length, 3)
    for (const one of [again, id]) {
      await store.undoImport(one, { now: clock.now() })
      await settle()
      equal((await store.readImport(one))?.state, 'undone')
    }
    const left = await sql(database, 'select id from leads order by id')
    deepEqual(
      left.map(lead => Number(lead['id'])),
      [1, own?.id],
    )
  })

  test('a list in another language leaves an open lead in its own, and findable by it', async t => {
    const { importList, store } = await aService(t, engine)
    await importList(FAIR, { language: 'es' })
    await importList(FAIR.replaceAll('Evening', 'Morning'), { language: 'en' })
    equal((await store.findLead(1))?.language, 'es')
    const found = async (language: string) =>
      (await store.listInbox({ language }, { limit: 9 })).rows.map(({ lead }) => lead.id)
    deepEqual([(await found('es')).toSorted(), await found('en')], [[1, 2, 4], []])
  })

  test('undoing an import leaves the words that a lead is found by from one that was merged into it', async t => {
    const { importList, store, clock, settle, postStudent } = await aService(t, engine)
    const [kept, other] = ['kept@mail.example', 'other@mail.example']
    await postStudent({ ...ben(), email: kept })
    await postStudent({ ...ben(), email: other })
    await settle()
    const corrected = 'corrected@mail.example'
    const by = { actor: 'sam', now: clock.now() }
    const { phone = '', phoneE164 = null } = (await store.findLead(2)) ?? {}
    const contact = { email: corrected, phone, phoneE164, again: [] }
    equal((await store.correctLead(2, { ...contact, ...by })).outcome, 'done')
    equal((await store.mergeLeads(1, { other: 2, ...by })).outcome, 'done')
    const found = async () => {
      const words = parseWords(corrected)
      return (await store.listInbox({ words }, { limit: 9 })).rows.map(({ lead }) => lead.id)
    }
    deepEqual(await found(), [1])
    const id = await importList(FAIR.replace('ben@mail.example', kept))
    await store.undoImport(id, { now: clock.now() })
    await settle()
    deepEqual((await store.readImport(id))?.state, 'undone')
    deepEqual(await found(), [1])
  })

  test('an import under way is undone, too, and one that is a day old is not', async t => {
    const { importList, upload, store, clock, settle, database } = await aService(t, engine)
    const id = await upload(FAIR)
    await store.checkImport(id, { plan, now: clock.now() })
    await settle()
    await store.startImport(id, { now: clock.now() })
    equal(await store.undoImport(id, { now: clock.now() }), 'done')
    await settle()
    equal((await store.readImport(id))?.state, 'undone')
    deepEqual(await sql(database, 'select id from leads'), [])
    const other = await importList(FAIR)
    clock.advance(DAY)
    equal(await store.undoImport(other, { now: clock.now() }), 'before')
  })

  test('rows are deleted after a day, and those of a person with the person', async t => {
    const { importList, upload, store, clock, settle, database } = await aService(t, engine)
    const id = await importList(`${FAIR}Eve Ana,joana@mail.example,512 555 0101,TX,knows ana@mail.example.\n`)
    const draft = await upload(`Mail\nxana@mail.example\nAna@mail.example\n`)
    await store.erasePerson('ana@mail.example', {
      addressHash: 'x',
      now: clock.now(),
      askedBy: 'Jo',
      reason: 'asked' as const,
    })
    const left = await sql(database, 'select import_id, row_number from import_rows order by 1, 2')
    deepEqual(
      left.map(row => [Number(row['import_id']), row['row_number']]),
      [...[3, 4, 6].map(row => [id, row]), [draft, 2]],
    )
    equal(await store.undoImport(id, { now: clock.now() }), 'done', 'the others can be undone')
    await settle()
    clock.advance(DAY)
    while (await store.expireImports({ before: clock.now() - DAY }));
    deepEqual(await sql(database, 'select import_id from import_rows'), [])
    equal((await store.readImport(id))?.hasRows, false)
    equal(await store.readImport(draft), undefined)
  })

  test('a portion is carried out once, even when the claim on the import was lost', async t => {
    const service = await aService(t, engine)
    const { store, upload, clock, database } = service
    const id = await upload(FAIR)
    await store.checkImport(id, { plan, now: clock.now() })
    await service.settle()
    await store.startImport(id, { now: clock.now() })
    const claim = { lane: 'imports', now: clock.now(), limit: 1 } as const
    const [lost] = await store.claimTasks({ ...claim, token: 'of a process that hangs' })
    const portion = await store.readPortion(id, 2)
    ok(lost && portion && !portion.last)
    clock.advance(60_000)
    await service.settle()
    const done = { ...portion, task: lost, now: clock.now() }
    equal(await store.fileImportRows(done, [], noStaff), false)
    equal((await sql(database, 'select id from leads')).length, 3)
  })
})
