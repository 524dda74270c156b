/** Adding a lead by hand, in the console. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, fieldOn, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

const MARIA = { email: 'maria@school.example', name: 'Maria Example' }
const SAM = { email: 'sam@school.example', name: 'Sam Example' }

async function aDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
  const maria = await service.client('counselor', MARIA)
  return { ...service, maria, to: () => service.sent.map(({ to }) => to.address) }
}

const tokenOf = async (client: ConsoleClient) => fieldOn((await client.get('/leads/add')).text, 'once')

const hotByInterest = { ...aSchool, studentInterest: { answers: { interestLevel: { hotter: 'low' as const } } } }

const ANA = {
  kind: 'student',
  firstName: 'Ana',
  lastName: 'Ruiz',
  email: 'ana@mail.example',
  phone: '512 555 0188',
  city: '',
  state: 'Texas',
  employer: '',
  message: 'Evening classes?',
  cameFrom: 'Spring fair',
  owner: 'maria',
}

onEachEngine(engine => {
  test('someone who called becomes a lead of the counselor who entered them, and no one gets an email', async t => {
    const { maria, app, settle, clock, to, database } = await aDesk(t, engine)
    const fields = { ...ANA, once: await tokenOf(maria) }
    const added = await maria.post('/leads/add', fields)
    match(added.text, /Ana Ruiz is added\.[\s\S]*The lead opens in a moment, by itself/)
    const again = await maria.post('/leads/add', fields)
    match(again.text, /Ana Ruiz is added already/)
    await settle()
    equal((await maria.get(again.path)).path, '/leads/1')
    const found = await app.store.readLead(1)
    deepEqual(
      [found?.lead.owner, found?.lead.stage, found?.lead.state, found?.lead.language],
      ['maria', 'new', 'TX', 'en'],
    )
    deepEqual(
      found?.timeline.map(({ kind, detail, actor }) => [kind, detail, actor]),
      [
        ['submission', '', 'maria'],
        ['assigned', 'maria', 'maria'],
      ],
    )
    deepEqual(to(), [])
    const { text } = await maria.get('/leads/1')
    match(text, /entered by hand/i)
    match(text, /Entered by<\/dt><dd dir="auto">Maria Example/)
    match(text, /Came from<\/dt><dd dir="auto">Spring fair/)
    const [{ count } = { count: 0 }] = await sql(database, 'select count(*) as count from leads')
    equal(Number(count), 1)
    match((await maria.get('/inbox?from=Spring+fair')).text, /Ana Ruiz/)
    const next = readable(/id="next">(.*?)<\/section>/s.exec(text)?.[1] ?? '')
    match(next, /Reminder to Maria Example .* Closes the lead/)
    doesNotMatch(next, /Email to Ana Ruiz/, 'what the page announces is what comes')
    clock.advance(10 * DAY)
    await settle()
    equal(to().includes('ana@mail.example'), false)
    equal(to().includes('maria@school.example'), true, 'reminders come as for every lead')
  })

  test('the page that waits for a lead looks again, opens it only for those who may see it, and stops', async t => {
    const { maria, client, settle } = await aDesk(t, engine)
    const looking = await maria.fetch('/leads/added?kind=student&person=ana%40mail.example&look=1')
    equal(looking.headers.get('refresh'), '1; url=/leads/added?kind=student&person=ana%40mail.example&look=2')
    const last = '/leads/added?kind=student&person=ana%40mail.example&look=15'
    equal((await maria.get(last)).path, '/inbox?stage=any&q=ana%40mail.example')
    await maria.post('/leads/add', { ...ANA, owner: 'maria', once: 'one' })
    await settle()
    const sam = await (await client('counselor', SAM)).get(last)
    equal(sam.path, '/inbox')
    match(sam.text, /Ana Ruiz is added\. Maria Example follows up\./)
  })

  test('the form says what to do about a caller without an email address', async t => {
    const { maria } = await aDesk(t, engine)
    match((await maria.get('/leads/add')).text, /id="email-hint">An email address or a phone number is enough/)
  })

  test('the counselor who gets the lead is notified, and a person who asked for it gets emails', async t => {
    const { maria, app, settle, to } = await aDesk(t, engine)
    await maria.post('/leads/add', { ...ANA, owner: 'sam', mayWrite: 'on', once: 'one' })
    await settle()
    deepEqual(to().toSorted(), ['ana@mail.example', 'sam@school.example'])
    const tracks = (await app.store.readFollowUp(1))?.steps.map(({ step }) => step) ?? []
    equal(tracks.length, 3)
  })

  test('a lead that was reached already counts as reached, and as usual means the usual counselor', async t => {
    const { maria, app, settle, to } = await aDesk(t, engine)
    await maria.post('/leads/add', { ...ANA, owner: '', reached: 'on', once: 'one' })
    await settle()
    const lead = await app.store.findLead(1)
    deepEqual([lead?.stage, lead?.owner, lead?.firstContactAt], ['contacted', 'maria', MONDAY])
    deepEqual(to(), [])
  })

  test('an open lead of the same person is joined, even when it is of someone else', async t => {
    const { maria, client, app, postStudent, settle, sent, to } = await aDesk(t, engine)
    await postStudent(ben())
    await settle()
    sent.length = 0
    const sam = await client('counselor', SAM)
    const again = { ...ANA, firstName: 'Ben', lastName: 'Okafor', email: ben().email }
    const joined = await sam.post('/leads/add', { ...again, owner: 'sam', once: 'one' })
    equal(joined.path, '/inbox')
    match(joined.text, /Ben Okafor has an open lead[^.]*\. Maria Example follows up/)
    await settle()
    deepEqual(to(), ['maria@school.example'])
    equal((await app.store.findLead(1))?.owner, 'maria')
    const own = await maria.post('/leads/add', { ...again, message: 'Hello?', once: 'two' })
    equal(own.path, '/leads/1')
  })

  test('an entry by hand changes no answer that it does not give, nor what the person wrote', async t => {
    const service = await startConsole(t, { engine, settings: hotByInterest, clock: testClock(MONDAY) })
    const { client, postStudent, settle, sent, clock } = service
    const maria = await client('manager')
    await postStudent(ben({ message: 'Are there <evening> classes?' }))
    await settle()
    const entered = { ...ANA, firstName: 'Ben', lastName: 'Okafor', email: ben().email }
    const atTheFair = { ...entered, message: 'Met me at the fair', owner: 'maria' }
    await maria.post('/leads/add', { ...atTheFair, once: 'one' })
    await settle()
    for (const path of ['/inbox', '/board', '/leads/1']) {
      const { text } = await maria.get(path)
      match(text, />Hot</, path)
    }
    const inbox = (await maria.get('/inbox')).text
    match(inbox, /Are there &lt;evening&gt; classes\?/)
    doesNotMatch(inbox, /Met me at the fair/)
    const csv = await (await maria.fetch('/export/leads.csv')).text()
    match(csv, /Ready to enroll/)
    clock.advance(5 * MINUTE)
    await settle()
    match(sent.at(-1)?.text ?? '', /Ready to enroll/, 'the reminder')
    // The same answers again, and another one.
    await postStudent(ben({ timeline: '3 - Within a year', message: 'Hello again' }))
    await settle()
    const { text } = await maria.get('/leads/1')
    doesNotMatch(text, /\(new\)/)
    match(text, /Within a year <span class="quiet">\(before: Within three months\)/)
    match((await maria.get('/inbox')).text, /Hello again/)
  })

  test('what is missing or wrong is said at its field, and nothing typed is lost', async t => {
    const { maria, database } = await aDesk(t, engine)
    const typed = { ...ANA, phone: '555', email: '', owner: 'sam', reached: 'on', once: 'one' }
    const { status, text } = await maria.post('/leads/add', typed)
    equal(status, 422)
    doesNotMatch(text, /id="email-problem"/)
    match(text, /id="phone-problem">Phone must contain 10 to 15 digits/)
    match(text, /value="Spring fair"/)
    match(text, /<option value="sam" selected>/)
    match(text, /name="reached" checked/)
    const site = await maria.post('/leads/add', { ...ANA, kind: 'site', company: 'Mercy' })
    match(site.text, /id="address-problem">Postal address is required/)
    deepEqual(await sql(database, 'select id from submissions'), [])
  })

  test('a lead is filed with its entry of the audit log or not at all, and so is an inquiry that joins one', async t => {
    const { maria, settle, app, database, clock } = await aDesk(t, engine)
    const log = () =>
      sql(database, 'select actor, action, lead_id, detail, operator_id, network from audit_log order by id')
    for (const [once, action] of [
      ['one', 'added'],
      ['two', 'added an inquiry to'],
    ] as const) {
      const path = '/leads/add'
      await sql(database, 'delete from audit_log')
      await sql(database, 'alter table audit_log rename to lost_log')
      match((await maria.post(path, { ...ANA, kind: 'student', message: once, once })).text, /added|joins/)
      await settle()
      equal(
        (await app.store.readLead(1))?.timeline.filter(({ kind }) => kind === 'submission').length ?? 0,
        once === 'one' ? 0 : 1,
      )
      await sql(database, 'alter table lost_log rename to audit_log')
      clock.advance(HOUR)
      await settle()
      equal(
        (await app.store.readLead(1))?.timeline.filter(({ kind }) => kind === 'submission').length,
        once === 'one' ? 1 : 2,
      )
      const [inquiry] = await sql(database, 'select client_address, form from submissions order by id desc')
      const network = String(inquiry?.['client_address'])
      ok(network.length > 0)
      // The person may get a copy of these details, and they are kept longer than network addresses.
      equal(String(inquiry?.['form']).includes(network), false)
      deepEqual(
        (await log()).filter(entry => entry['action'] !== 'opened').map(entry => ({ ...entry })),
        [{ actor: 'Maria Example', action, lead_id: 1, detail: 'student', operator_id: maria.operator, network }],
      )
    }
  })

  test('a site is added for the team, and the audit log names the kind but not the person', async t => {
    const { maria, client, settle, app, to } = await aDesk(t, engine)
    const place = { company: 'Mercy Hospital', address: '100 Main Street, Austin' }
    await maria.post('/leads/add', { ...ANA, ...place, kind: 'site', owner: '', once: 'one' })
    await settle()
    const lead = await app.store.findLead(1)
    deepEqual([lead?.kind, lead?.owner, lead?.company], ['site', null, 'Mercy Hospital'])
    equal(to().length, 1)
    equal(to().includes(ANA.email), false)
    const { text } = await (await client('admin')).get('/audit')
    match(text, /added .*lead 1[\s\S]*site/)
    equal(text.includes(ANA.email), false)
  })
})
