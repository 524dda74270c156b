/**
 * What someone types about a lead is saved while they type: for themselves, and for the next person who works on it.
 */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { strFromU8, unzipSync } from 'fflate'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { hashPassword } from '../../src/console/sign-in/passwords.ts'
import { LONGEST_TEXT } from '../../src/lead-actions/write-email.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { DRAFT_DAYS, expireDrafts } from '../../src/tasks/expiry-of-data.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, fieldOn, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { unescaped } from '../support/forms.ts'
import { asked } from '../support/store.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

const MARIA = { email: 'maria@school.example', name: 'Maria Example' }
const SAM = { email: 'sam@school.example', name: 'Sam Example' }

/** Ben has written from two addresses; Maria has both of his leads, and Dana sees everyone's. */
async function aDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
  const { store } = service.app
  await service.postStudent(ben())
  await service.postStudent(ben({ email: 'ben@home.example', idempotencyKey: 'from home' }))
  await service.settle()
  for (const id of [1, 2]) await store.assignLead(id, { owner: 'maria', actor: 'test', now: service.clock.now() })
  const maria = await service.client('counselor', MARIA)
  const sam = await service.client('counselor', SAM)
  const dana = await service.client('manager', { name: 'Dana Kim' })
  const drafts = async () =>
    (await sql(service.database, 'select lead_id, kind, fields from drafts order by id')).map(row => [
      row['lead_id'] === null ? null : Number(row['lead_id']),
      row['kind'],
      JSON.parse(String(row['fields'])),
    ])
  return { ...service, store, maria, sam, dana, drafts }
}

/** What the script of the page sends while someone types. */
const type = (client: ConsoleClient, path: string, fields: Record<string, string>) =>
  client.post(`${path}/draft`, fields, { 'x-part': 'draft' })

const email = (text: string, once = 'form') => ({ subject: 'Evening classes', text, once })

const noteOn = (text: string) => unescaped(/<textarea id="note"[^>]*>([^<]*)</.exec(text)?.[1] ?? '')
const textOn = (text: string) => unescaped(/<textarea id="text"[^>]*>([^<]*)</.exec(text)?.[1] ?? '')

