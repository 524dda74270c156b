/**
 * People who have a phone number and no email address, or the other way around: entered, worked with, merged, erased.
 */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { strFromU8, unzipSync } from 'fflate'
import { DAY, MINUTE } from '../../src/platform/time.ts'
import { testClock } from '../support/clock.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

const NUMBER = '(512) 555-0188'
const ANA = { kind: 'student', firstName: 'Ana', lastName: 'Ruiz', phone: NUMBER, state: 'Texas', owner: '' }
const BEA = { kind: 'student', firstName: 'Bea', lastName: 'Silva', email: 'bea@mail.example', owner: '' }

/** A school whose manager enters people. */
async function aDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
  const jo = await service.client('manager', { email: 'jo@school.example', name: 'Jo Manager' })
  const add = async (fields: Record<string, string>) => {
    const once = fieldOn((await jo.get('/leads/add')).text, 'once')
    const added = await jo.post('/leads/add', { ...fields, once })
    await service.settle()
    return added
  }
  const page = async (path: string) => readable((await jo.get(path)).text)
  return { ...service, jo, add, page, store: service.app.store }
}

onEachEngine(engine => {
  test('a caller without an address becomes a lead, on every list, and emails say why they are not there', async t => {
    const { jo, add, page, store, sent } = await aDesk(t, engine)
    const added = await add(ANA)
    match(added.text, /Ana Ruiz is added/)
    equal((await jo.get(added.path)).path, '/leads/1', 'the page opens the lead by its number')
    const lead = await store.findLead(1)
    deepEqual([lead?.email, lead?.phoneE164], [null, '+15125550188'])
    const shown = await page('/leads/1')
    match(shown, /Call \(512\) 555-0188/)
    match(shown, /No email address yet: ask for it on the phone/)
    doesNotMatch((await jo.get('/leads/1')).text, /href="\/leads\/1\/write"|null|undefined|mailto/)
    match(
      await page('/leads/1/write'),
      /there is no email address yet; ask for it on the phone\. Once you have it, add it/,
    )
    for (const path of ['/today', '/inbox', '/board', '/inbox?stage=any&q=5125550188', '/inbox?stage=any&q=0188'])
      match(await page(path), /Ana Ruiz/, path)
    ok(sent.length > 0, 'the staff is notified')
    ok(sent.every(({ to, text }) => to.address.includes('@school.example') && !/null|undefined/.test(text)))
    match(sent.map(({ text }) => text).join(), /none yet: ask for it on the phone/)
    match((await jo.get('/export/leads.csv')).text, /Ana,Ruiz,,\(512\) 555-0188,\+15125550188/)
  })

  test('someone without an address and without a number is not added', async t => {
    const { add, store } = await aDesk(t, engine)
    const { phone: _, ...nothing } = ANA
    const refused = await add({ ...nothing, email: ' ', phone: '' })
    equal(refused.status, 422)
    match(refused.text, /id="email-problem">An email address or a phone number is required\./)
    equal(await store.findLead(1), undefined)
  })

  test('the same number again joins the open lead, as the same address does', async t => {
    const { add, store } = await aDesk(t, engine)
    await add(ANA)
    match(
      (await add({ ...ANA, phone: '+1 512 555 0188', message: 'And on weekends?' })).text,
      /has an open lead, which/,
    )
    await add({ ...ANA, firstName: 'Sam', phone: '512 555 0199' })
    deepEqual(
      (await store.listLeads({ limit: 9 })).map(({ firstName }) => firstName),
      ['Sam', 'Ana'],
    )
    equal((await store.readLead(1))?.submissions.length, 2)
  })

  test('what would be an email is skipped until someone adds the address, and then goes there', async t => {
    const { client, add, clock, settle, sent, database, store } = await aDesk(t, engine)
    await add({ ...ANA, mayWrite: 'on' })
    clock.advance(2 * DAY)
    await settle()
    const skipped = await sql(
      database,
      "select note from tasks where lane in ('mail', 'letters') and state = 'skipped'",
    )
    ok(skipped.length >= 2)
    ok(
      skipped.every(({ note }) => /there is no email address yet/.test(String(note))),
      JSON.stringify(skipped),
    )
    ok(sent.every(({ to }) => to.address.includes('@school.example')))
    sent.length = 0
    const maria = await client('counselor', { email: 'maria@school.example' })
    const { version } = await store.countHistory(1)
    const fields = { seen: String(version), email: 'ana@mail.example', phone: NUMBER, language: '' }
    match(readable((await maria.post('/leads/1/correct', fields)).text), /Corrected\. Email: none → ana@mail\.example/)
    match((await maria.get('/leads/1')).text, /href="\/leads\/1\/write"/)
    clock.advance(2 * DAY)
    await settle()
    ok(
      sent.some(({ to }) => to.address === 'ana@mail.example'),
      'the next email of the follow-up',
    )
    deepEqual(
      (await store.findLeadsOf('ana@mail.example')).map(({ id }) => id),
      [1],
    )
  })

  test('an address that was added by mistake is taken away again', async t => {
    const { jo, add, store } = await aDesk(t, engine)
    await add(ANA)
    const seen = async () => String((await store.countHistory(1)).version)
    const corrected = await jo.post('/leads/1/correct', { seen: await seen(), email: 'ana@x.example', phone: NUMBER })
    await jo.post('/leads/1/undo', { entry: fieldOn(corrected.text, 'entry') })
    equal((await store.findLead(1))?.email, null)
    deepEqual(
      (await store.findLeadsOf('+15125550188')).map(({ id }) => id),
      [1],
    )
    const neither = await jo.post('/leads/1/correct', { seen: await seen(), email: '', phone: '' })
    match(neither.text, /An email address or a phone number is required\./)
  })

  test('someone who then writes in with that number is offered for a merge, which gives the kept lead the address', async t => {
    const { add, postStudent, settle, page, store, clock } = await aDesk(t, engine)
    await add(ANA)
    clock.advance(MINUTE)
    await postStudent(ben({ firstName: 'Ana', lastName: 'Ruiz', email: 'ana@mail.example', phone: '512-555-0188' }))
    await settle()
    match(await page('/leads/1'), /Same phone number as Ana Ruiz, lead 2/)
    match(await page('/leads/2'), /Same phone number as Ana Ruiz, lead 1/)
    match(await page('/leads/1/merge?with=2'), /Not known yet/)
    const by = { actor: 'manager', now: clock.now() }
    equal((await store.mergeLeads(1, { other: 2, ...by })).outcome, 'done')
    equal((await store.findLead(1))?.email, 'ana@mail.example')
    await postStudent(ben({ firstName: 'Ana', lastName: 'Ruiz', email: 'ana@mail.example', message: 'Again' }))
    await settle()
    equal((await store.readLead(1))?.submissions.length, 3, 'what they write later joins it')
    equal((await store.unmergeLead(2, by)).outcome, 'done')
    deepEqual([(await store.findLead(1))?.email, (await store.findLead(2))?.email], [null, 'ana@mail.example'])
    equal((await store.mergeLeads(2, { other: 1, ...by })).outcome, 'done')
    await add({ ...ANA, message: 'And by phone' })
    equal((await store.readLead(2))?.submissions.length, 4, 'the number leads to the kept lead')
  })

  test('a person without an address is found, exported and erased by their number', async t => {
    const { jo, add, store, database } = await aDesk(t, engine)
    await add(ANA)
    await add({ ...ANA, firstName: 'Sam', phone: '512 555 0199' })
    const found = await jo.post('/privacy', { person: '512.555.0188' })
    equal(found.path, '/privacy/people/1', 'no URL holds the number')
    match(readable(found.text), /Phone \+15125550188/)
    doesNotMatch(found.text, /keyed hash/)
    const zip = await (await jo.fetch('/privacy/people/1/export.zip')).bytes()
    const files = unzipSync(zip)
    const { phone, leads } = JSON.parse(strFromU8(files['person.json'] as Uint8Array))
    deepEqual([phone, leads[0].phone], ['+15125550188', NUMBER])
    const wrong = await jo.post('/privacy/people/1/erase', { reason: 'asked', address: '512 555 0199' })
    match(wrong.text, /This is not the number above/)
    const erased = await jo.post('/privacy/people/1/erase', { reason: 'asked', address: NUMBER })
    match(erased.text, /Erased: 1 lead, 1 inquiry\./)
    equal(await store.findLead(1), undefined)
    ok(await store.findLead(2))
    deepEqual(await sql(database, 'select * from suppressions'), [], 'nothing of the number stays')
    match((await jo.post('/privacy', { person: NUMBER })).text, /Nothing is stored about this number\./)
    match((await jo.post('/privacy', { person: '0188' })).text, /Enter an email address such as/)
  })

  test('a number of several people leads to each of them', async t => {
    const { jo, add, postStudent, settle } = await aDesk(t, engine)
    await postStudent(ben({ phone: '512-555-0188' }))
    await settle()
    equal((await jo.get('/privacy')).text.split('id="person"').length, 2, 'the label leads to the field alone')
    match((await jo.post('/privacy', { person: NUMBER })).path, /people\/1$/, 'someone who has an address, too')
    await add(ANA)
    const both = readable((await jo.post('/privacy', { person: NUMBER })).text)
    match(both, /Several people gave this number/)
    match(both, /Ben Okafor, ben@mail\.example/)
    match(both, /Ana Ruiz, \+15125550188/)
  })

  test('two people must erase a person without an address, if the settings say so', async t => {
    const settings = { ...aSchool, privacy: { peopleToErase: 2 as const } }
    const service = await startConsole(t, { engine, settings, clock: testClock(MONDAY) })
    const jo = await service.client('manager', { email: 'jo@school.example', name: 'Jo Manager' })
    const lee = await service.client('admin', { email: 'lee@school.example', name: 'Lee Chan' })
    await jo.post('/leads/add', { ...ANA, once: fieldOn((await jo.get('/leads/add')).text, 'once') })
    await service.settle()
    await jo.post('/privacy/people/1/erase', { reason: 'asked', address: NUMBER })
    const request = await lee.get('/privacy/requests/1')
    match(readable(request.text), /Phone \+15125550188/)
    const done = await lee.post('/privacy/requests/1', { do: 'confirm', seen: fieldOn(request.text, 'seen') })
    match(done.text, /Erased: 1 lead, 1 inquiry\./)
    equal((await service.app.store.readErasureRequest(1))?.person, null)
  })

  test('a person without a number is a lead, and calls say why they are not there', async t => {
    const { jo, add, page, sent, store } = await aDesk(t, engine)
    await add(BEA)
    equal((await store.findLead(1))?.phone, null)
    match(await page('/leads/1'), /No phone number yet: ask for it by email/)
    doesNotMatch((await jo.get('/leads/1')).text, /tel:|null|undefined|wrong number/i)
    match(await page('/today'), /No phone number yet: ask for it by email/)
    match(sent.map(({ text }) => text).join(), /No phone number yet: ask for it by email/)
    ok(sent.every(({ text }) => !/null|undefined/.test(text)))
  })
})
