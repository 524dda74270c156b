/** Disabling someone: what becomes of their leads, and that nothing goes to a person who cannot sign in. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { fieldOn, startConsole, type TestConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { aSchool, counselors, MONDAY } from '../tasks/school.ts'

const [maria, sam] = counselors
const dana = { name: 'Dana Example', email: 'dana@school.example' }

/** A school at which Maria may sign in and has two leads. She has promised to call the first. */
async function start(t: TestContext, engine?: Engine) {
  const options = { settings: aSchool, edits: true, clock: testClock(MONDAY), ...(engine && { engine }) }
  const service = await startConsole(t, options)
  const admin = await service.client('admin', { name: 'Ana Ruiz' })
  const client = await service.client('counselor', maria)
  await student(service, 1)
  await student(service, 2)
  await client.post('/leads/1', { do: 'callback', when: '1h' })
  await service.settle()
  service.sent.length = 0
  return { service, admin, client, path: `/operators/${client.operator}/disable` }
}

async function student(service: TestConsole, n: number): Promise<void> {
  await service.postStudent(aStudent({ email: `s${n}@mail.example`, firstName: `S${n}`, state: 'TX' }))
  await service.settle()
}

const owners = async ({ database }: TestConsole) =>
  (await sql(database, 'select owner from leads order by id')).map(({ owner }) => owner ?? 'team')

const recipients = ({ sent }: TestConsole) => [...new Set(sent.map(({ to }) => to.address))].toSorted()