onEachEngine(engine => {
  test('an email, a note and a new lead that someone has begun stand in their forms again, until they are discarded', async t => {
    const { maria, dana, clock, drafts } = await aDesk(t, engine)
    const saved = await type(maria, '/leads/1/write', email('Come on Friday'))
    deepEqual(JSON.parse(saved.text), { words: 'Draft kept from 11:30 AM.', others: '' })
    await type(maria, '/leads/1/note', { note: 'Prefers mornings' })
    await type(maria, '/leads/add', { kind: 'student', firstName: 'Ana', city: 'Austin', once: 'new' })
    await type(maria, '/leads/add', { kind: 'site', company: 'Mercy Hospital' })
    clock.advance(MINUTE)
    await type(maria, '/leads/1/note', { note: 'Prefers mornings, not Mondays' })

    const write = (await maria.get('/leads/1/write')).text
    match(write, /name="subject" value="Evening classes" data-usual="Re: Thank you for your interest/)
    deepEqual([textOn(write), fieldOn(write, 'once')], ['Come on Friday', 'form'])
    match(write, /data-kept><span>Draft kept from 11:30 AM\.<\/span>/)
    const lead = (await maria.get('/leads/1')).text
    match(lead, /Draft kept from 11:31 AM\./)
    match(lead, />Go on writing<\/a>/)
    equal(noteOn(lead), 'Prefers mornings, not Mondays')
    const add = (await maria.get('/leads/add')).text
    match(add, /name="firstName" type="text" value="Ana"/)
    equal(fieldOn(add, 'once'), 'new')
    match((await maria.get('/leads/add?kind=site')).text, /value="Mercy Hospital"/)
    equal(noteOn((await maria.get('/leads/2')).text), '')
    equal(noteOn((await dana.get('/leads/1')).text), '')

    match((await maria.post('/leads/1/write/draft', { discard: 'yes' })).text, /Draft discarded\./)
    equal(textOn((await maria.get('/leads/1/write')).text), '')
    await type(maria, '/leads/1/note', { note: '', discard: 'yes' })
    await type(maria, '/leads/add', { kind: 'student', discard: 'yes' })
    deepEqual(
      (await drafts()).map(([, kind]) => kind),
      ['site'],
    )
  })

  test('a colleague who may see the lead reads who is writing, and what, and no one else does', async t => {
    const { maria, sam, dana, clock } = await aDesk(t, engine)
    await type(maria, '/leads/1/write', email('Come on Friday'))
    clock.advance(MINUTE)
    await type(maria, '/leads/1/write', email('Come on Friday at ten'))
    const says =
      /<summary>Maria Example has been writing to Ben Okafor since 11:30 AM<\/summary><blockquote[^>]*>Come on Friday at ten</
    match((await dana.get('/leads/1/write')).text, says)
    match((await dana.get('/leads/1')).text, says)
    match(JSON.parse((await type(dana, '/leads/1/write', email('Hello'))).text).others, says)
    doesNotMatch((await maria.get('/leads/1/write')).text, /Maria Example has/)
    clock.advance(HOUR)
    match((await dana.get('/leads/1')).text, /Maria Example has a draft of an email to Ben Okafor from 11:31 AM/)
    equal((await sam.get('/leads/1/write')).status, 404)
    equal((await type(sam, '/leads/1/write', email('Hello'))).status, 404)
    equal((await type(sam, '/leads/1/note', { note: 'Hello' })).status, 404)
  })

  test('what a counselor has left is there for the one who has the lead after them', async t => {
    const { maria, sam, store, clock } = await aDesk(t, engine)
    await type(maria, '/leads/1/note', { note: 'Wants to start in May' })
    await type(maria, '/leads/1/write', email('We begin on May 3'))
    await store.disableOperator(maria.operator, { now: clock.now(), audit: [] })
    await store.assignLead(1, { owner: 'sam', actor: 'dana', now: clock.now() })
    clock.advance(DAY / 4)
    const { text } = await sam.get('/leads/1')
    match(text, /Maria Example has a draft of a note about Ben Okafor from 11:30 AM[\s\S]*Wants to start in May/)
    match(text, /Maria Example has a draft of an email to Ben Okafor[\s\S]*We begin on May 3/)
  })

  test('a draft ends when it is sent or recorded', async t => {
    const { maria, drafts, settle } = await aDesk(t, engine)
    const presses: [string, Record<string, string>][] = [
      ['/leads/1', { do: 'note', note: 'Prefers mornings' }],
      ['/leads/1', { do: 'no answer', note: 'Rang for a minute' }],
      ['/leads/1', { do: 'callback', when: '2026-11-27T10:00', note: 'About the price' }],
      ['/leads/1', { do: 'reached', note: 'Comes on Friday' }],
    ]
    for (const [path, fields] of presses) {
      await type(maria, '/leads/1/note', { note: fields['note'] ?? '' })
      equal((await drafts()).length, 1)
      equal((await maria.post(path, fields)).status, 200)
      deepEqual(await drafts(), [], JSON.stringify(fields))
    }
    await type(maria, '/leads/1/note', { note: 'Half a' })
    await type(maria, '/leads/1/write', email('Come on Friday'))
    await maria.post('/leads/1', { do: 'pause' })
    equal((await maria.post('/leads/1/write', { do: 'send', ...email(' ') })).status, 422)
    equal((await drafts()).length, 2)
    await maria.post('/leads/1/write', { do: 'send', ...email('Come on Friday') })
    deepEqual(await drafts(), [[1, 'note', { note: 'Half a' }]])
    const ana = { kind: 'student', firstName: 'Ana', lastName: 'Li', email: 'ana@mail.example', once: 'new' }
    await type(maria, '/leads/add', ana)
    await maria.post('/leads/add', ana)
    await settle()
    equal((await drafts()).length, 1)
  })

  test('of two who write to one person, the second reads what the first has sent, and is asked once', async t => {
    const { maria, dana, sent, clock, settle } = await aDesk(t, engine)
    const seen = fieldOn((await dana.get('/leads/1/write')).text, 'seen')
    await maria.post('/leads/1/write', { do: 'send', ...email('Come on Friday', 'of Maria'), seen })
    const second = { do: 'send', ...email('Come on Monday', 'of Dana') }
    const asks = await dana.post('/leads/1/write', { ...second, seen })
    equal(asks.status, 422)
    match(
      asks.text,
      /not sent yet: since you opened this page, a colleague has written to Ben Okafor[\s\S]*Come on Friday/,
    )
    equal(textOn(asks.text), 'Come on Monday')
    match(
      (await dana.post('/leads/1/write', { ...second, seen: fieldOn(asks.text, 'seen') })).text,
      /goes out in ten seconds/,
    )
    clock.advance(MINUTE)
    await settle()
    deepEqual(
      sent
        .filter(({ id }) => id.startsWith('message'))
        .map(({ text }) => /Come on \w+/.exec(text)?.[0])
        .toSorted(),
      ['Come on Friday', 'Come on Monday'],
    )
  })

  test('merging two leads keeps the drafts about both', async t => {
    const { maria, dana, drafts } = await aDesk(t, engine)
    await type(maria, '/leads/1/note', { note: 'Prefers mornings' })
    await type(maria, '/leads/2/note', { note: 'Has a car' })
    await type(dana, '/leads/2/write', email('Hello'))
    await maria.post('/leads/1/merge', { with: '2', keep: '1' })
    deepEqual((await drafts()).toSorted(), [
      [1, 'email', email('Hello')],
      [1, 'note', { note: 'Prefers mornings\n\nHas a car' }],
    ])
  })

  test('a draft goes with the person who is erased, even if they do not have a lead yet', async t => {
    const { maria, store, drafts, clock } = await aDesk(t, engine)
    await type(maria, '/leads/1/write', email('Hello'))
    await type(maria, '/leads/2/note', { note: 'Has a car' })
    await type(maria, '/leads/add', { kind: 'student', firstName: 'Ben', email: ' BEN@mail.example' })
    await type(maria, '/leads/add', { kind: 'site', lastName: 'Ruiz', phone: '(512) 555-0111' })
    const erase = (person: string) => store.erasePerson(person, { ...asked, addressHash: undefined, now: clock.now() })
    await erase('ben@mail.example')
    deepEqual(
      (await drafts()).map(([lead, kind]) => [lead, kind]),
      [
        [2, 'note'],
        [null, 'site'],
      ],
    )
    await erase('+15125550111')
    equal((await store.listErasures({ limit: 9 })).length, 2)
    deepEqual(await drafts(), [[2, 'note', { note: 'Has a car' }]])
  })

  test('the drafts about a person are in the export of their data, and found where they have no lead yet', async t => {
    const { maria, dana } = await aDesk(t, engine)
    await type(maria, '/leads/1/write', email('Come on Friday'))
    await type(dana, '/leads/1/note', { note: 'Has a car' })
    await type(maria, '/leads/2/note', { note: 'From home' })
    await type(maria, '/leads/add', { kind: 'student', firstName: 'Ben', email: 'ben@mail.example', once: 'form' })
    const files = unzipSync(await (await dana.fetch('/privacy/people/1/export.zip')).bytes())
    const [page, json] = ['person.html', 'person.json'].map(name => strFromU8(files[name] ?? new Uint8Array()))
    deepEqual(
      JSON.parse(json ?? '').drafts.map(({ author, kind }: { author: string; kind: string }) => [author, kind]),
      [
        ['Maria Example', 'email'],
        ['Dana Kim', 'note'],
        ['Maria Example', 'student'],
      ],
    )
    match(
      page ?? '',
      /typed and not sent[\s\S]*Evening classes[\s\S]*Come on Friday[\s\S]*Has a car[\s\S]*Ben · ben@mail/,
    )
    await type(maria, '/leads/add', { kind: 'site', lastName: 'Ruiz', email: 'ruiz@clinic.example' })
    match((await dana.post('/privacy', { person: 'ruiz@clinic.example' })).text, /still holds 1 draft of a new lead/)
  })

  test('a draft that no one continues is deleted after 30 days', async t => {
    const { maria, store, drafts, clock } = await aDesk(t, engine)
    await type(maria, '/leads/1/note', { note: 'Has a car' })
    clock.advance(HOUR)
    await type(maria, '/leads/2/note', { note: 'Has no car' })
    clock.advance(DRAFT_DAYS * DAY - MINUTE)
    await expireDrafts({ store, clock, settings: defaultSettings }, new AbortController().signal)
    deepEqual(await drafts(), [[2, 'note', { note: 'Has no car' }]])
  })

  test('every email that the form accepts is read, also in Chinese, and after signing in again; a longer draft is not', async t => {
    const { maria, client, store, clock } = await aDesk(t, engine)
    const long = email('学'.repeat(LONGEST_TEXT))
    equal((await type(maria, '/leads/1/write', long)).status, 200)
    equal((await type(maria, '/leads/1/write', { ...long, text: `${long.text}${'学'.repeat(500)}` })).status, 422)
    equal((await type(maria, '/leads/1/note', { note: 'x'.repeat(1501) })).status, 422)
    await store.setPassword(maria.operator, { password: await hashPassword('correct horse battery'), now: clock.now() })
    const out = await client()
    const asks = await out.post('/leads/1/write', { do: 'send', ...long })
    match(asks.text, /what you typed is not lost/)
    const signedIn = { email: MARIA.email, password: 'correct horse battery', resume: fieldOn(asks.text, 'resume') }
    match((await out.post('/sign-in', signedIn)).text, /Nothing of it is lost/)
    match((await out.post('/leads/1/write', { do: 'send', ...long })).text, /goes out in ten seconds/)
  })

  test('a template is filled in beside what is typed, and in a reply leaves the subject alone', async t => {
    const { maria } = await aDesk(t, engine)
    await type(maria, '/leads/1/write', email('Hello Ben!'))
    const { text } = await maria.get('/leads/1/write?template=find-a-time')
    match(textOn(text), /^Hello Ben!\n\nHello Ben,\n\nI tried to call you[\s\S]*Maria Example$/)
    match(text, /name="subject" value="Evening classes"/)
    const part = await maria.get('/leads/1/write?template=find-a-time', { 'x-part': 'template' })
    deepEqual(Object.keys(JSON.parse(part.text)), ['text'])
  })
})
