/** Privacy in the console: what is stored about a person, erasing them, and a second pair of eyes. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { strFromU8, unzipSync } from 'fflate'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import { addressHash } from '../../src/leads/body/email.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { aSite } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { countRows, type Engine, onEachEngine } from '../support/engines.ts'
import { asked } from '../support/store.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

const BEN = ben().email

/** A school where Ben has written twice, and Ana and Lee may erase people. */
async function aDesk(t: TestContext, engine: Engine, peopleToErase = 1) {
  const settings = { ...aSchool, privacy: { peopleToErase } }
  const service = await startConsole(t, { engine, settings, clock: testClock(MONDAY) })
  await service.postStudent(ben())
  await service.postStudent(ben({ message: 'And on weekends?' }))
  await service.postSite(aSite({ email: 'other@clinic.example' }, service.clock.now()))
  await service.settle()
  const ana = await service.client('manager', { email: 'ana@school.example', name: 'Ana Ruiz' })
  const lee = await service.client('admin', { email: 'lee@school.example', name: 'Lee Chan' })
  service.sent.length = 0
  return { ...service, ana, lee, store: service.app.store }
}

/** What the page of a request says that an erasure takes. */
const seenOn = (page: string): string => fieldOn(page, 'seen')

const ERASE = { reason: 'asked', address: BEN }