onEachEngine(engine => {
  test('someone who leaves is disabled, hands over their leads and is off the team, in one go', async t => {
    const { service, admin, client, path } = await start(t, engine)
    const { text } = await admin.get(path)
    match(
      readable(text),
      /Maria Example is on the team and has 2 open leads \(2 new\)\. 1 callback goes with the leads to their new counselors\./,
    )
    doesNotMatch(text, /drafts? of/)
    for (const [form, typed] of [
      ['1/note', 'Has a car'],
      ['2/note', 'Has none'],
      ['add', 'Ben'],
    ] as const)
      await client.post(`/leads/${form}/draft`, { kind: 'student', note: typed, firstName: typed })
    const drafts =
      /Maria Example leaves 2 drafts of an email or a note: .* it; and one draft of a new lead, which no one/
    match(readable((await admin.get(path)).text), drafts)
    const version = fieldOn(text, 'version')
    equal((await admin.post(path, { version, after: 'leaves' })).status, 422)
    equal((await client.get('/account')).path, '/account', 'nothing has changed yet')
    const done = await admin.post(path, { version, after: 'leaves', to: 'one', person: 'sam' })
    match(done.path, /\/team\/hand-overs\/1/)
    match(
      readable(done.text),
      /can no longer sign in\. 1 callback goes with the leads to.*handed over all leads of Maria Example/,
    )
    deepEqual(await owners(service), ['sam', 'sam'])
    match((await client.get('/account')).path, /^\/sign-in/)
    doesNotMatch((await admin.get('/team')).text, /maria@school/)
    const log = await sql(service.database, 'select action from audit_log order by id')
    deepEqual(
      log.map(({ action }) => action).filter(action => action !== 'opened' && action !== 'changed'),
      ['edited the team', 'disabled an operator', 'handed over all leads of someone'],
    )
    await student(service, 3)
    deepEqual(await owners(service), ['sam', 'sam', 'sam'])
    service.clock.advance(2 * HOUR)
    await service.settle()
    equal(recipients(service).includes('maria@school.example'), false)
  })

  test('no email goes out in the name of someone who has left: those that wait become drafts', async t => {
    const { service, admin, client, path } = await start(t, engine)
    const { database, clock, settle, sent } = service
    await sql(database, `update leads set stage = 'contacted', unanswered_since = ${clock.now()} where id = 2`)
    const write = (lead: number, text: string, day: string) =>
      client.post(`/leads/${lead}/write`, { do: 'send', subject: 'Tour', text, day, time: '10:00', once: text })
    await write(2, 'Come on Tuesday!', '2026-11-24')
    await write(1, 'Still there?', '2027-03-01')
    await client.post('/leads/1/write/draft', { subject: 'Prices', text: 'They are' })
    const waits = async () => (await sql(database, 'select unanswered_since from leads where id = 2'))[0]
    equal((await waits())?.['unanswered_since'], null)
    const page = await admin.get(path)
    match(readable(page.text), /If they leave the team, 2 scheduled emails of theirs are not sent, but become drafts/)
    match(
      page.text,
      /wait to be sent in their name\. If the person leaves.*<li><a href="\/leads\/2">S2 [^<]*<\/a>, tomorrow, 10:00 AM<\/li><li><a href="\/leads\/1">S1 [^<]*<\/a>, Mar 1, 2027, 10:00 AM</s,
    )
    const version = fieldOn(page.text, 'version')
    const done = await admin.post(path, { version, after: 'leaves', to: 'one', person: 'sam' })
    match(readable(done.text), /2 scheduled emails of theirs are not sent/)
    equal(Number((await waits())?.['unanswered_since']), MONDAY, 'they wait again')
    const other = await service.client('counselor', sam)
    match(readable((await other.get('/leads/2/write')).text), /Maria Example.*Come on Tuesday!/)
    match(readable((await other.get('/leads/1/write')).text), /They are Still there\?/)
    match(readable((await other.get('/leads/2')).text), /Come on Tuesday! Not sent: its author has left/)
    clock.advance(3 * MINUTE)
    await settle()
    const told = sent.filter(({ subject }) => /an email from Maria Example was not sent/.test(subject))
    deepEqual(told.map(({ to, subject }) => [to.address, subject.slice(0, 2)]).toSorted(), [
      ['sam@school.example', 'S1'],
      ['sam@school.example', 'S2'],
    ])
    match(told[0]?.text ?? '', /The reason: its author has left\./)
    clock.advance(200 * 24 * HOUR)
    await settle()
    equal(sent.filter(({ id }) => id.startsWith('message.')).length, 0)
  })

  test('the emails of someone whose sign-in alone ends go out, those of an operator beside the team do not', async t => {
    const { service, admin, client, path } = await start(t, engine)
    const later = { do: 'send', subject: 'Tour', text: 'Hello', day: '2026-11-24', time: '10:00', once: 'one' }
    await client.post('/leads/1/write', later)
    const lee = await service.client('manager', { name: 'Lee Moss', email: 'lee@school.example' })
    await lee.post('/leads/2/write', { ...later, once: 'two' })
    await admin.post(path, { after: 'sign-in' })
    const disable = `/operators/${lee.operator}/disable`
    match((await admin.get(disable)).text, /They are not sent: they become drafts.*href="\/leads\/2"/s)
    await admin.post(disable)
    service.clock.advance(24 * HOUR)
    await service.settle()
    deepEqual(
      service.sent.flatMap(({ id, to }) => (id.startsWith('message.') ? to.address : [])),
      ['s1@mail.example'],
    )
  })

  test('an email that the mail server has not accepted so far becomes a draft, too', async t => {
    let isAway = true
    const mail = async () => {
      if (isAway) throw Object.assign(new Error('try again later'), { responseCode: 451 })
    }
    const service = await startConsole(t, { settings: aSchool, edits: true, clock: testClock(MONDAY), engine, mail })
    const admin = await service.client('admin', { name: 'Ana Ruiz' })
    const lee = await service.client('manager', { name: 'Lee Moss', email: 'lee@school.example' })
    await student(service, 1)
    await lee.post('/leads/1/write', { do: 'send', subject: 'Tour', text: 'Come on Tuesday!', once: 'one' })
    service.clock.advance(MINUTE)
    await service.settle()
    const disable = `/operators/${lee.operator}/disable`
    match(readable((await admin.get(disable)).text), /wait to be sent in their name/)
    await admin.post(disable)
    match(readable((await admin.get('/leads/1/write')).text), /Lee Moss.*Come on Tuesday!/)
    isAway = false
    service.clock.advance(24 * HOUR)
    await service.settle()
    equal(service.sent.filter(({ id }) => id.startsWith('message.')).length, 0)
  })

  test('the emails of someone who was disabled on the command line do not go out, and the counselor is told', async t => {
    const { service } = await start(t, engine)
    const lee = await service.client('manager', { name: 'Lee Moss', email: 'lee@school.example' })
    const tomorrow = { do: 'send', subject: 'Tour', text: 'Hello', day: '2026-11-24', time: '10:00', once: 'one' }
    await lee.post('/leads/1/write', tomorrow)
    await sql(service.database, `update operators set disabled_at = ${service.clock.now()} where id = ${lee.operator}`)
    service.clock.advance(24 * HOUR)
    await service.settle()
    equal(service.sent.filter(({ id }) => id.startsWith('message.')).length, 0)
    const told = service.sent.find(({ subject }) => /an email from Lee Moss was not sent/.test(subject))
    equal(told?.to.address, 'maria@school.example')
    match(told?.text ?? '', /The reason: its author has left\./)
  })

  test('what a former manager has scheduled goes out in their own name, and not once they are disabled', async t => {
    const { service, admin } = await start(t, engine)
    const former = await service.client('manager', dana)
    const later = { do: 'send', subject: 'Tour', text: 'We met', day: '2026-11-24', once: 'one' }
    await former.post('/leads/1/write', { ...later, time: '10:00' })
    await former.post('/leads/2/write', { ...later, time: '16:00', once: 'two' })
    const version = fieldOn((await admin.get('/team/manager')).text, 'version')
    await admin.post('/team/manager', { version, name: 'Ines New', email: 'ines@school.example' })
    const sent = () => service.sent.filter(({ id }) => id.startsWith('message.'))
    service.clock.advance(24 * HOUR)
    await service.settle()
    deepEqual(
      sent().map(({ from, text }) => [from.name.split(',')[0], /Ines/.test(text)]),
      [['Dana Example', false]],
    )
    await sql(
      service.database,
      `update operators set disabled_at = ${service.clock.now()} where id = ${former.operator}`,
    )
    service.clock.advance(24 * HOUR)
    await service.settle()
    equal(sent().length, 1)
  })

  test('someone beside the team whose name looks like the id of a counselor can write, until they are disabled', async t => {
    const { service, admin } = await start(t, engine)
    const front = await service.client('manager', { name: 'front-desk', email: 'front@school.example' })
    const email = { do: 'send', subject: 'Tour', text: 'Hello' }
    await front.post('/leads/1/write', { ...email, once: 'one' })
    await front.post('/leads/2/write', { ...email, once: 'two', day: '2026-11-24', time: '10:00' })
    service.clock.advance(MINUTE)
    await service.settle()
    const written = () => service.sent.flatMap(({ id, to }) => (id.startsWith('message.') ? to.address : []))
    deepEqual(written(), ['s1@mail.example'])
    const disable = `/operators/${front.operator}/disable`
    match((await admin.get(disable)).text, /They are not sent: they become drafts.*href="\/leads\/2"/s)
    await admin.post(disable)
    match(readable((await admin.get('/leads/2/write')).text), /front@school\.example.*Hello/)
    service.clock.advance(24 * HOUR)
    await service.settle()
    deepEqual(written(), ['s1@mail.example'])
  })

  for (const byCommand of [false, true]) {
    const how = byCommand ? 'was disabled on the command line' : 'leaves'
    test(`of two operators with one name, the emails of the one who ${how} do not go out, those of the other do`, async t => {
      const { service, admin } = await start(t, engine)
      const { database, clock, settle, sent } = service
      const lee = await service.client('manager', { name: 'Lee Moss', email: 'lee@school.example' })
      const other = await service.client('manager', { name: 'Lee Moss', email: 'lee.moss@school.example' })
      const later = { do: 'send', subject: 'Tour', text: 'Hello', day: '2026-11-24', time: '10:00' }
      await lee.post('/leads/1/write', { ...later, once: 'one' })
      await other.post('/leads/2/write', { ...later, once: 'two' })
      if (byCommand) await sql(database, `update operators set disabled_at = ${clock.now()} where id = ${lee.operator}`)
      else {
        const disable = `/operators/${lee.operator}/disable`
        const { text } = await admin.get(disable)
        deepEqual([text.includes('href="/leads/1"'), text.includes('href="/leads/2"')], [true, false])
        await admin.post(disable)
        match(readable((await admin.get('/leads/1/write')).text), /Lee Moss.*Hello/)
      }
      clock.advance(24 * HOUR)
      await settle()
      deepEqual(
        sent.flatMap(({ id, to }) => (id.startsWith('message.') ? to.address : [])),
        ['s2@mail.example'],
      )
    })
  }

  test('closed leads whose people wait for an answer go along, and are given back', async t => {
    const { service, admin } = await start(t, engine)
    const { database, clock, settle } = service
    await sql(
      database,
      `update leads set stage = 'closed', closed_reason = 'not interested', callback_at = null,
        unanswered_since = case id when 1 then ${clock.now()} end`,
    )
    match(readable((await admin.get('/team')).text), /Nothing open.*Hand over the leads of Maria Example/)
    const { text } = await admin.get('/team/people/maria/hand-over')
    match(readable(text), /Maria Example has 1 closed lead with someone who waits for an answer\..*Hand over the lead/)
    match(readable((await admin.get('/team/people/maria')).text), /They still have leads/)
    const version = fieldOn(text, 'version')
    const done = await admin.post('/team/people/maria/hand-over', { version, to: 'one', person: 'sam', remove: 'on' })
    match(done.path, /\/team\/hand-overs\/1/)
    deepEqual(await owners(service), ['sam', 'maria'])
    clock.advance(2 * HOUR)
    await settle()
    equal(
      service.sent.some(({ to, subject }) => to.address === 'sam@school.example' && /S1/.test(subject)),
      true,
    )
    const back = fieldOn((await admin.get(done.path)).text, 'version')
    await admin.post('/team/hand-overs/1/undo', { version: back })
    await settle()
    deepEqual(await owners(service), ['maria', 'maria'])
  })

  test('someone who cannot sign in gets no lead, no reminder and no email, but their backup does', async t => {
    const { service, admin, path } = await start(t, engine)
    const done = await admin.post(path, { after: 'sign-in' })
    equal(done.path, '/operators')
    match(readable(done.text), /can no longer sign in\. Their leads stay with them; reminders go to Sam Example\./)
    match(readable(done.text), /On the team, but no leads and no emails go to them\. Hand over their leads/)
    await student(service, 3)
    deepEqual(await owners(service), ['maria', 'maria', 'sam'], 'Texas is hers')
    await service.postStudent(aStudent({ email: 's2@mail.example', firstName: 'S2', idempotencyKey: 'again, please' }))
    await service.settle()
    deepEqual(recipients(service), ['s3@mail.example', 'sam@school.example'])
    service.clock.advance(5 * MINUTE)
    await service.settle()
    equal(recipients(service).includes('maria@school.example'), false)
    const team = readable((await admin.get('/team')).text)
    match(team, /Maria Example maria maria@school\.example Cannot sign in Gets no new leads and no emails/)
    doesNotMatch((await admin.get('/leads/3')).text, /<option value="maria"/)
    // Those who stay may be away, too.
    await service.app.store.addAbsence({ counselor: 'sam', firstDay: '2026-11-23', lastDay: '2026-11-23' })
    await student(service, 4)
    equal((await owners(service)).at(-1), 'team')
    const enabled = await admin.post(path.replace('disable', 'enable'))
    match(readable(enabled.text), /Maria Example can sign in again\./)
    await student(service, 5)
    equal((await owners(service)).at(-1), 'maria')
  })

  test('a viewer on the team gets no lead, no reminder and no email, and their admin reads so', async t => {
    const { service, admin, path } = await start(t, engine)
    const done = await admin.post(path.replace('disable', 'role'), { role: 'viewer' })
    match(readable(done.text), /Maria Example is now a viewer\. No leads and no emails go to them\./)
    match(readable(done.text), /On the team, but no leads and no emails go to them\. Hand over their leads/)
    await student(service, 3)
    deepEqual(await owners(service), ['maria', 'maria', 'sam'], 'Texas is hers')
    service.clock.advance(2 * HOUR)
    await service.settle()
    equal(recipients(service).includes('maria@school.example'), false)
    const team = readable((await admin.get('/team')).text)
    match(team, /Maria Example maria maria@school\.example Is a viewer Gets no new leads and no emails/)
    doesNotMatch((await admin.get('/leads/3')).text, /<option value="maria"/)
    match(
      readable((await admin.post(path.replace('disable', 'role'), { role: 'counselor' })).text),
      /Maria Example is now a counselor\. [^N]/,
    )
    await student(service, 4)
    equal((await owners(service)).at(-1), 'maria')
  })

  test('someone who comes back is away until then', async t => {
    const { service, admin, path } = await start(t, engine)
    const late = await admin.post(path, { after: 'away', until: '2026-11-20' })
    equal(late.status, 422)
    match(late.text, /Enter the last day on which they are away: today or later\./)
    await admin.post(path, { after: 'away', until: '2026-12-04' })
    const absences = await service.app.store.listAbsences('2026-11-23')
    deepEqual(
      absences.map(({ id, ...absence }) => absence),
      [{ counselor: 'maria', firstDay: '2026-11-23', lastDay: '2026-12-04', createdBy: 'Ana Ruiz' }],
    )
    deepEqual(await owners(service), ['maria', 'maria'])
  })

  test('if no one on the team can sign in, the team gets everything, and every page says so', async t => {
    const { service, admin, path } = await start(t, engine)
    const others = await Promise.all([service.client('counselor', sam), service.client('manager', dana)])
    for (const { operator } of others) await admin.post(`/operators/${operator}/disable`, { after: 'sign-in' })
    const last = await admin.post(path, { after: 'sign-in' })
    match(last.text, /No one on the team can get leads now: new ones go to admissions@localhost\./)
    match((await admin.get('/team')).text, /<strong>No one on the team can work on leads\.<\/strong>/)
    match(readable((await admin.get('/team')).text), /Cannot sign in The team gets their emails\./)
    await student(service, 3)
    equal((await owners(service)).at(-1), 'team')
    service.clock.advance(8 * HOUR)
    await service.settle()
    const staff = recipients(service).filter(address => !address.endsWith('mail.example'))
    deepEqual(staff, ['admissions@localhost'])
  })

  test('after a command has disabled someone, they are left out, and the links that they have no longer act', async t => {
    const { service, admin, client } = await start(t, engine)
    const { store } = service.app
    await student(service, 3)
    await admin.post('/leads/3', { do: 'assign', counselor: 'maria' })
    await service.settle()
    const mail = service.sent.findLast(({ to }) => to.address === maria?.email)
    const link = /http\S+(\/act\/[\w.-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
    equal((await client.get(link)).status, 200)
    await store.disableOperator(client.operator, { now: service.clock.now(), audit: [] })
    // Within seconds, or with the next edit of settings.
    await admin.get('/team')
    await student(service, 4)
    equal((await owners(service)).at(-1), 'sam')
    const left = await client.get(link)
    equal(left.status, 403)
    match(left.text, /We sent it to a person who is no longer on our staff list/)
  })
})

test('someone who is not on the team is only asked whether they mean it', async t => {
  const { service, admin } = await start(t)
  const viewer = await service.client('viewer', { name: 'Vic Lane' })
  const { text } = await admin.get(`/operators/${viewer.operator}/disable`)
  match(readable(text), /Vic Lane can then no longer sign in\./)
  doesNotMatch(text, /type="radio"/)
  match((await admin.post(`/operators/${viewer.operator}/disable`)).text, /Vic Lane can no longer sign in\./)
})

test('leads are handed over from people who are or were on the team, and a page that never existed is not called erased', async t => {
  const { service, admin } = await start(t)
  const nobody = await admin.get('/team/people/zzz/hand-over')
  equal(nobody.status, 404)
  match(nobody.text, /This counselor does not exist\./)
  await sql(service.database, `update leads set owner = 'tom' where id = 1`)
  equal((await admin.get('/team/people/tom/hand-over')).status, 200)
  doesNotMatch((await admin.get('/nope')).text, /erased/)
  match((await admin.get('/import/99')).text, /This page does not exist\. What it showed may have been erased\./)
})