onEachEngine(engine => {
  test('a person is found by address, shown with what would be erased, and erased by typing the address', async t => {
    const { ana, store, sent, settle, clock } = await aDesk(t, engine)
    const found = await ana.post('/privacy', { person: ` ${BEN.toUpperCase()} ` })
    equal(found.path, '/privacy/people/1', 'no URL holds the address')
    match(found.text, /<h1>Ben Okafor/)
    match(found.text, /1 lead</)
    match(found.text, /2 inquiries with everything that was sent/)
    match(found.text, /of the follow-up, which will not go out/)
    match(found.text, /backups, until you delete them/)
    const wrong = await ana.post('/privacy/people/1/erase', { ...ERASE, address: 'sam@x.example' })
    equal(wrong.status, 422)
    match(wrong.text, /id="address-problem">This is not the address above/)
    ok(await store.findLead(1))

    const erased = await ana.post('/privacy/people/1/erase', ERASE)
    equal(erased.path, '/privacy')
    match(erased.text, /Erased: 1 lead, 2 inquiries\./)
    match(erased.text, /Ana Ruiz[\s\S]*The person asked for it/)
    doesNotMatch(erased.text, /Okafor|ben@mail/)
    equal(await store.findLead(1), undefined)
    const hash = addressHash(await store.getOrCreateSecret('addresses', 'kept before'), BEN)
    equal((await store.readSuppression([hash]))?.reason, 'unsubscribed')
    equal((await ana.get('/privacy/people/1')).status, 404)
    const gone = (await ana.post('/privacy', { person: BEN })).text
    match(gone, /id="person-problem">Erased on November 23, 2026\. We keep only a code made from the/)
    doesNotMatch(gone, /unsubscribed/)
    clock.advance(20 * DAY)
    await settle()
    ok(!sent.some(({ to, text }) => to.address === BEN || /Okafor/.test(text)))
    const log = await store.listAudit({ limit: 9 })
    deepEqual(
      log.map(({ action, detail }) => [action, detail]),
      [
        ['erased a person', 'the person asked for it'],
        ['opened', 'what is stored'],
      ],
    )
  })

  test('a person whose address was corrected is found by the address with which they wrote', async t => {
    const { ana, store, clock } = await aDesk(t, engine)
    const contact = { email: 'ben.okafor@mail.example', phone: '512-555-0142', phoneE164: '+15125550142' }
    await store.correctLead(1, { ...contact, again: [], actor: 'maria', now: clock.now() })
    const alone = (await ana.post('/privacy', { person: BEN.toUpperCase() })).text
    match(
      alone,
      /This address was corrected.*<a href="\/privacy\/people\/1">Ben Okafor, ben\.okafor@mail\.example<\/a>/s,
    )
    doesNotMatch((await ana.post('/privacy', { person: 'ben@okafor.example' })).text, /people\/1/)
    equal((await ana.post('/privacy', { person: contact.email })).path, '/privacy/people/1')
    await ana.post('/privacy/people/1/erase', { reason: 'asked', address: contact.email })
    equal(await store.findLead(1), undefined)
    match((await ana.post('/privacy', { person: BEN })).text, /Nothing is stored about this address/)
  })

  test('everything about a person is exported as a page and as JSON, with what was left out', async t => {
    const { ana, store, clock, postStudent, settle } = await aDesk(t, engine)
    await postStudent(ben({ message: '<script>alert(1)</script> & "weekends"' }))
    await settle()
    const note = 'Kept: he asked for a refund'
    await store.addNote(1, { text: 'Likes to weld', actor: 'maria', now: clock.now() })
    await store.holdLead(1, { reason: 'Refund', until: null, actor: 'maria', note, now: clock.now() })
    const plan = { dueAt: clock.now() + DAY, words: 'Asks about the refund', moment: 'Tomorrow', reminders: [] }
    await store.planCallback(1, { ...plan, actor: 'maria', now: clock.now() })
    const response = await ana.fetch('/privacy/people/1/export.zip')
    equal(response.headers.get('content-type'), 'application/zip')
    match(response.headers.get('content-disposition') ?? '', /filename="person-1-2026-\d\d-\d\d\.zip"/)
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
    deepEqual(Object.keys(files), ['person.html', 'person.json'])
    const [page, json] = ['person.html', 'person.json'].map(name => strFromU8(files[name] ?? new Uint8Array()))
    const data = JSON.parse(json ?? '')
    deepEqual(
      data.inquiries.map(({ body }: { body: { message: string } }) => body.message),
      [ben().message, 'And on weekends?', '<script>alert(1)</script> & "weekends"'],
    )
    deepEqual([data.leads[0].email, data.leads[0].hold.reason], [BEN, 'Refund'])
    match(data.leads[0].createdAt, /^2026-.*Z$/)
    deepEqual(
      data.callbacks.map(({ dueAt, words }: { dueAt: string; words: string }) => [dueAt, words]),
      [[new Date(plan.dueAt).toISOString(), plan.words]],
    )
    match(page ?? '', /Calls that someone promised[\s\S]*Asks about the refund/)
    ok(data.timeline.some(({ detail }: { detail: string }) => detail === 'Likes to weld'))
    ok(data.emails.every(({ to }: { to: string }) => to === BEN))
    match(data.emails[0].text, /We have your inquiry/)
    match(JSON.stringify(data.looks), /exported everything of/)
    equal(data.leftOut.length > 3, true)
    match(page ?? '', /Likes to weld/)
    match(page ?? '', /&lt;script&gt;alert\(1\)/)
    doesNotMatch(page ?? '', /<script/)
    match(page ?? '', /What was left out, and why/)
    match(page ?? '', /As of Monday, November 23, 2026 at \d+:\d\d [AP]M E[SD]T\./)
    match(page ?? '', /<dt>Counselor<\/dt><dd[^>]*>Maria Example<\/dd>/)
    match(page ?? '', /<dt>Stage<\/dt><dd[^>]*>New<\/dd>/)
    match(page ?? '', /<dt>What<\/dt><dd[^>]*>Wrote in<\/dd>/)
    match(page ?? '', /<dt>By<\/dt><dd[^>]*>Maria Example<\/dd><dt>Words<\/dt><dd[^>]*>Likes to weld/)
    match(page ?? '', /<dt>Start<\/dt><dd[^>]*>Within three months<\/dd>/)
    match(page ?? '', /<dt>What<\/dt><dd[^>]*>Exported everything of lead 1<\/dd>/)
    doesNotMatch(page ?? '', /E164|submission<|notify|Idempotency|Labels|>(maria|200|true)<|\dZ<|UTC/)
    doesNotMatch((json ?? '') + page, /clinic\.example/, 'and no one else')
    const [last] = await store.listAudit({ limit: 1 })
    deepEqual([last?.action, last?.leadId], ['exported everything of', 1])
  })

  test('a lead that will be erased is listed, and kept longer for a reason until a day', async t => {
    const { client, store, clock, settle } = await aDesk(t, engine)
    const closed = { stage: 'closed', closedReason: 'not interested', actor: 'maria' } as const
    await store.changeStage(1, { ...closed, now: clock.now() })
    // Over a weekend, the steps of the closed lead wait for the school to open.
    for (const days of [18, 2, 2]) {
      clock.advance(days * DAY)
      await settle()
    }
    const now = clock.now()
    const ana = await client('manager', { name: 'Kim Day' })
    match(
      (await ana.get('/privacy')).text,
      /Nothing is erased automatically\. To change that, ask the person who runs Frontdesk \(setting\s<code>privacy\.closedLeadMonths<\/code>\)/,
    )
    const rule = { eraseAt: now + 30 * DAY, closedBefore: now + DAY, enrolledBefore: null }
    await store.planErasures(rule, { after: 0, limit: 9, now })
    const { text } = await ana.get('/privacy/planned')
    match(text, /Ben Okafor/)
    match((await ana.get('/privacy')).text, /1 lead will be erased on/)
    const past = await ana.post('/leads/1/keep', { reason: 'A refund', until: '2020-01-01' })
    match(past.text, /id="until-problem">Choose a day in the future/)
    const kept = await ana.post('/leads/1/keep', { reason: 'A refund', until: '2029-12-24' })
    match(kept.text, /Kept until December 24, 2029/)
    match(kept.text, /Kept from being erased until December 24, 2029: A refund/)
    match((await ana.get('/privacy/planned')).text, /Nothing will be erased/)
    const before = await store.planErasures(rule, { after: 0, limit: 9, now })
    deepEqual([before, await store.countPlanned()], [undefined, []])
    await ana.post('/leads/1/keep', { do: 'end' })
    equal(await store.readHold(1), undefined)
  })

  test('an address that no one wrote from, and a text that is not an address, are rejected at the field', async t => {
    const { ana } = await aDesk(t, engine)
    const none = await ana.post('/privacy', { person: 'no.one@mail.example' })
    equal(none.status, 422)
    match(none.text, /id="person-problem">Nothing is stored about this address\./)
    match((await ana.post('/privacy', { person: 'ben' })).text, /Enter an email address/)
  })

  test('an address that only has a suppression left says why and how long it is suppressed', async t => {
    const { ana, store, clock } = await aDesk(t, engine)
    const secret = await store.getOrCreateSecret('addresses', 'kept before')
    const now = clock.now()
    const stop = { addressHash: addressHash(secret, BEN), reason: 'unsubscribed', now } as const
    await store.stopFollowUpEmails(1, stop)
    clock.advance(HOUR)
    await store.erasePerson(BEN, {
      askedBy: 'Ana Ruiz',
      reason: 'not needed',
      addressHash: undefined,
      now: clock.now(),
    })
    const { text } = await ana.post('/privacy', { person: BEN })
    match(text, /Nothing is stored about this address, except a code/)
    match(text, /no follow-up emails: they unsubscribed on November 23, 2026\./)
  })

  test('an address of an uploaded list or of waiting mail alone is found, with what is stored, and erased', async t => {
    const { ana, store, clock } = await aDesk(t, engine)
    const now = clock.now()
    const bytes = Buffer.from('Name,Email\nCy,cy@mail.example\nBo,bo@mail.example')
    await storeList(store, { bytes, fileName: 'a.csv', by: 'Jo', now })
    const mail = { sender: 'cy@mail.example', subject: 'Hi', text: 'Cy', attachments: [] }
    await store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
    const stray = { mail, morning: { day: 20270101, at: now + DAY } }
    const at = { mailbox: 'inbox', uidValidity: '1', uid: 1 }
    await store.recordInbound({ ...at, effect: null, stray }, now)
    const found = await ana.post('/privacy', { person: 'Cy@mail.example' })
    match(found.text, /but still holds 1 row of uploaded lists and 1 email from this address, not yet/)
    doesNotMatch(found.text, /Nothing is stored/)
    const erased = await ana.post('/privacy/traces', { person: 'cy@mail.example' })
    match(erased.text, /Erased: 1 row of uploaded lists and 1 email/)
    match((await ana.post('/privacy', { person: 'cy@mail.example' })).text, /Nothing is stored/)
    match((await ana.post('/privacy', { person: 'bo@mail.example' })).text, /but still holds 1 row of uploaded/)
    const [row] = await store.listErasures({ limit: 9 })
    deepEqual([row?.asked_by, row?.people, row?.leads, row?.messages], ['Ana Ruiz', 1, 0, 1])
    const wrong = await ana.post('/privacy/traces', { person: BEN })
    equal(wrong.path, '/privacy/people/1', 'a person with a lead is erased on their page')
  })

  test('the export of a merged person shows each of their leads once, and rows of lists', async t => {
    const { ana, store, clock, postStudent, settle } = await aDesk(t, engine)
    const home = 'okafor@home.example'
    await postStudent(ben({ email: home, phone: '512 555 0177' }))
    await settle()
    const other = (await store.findLeadsOf(home))[0]?.id ?? 0
    const { text } = await ana.get(`/leads/1/merge?with=${other}`)
    const names = ['with', 'keep', 'seen', 'seenOther']
    const fields = Object.fromEntries(names.map(name => [name, fieldOn(text, name)]))
    await ana.post('/leads/1/merge', { ...fields, keep: '1' })
    const bytes = Buffer.from(`Name,Email\nBen,${home}`)
    await storeList(store, { bytes, fileName: 'a.csv', by: 'Jo', now: clock.now() })
    match((await ana.get('/privacy/people/1')).text, /<dt>Email<\/dt><dd>ben@mail\.example/)
    const response = await ana.fetch('/privacy/people/1/export.zip')
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
    const data = JSON.parse(strFromU8(files['person.json'] ?? new Uint8Array()))
    deepEqual(data.leads.map(({ id, email }: { id: number; email: string }) => [id, email]).sort(), [
      [1, BEN],
      [other, home],
    ])
    deepEqual(data.other[0].cells, ['Ben', home])
  })

  test('the page of a lead says that it was unmerged from one that is erased, and no longer whose that was', async t => {
    const { ana, store, clock, postStudent, settle } = await aDesk(t, engine)
    await postStudent(ben({ firstName: 'Bea', email: 'bea@home.example', phone: '512 555 0177' }))
    await settle()
    const other = (await store.findLeadsOf('bea@home.example'))[0]?.id ?? 0
    const by = { actor: 'maria', now: clock.now() }
    await store.mergeLeads(1, { other, ...by })
    await store.unmergeLead(other, by)
    const before = await ana.get('/leads/1')
    match(before.text, /Unmerged from lead \d+ \(Bea Okafor/i)
    ok(before.text.includes(`href="/leads/${other}"`))
    await store.erasePerson('bea@home.example', { ...asked, addressHash: undefined, ...by })
    const { text } = await ana.get('/leads/1')
    match(text, new RegExp(`Unmerged from lead ${other} \\(erased\\)`, 'i'))
    doesNotMatch(text, /Bea|bea@home|0177/)
    ok(!text.includes(`href="/leads/${other}"`))
  })

  test('where two people are needed, another one confirms, and the one who asked learns of it', async t => {
    const { ana, lee, store, sent, settle, postStudent } = await aDesk(t, engine, 2)
    const asked = await ana.post('/privacy/people/1/erase', ERASE)
    equal(asked.path, '/privacy/requests/1')
    match(asked.text, /Requested\. Nothing is erased until another person confirms\./)
    match(asked.text, /Withdraw the request/)
    doesNotMatch(asked.text, /value="confirm"/)
    const twice = await lee.post('/privacy/people/1/erase', ERASE)
    match(twice.text, /Someone has asked for this already/)
    await settle()
    deepEqual(
      sent.map(({ to, subject }) => [to.address, subject]),
      [['lee@school.example', 'Ana Ruiz asks to erase a person']],
    )
    match(sent[0]?.text ?? '', /\/privacy\/requests\/1/)
    doesNotMatch(sent[0]?.text ?? '', /Okafor|ben@mail/)

    equal((await ana.post('/privacy/requests/1', { do: 'confirm' })).status, 409)
    ok(await store.findLead(1))
    match((await lee.get('/privacy')).text, /Ana Ruiz asks to erase a person/)
    const page = await lee.get('/privacy/requests/1')
    match(page.text, /Confirm: erase this person/)
    match(page.text, /ben@mail\.example/)
    const seen = seenOn(page.text)
    await postStudent(ben({ message: 'One more thing.' }))
    await settle()
    const stale = await lee.post('/privacy/requests/1', { do: 'confirm', seen })
    match(stale.text, /Nothing is erased yet: what is stored about this person has changed/)
    for (const forged of [{ do: 'confirm' }, { do: 'confirm', seen: '1' }])
      match((await lee.post('/privacy/requests/1', forged)).text, /Nothing is erased yet/)
    ok(await store.findLead(1))
    sent.length = 0
    const looked = seenOn((await lee.get('/privacy/requests/1')).text)
    const done = await lee.post('/privacy/requests/1', { do: 'confirm', seen: looked })
    match(done.text, /Erased: 1 lead, 3 inquiries\./)
    match(done.text, /Ana Ruiz<br><span class="quiet small">confirmed by Lee Chan/)
    equal(await store.findLead(1), undefined)
    sent.length = 0
    await settle()
    deepEqual(
      sent.map(({ to, subject }) => [to.address, subject]),
      [['ana@school.example', 'The person was erased, as you asked']],
    )
    match((await ana.get('/privacy/requests/1')).text, /The person was erased on [^.]*Lee Chan/)
    match((await lee.post('/privacy/requests/1', { do: 'confirm' })).text, /is no longer open/)
    equal((await store.listErasures({ limit: 9 })).length, 1)
  })

  test('no one confirms with a second account: neither an operator that the other one invited, nor one who came after the request', async t => {
    const desk = await aDesk(t, engine, 2)
    const { ana, lee, client, store, sent, settle, clock } = desk
    const kim = await client()
    await lee.post('/operators', { name: 'Kim Day', email: 'kim@x.example', role: 'manager' })
    await settle()
    const [, link = ''] = /(\/welcome\/[\w.-]+)/.exec(sent.at(-1)?.text ?? '') ?? []
    await kim.post(link, { password: 'correct horse battery' })
    clock.advance(HOUR)
    sent.length = 0

    await lee.post('/privacy/people/1/erase', ERASE)
    await settle()
    const [asked] = sent.filter(({ id }) => id.startsWith('erasure'))
    equal(asked?.to.address, 'ana@school.example', 'only the person who may confirm is notified')
    equal(sent.filter(({ id }) => id.startsWith('erasure')).length, 1)
    clock.advance(1)
    const late = await client('admin', { name: 'Max Late' })
    for (const [one, why] of [
      [kim, /One of you two invited the other/],
      [late, /You became an operator after this request/],
      [lee, /You made this request/],
    ] as const) {
      const page = (await one.get('/privacy/requests/1')).text
      match(page, why)
      doesNotMatch(page, /value="confirm"/)
      const forced = await one.post('/privacy/requests/1', { do: 'confirm', seen: '1-2' })
      equal(forced.status, 409)
      match(forced.text, why)
    }
    await lee.post('/privacy/requests/1', { do: 'decline' })
    await kim.post('/privacy/people/1/erase', ERASE)
    const reversed = await lee.post('/privacy/requests/2', { do: 'confirm', seen: '1-2' })
    match(reversed.text, /One of you two invited the other/)
    ok(await store.findLead(1))
    const seen = seenOn((await ana.get('/privacy/requests/2')).text)
    match((await ana.post('/privacy/requests/2', { do: 'confirm', seen })).text, /Erased: 1 lead/)
  })

  test('a request that no one may confirm says so, and what to do', async t => {
    const { ana, lee, store, clock } = await aDesk(t, engine, 2)
    await store.disableOperator(ana.operator, { now: clock.now(), audit: [] })
    const { text } = await lee.post('/privacy/people/1/erase', ERASE)
    match(text, /No one can confirm this\.[\s\S]*neither of the two may have invited the other/)
  })

  test('a request is refused by another, or withdrawn by the one who asked, and nothing is erased', async t => {
    const { ana, lee, store, sent, settle } = await aDesk(t, engine, 2)
    await ana.post('/privacy/people/1/erase', ERASE)
    match((await lee.post('/privacy/requests/1', { do: 'decline' })).text, /request is refused/)
    await settle()
    deepEqual(
      sent.map(({ to, subject }) => [to.address, subject]),
      [['ana@school.example', 'Lee Chan refused to erase a person']],
      'and Lee gets no email about what Lee has decided',
    )
    await ana.post('/privacy/people/1/erase', ERASE)
    match((await ana.post('/privacy/requests/2', { do: 'decline' })).text, /request is withdrawn/)
    ok(await store.findLead(1))
    deepEqual(await store.listErasureRequests(), [])
    equal((await store.readErasureRequest(2))?.person, null)
  })

  test('a request that no one answers ends after a week, with a word to the one who asked', async t => {
    const { ana, client, store, sent, settle, clock } = await aDesk(t, engine, 2)
    await ana.post('/privacy/people/1/erase', ERASE)
    clock.advance(7 * DAY - HOUR)
    equal(await store.expireErasureRequests(clock.now()), 0)
    clock.advance(HOUR)
    const kim = await client('admin', { name: 'Kim Day' })
    match((await kim.post('/privacy/requests/1', { do: 'confirm' })).text, /is no longer open/)
    equal(await store.expireErasureRequests(clock.now()), 1)
    equal(await store.expireErasureRequests(clock.now()), 0)
    await settle()
    const words = sent.filter(({ to }) => to.address === 'ana@school.example')
    deepEqual(
      words.map(({ subject }) => subject),
      ['No one confirmed in time: the person was not erased'],
    )
    ok(await store.findLead(1))
    match((await kim.get('/privacy/requests/1')).text, /No one confirmed or refused by/)
  })

  test('a person who has only quarantined inquiries is found and erased, too', async t => {
    const { ana, postSite, settle, clock, database, store } = await aDesk(t, engine)
    const trapped = aSite({ email: 'trap@clinic.example', website: 'https://x.example' }, clock.now())
    await postSite(trapped)
    await settle()
    const found = await ana.post('/privacy', { person: 'trap@clinic.example' })
    match(found.text, /1 entry in quarantine/)
    const address = 'trap@clinic.example'
    await ana.post(`${found.path}/erase`, { reason: 'not needed', address })
    equal(await countRows(database, 'quarantine'), 0)
    equal((await store.listErasures({ limit: 1 }))[0]?.reason, 'not needed')
  })

  test('the register is a CSV file without a name or address of those who were erased', async t => {
    const { ana, store } = await aDesk(t, engine)
    await ana.post('/privacy/people/1/erase', ERASE)
    const file = await ana.get('/privacy/register.csv')
    equal(file.headers.get('content-type'), 'text/csv; charset=utf-8')
    const [header, row, end] = file.text.replace('\ufeff', '').split('\n')
    equal(header, 'at,asked_by,confirmed_by,reason,people,leads,submissions,messages')
    match(row ?? '', /^2026-\d\d-\d\dT[^,]*,Ana Ruiz,,the person asked for it,1,1,2,\d+$/)
    equal(end, '')
    equal((await store.listAudit({ limit: 1 }))[0]?.action, 'exported the register of erasures')
  })
})
