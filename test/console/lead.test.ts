/** The page of a lead: what it shows, what its buttons do, and who may press them. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { addressHash } from '../../src/leads/body/email.ts'
import { MailDeferred } from '../../src/mail/transport/mailer.ts'
import { HOUR, SECOND } from '../../src/platform/time.ts'
import { aSite } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, fieldOn, startConsole } from '../support/console.ts'
import { readable } from '../support/forms.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

const MARIA = { email: 'maria@school.example', name: 'Maria Example' }

/** A school to which Ben has written twice; Maria has the lead. */
async function aDesk(t: TestContext) {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  await service.postStudent(ben({ message: 'How long is the course?' }))
  await service.settle()
  service.clock.advance(10 * 60 * SECOND)
  await service.settle()
  const again = { message: 'And what does it cost?', phone: '512 555 0177' }
  await service.postStudent(ben({ ...again, idempotencyKey: 'the second inquiry' }))
  await service.settle()
  const maria = await service.client('counselor', MARIA)
  const lead = async () => (await service.app.store.readLead(1))?.lead
  return { ...service, maria, lead }
}

const seenOn = async (client: ConsoleClient) => fieldOn((await client.get('/leads/1')).text, 'seen')

const undo = (client: ConsoleClient, text: string) =>
  client.post('/leads/1/undo', { entry: fieldOn(text.slice(text.indexOf('class="flash"')), 'entry') })

test('the page of a lead shows what you need before a call, and a further inquiry as a difference', async t => {
  const { maria } = await aDesk(t)
  const { text } = await maria.get('/leads/1')
  match(text, /<h1>Ben Okafor<\/h1>/)
  match(text, /Waiting 10 minutes/)
  match(text, /10:40 AM<\/strong> where they are \(by area code 512\), call until 8:00\sPM/)
  match(text, /Call <span class="number">\(512\) 555-0199</)
  match(text, /They also gave <a href="tel:\+15125550177">\(512\) 555-0177<\/a>, Monday/)
  match(text, /What they wrote \(2 inquiries\)/)
  match(text, /And what does it cost\?/)
  match(text, /\(512\) 555-0177 <span class="quiet">\(before: /)
  match(text, /How long is the course\?/)
  match(text, /What happens next/)
  match(text, /Reminder to Maria Example sent/)
  match(text, /Stage <strong>New<\/strong>/)
})

test('a number that came as digits alone is shown as people read it, on the page of the lead and in Today', async t => {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  await service.postStudent(ben({ phone: '5125550199' }))
  await service.settle()
  const maria = await service.client('counselor', MARIA)
  match((await maria.get('/leads/1')).text, /href="tel:\+15125550199">Call <span class="number">\(512\) 555-0199</)
  match((await maria.get('/today')).text, /href="tel:\+15125550199"[^>]*>Call \(512\) 555-0199</)
})

test('the outcome of a call saves the note that was typed during it, and says what follows', async t => {
  const { maria, lead } = await aDesk(t)
  const press = (outcome: string, note = '') => maria.post('/leads/1', { do: outcome, note })
  match((await maria.get('/leads/1')).text, /<button class="secondary" form="call-form" name="do" value="reached"/)
  match((await press('voicemail', 'Asked to call back')).text, /left a voicemail[\s\S]*Asked to call back/i)
  match((await press('busy')).text, /the line of Ben Okafor was busy/)
  const wrong = await press('wrong number')
  match(
    wrong.text,
    /\(512\) 555-0199 is a wrong number\.<\/strong> <a href="\/leads\/1\/write">Ask for another by email/,
  )
  match((await undo(maria, wrong.text)).text, /Undone: wrong number/)
  doesNotMatch((await maria.get('/leads/1')).text, /is a wrong number/)
  const tooLong = await press('reached', 'x'.repeat(1501))
  match(tooLong.text, /The note must have at most 1500 characters[\s\S]*x{1501}/)
  equal((await lead())?.stage, 'new')
  match((await press('reached', 'Comes on Friday')).text, /was reached\.[\s\S]*The note is saved[\s\S]*Comes on Friday/)
  equal((await lead())?.stage, 'contacted')
  match((await press('reached')).text, /Nothing changed/)
  match((await press('reached', 'And on Monday')).text, /you spoke with Ben Okafor[\s\S]*And on Monday/)
})

test('the outcome of a call on a list saves the note, too', async t => {
  const { maria } = await aDesk(t)
  match((await maria.get('/today')).text, /value="voicemail:1"/)
  const said = await maria.post('/inbox/actions', { do: 'voicemail:1', note: 'Her sister answered', back: '/today' })
  match(said.text, /Ben Okafor: left a voicemail/)
  match((await maria.get('/leads/1')).text, /Her sister answered/)
  const tooLong = { do: 'busy:1', note: 'x'.repeat(1501), back: '/today' }
  match((await maria.post('/inbox/actions', tooLong)).text, /at most 1500 characters/)
})

test('the buttons of a lead act, say so, and can be undone', async t => {
  const { maria, lead, app } = await aDesk(t)
  const reached = await maria.post('/leads/1', { do: 'reached', seen: await seenOn(maria) })
  match(reached.text, /Ben Okafor was reached/)
  equal((await lead())?.stage, 'contacted')
  match((await undo(maria, reached.text)).text, /Undone/)
  equal((await lead())?.stage, 'new')

  const note = await maria.post('/leads/1', { do: 'note', note: 'Prefers mornings' })
  match(note.text, /Note saved\. If you called, record the outcome of the call, too\.[\s\S]*Prefers mornings/)
  match((await undo(maria, note.text)).text, /note \(undone\)/i)

  match((await maria.post('/leads/1', { do: 'pause' })).text, /is paused/)
  ok((await lead())?.pausedAt)
  match((await maria.post('/leads/1', { do: 'resume' })).text, /has resumed/)
  match((await maria.post('/leads/1', { do: 'no answer' })).text, /no answer from Ben/)
  ok((await lead())?.firstAttemptAt)

  const [step] = (await app.store.readFollowUp(1))?.steps.filter(one => one.state === 'due') ?? []
  const skipped = await maria.post('/leads/1', { do: 'skip', step: String(step?.step) })
  match(skipped.text, /Skipped/)
  match((await undo(maria, skipped.text)).text, /Undone/)
  const due = (await app.store.readFollowUp(1))?.steps.find(one => one.step === step?.step)
  equal(due?.state, 'due')
  equal(due?.dueAt, step?.dueAt)

  match((await maria.post('/leads/1', { do: 'close', reason: '' })).text, /Choose why/)
  match((await maria.post('/leads/1', { do: 'close', reason: 'not eligible' })).text, /Closed: not/)
  match((await maria.post('/leads/1', { do: 'stage', stage: '' })).text, /Choose a stage\./)
  match((await maria.post('/leads/1', { do: 'stage', stage: 'new' })).text, /is now new/)

  // The lead is not hers anymore, but what she just did is hers to undo.
  const assigned = await maria.post('/leads/1', { do: 'assign', counselor: 'sam' })
  equal(assigned.path, '/inbox')
  match(assigned.text, /Assigned to Sam/)
  equal((await lead())?.owner, 'sam')
  equal((await maria.post('/leads/1/undo', { entry: '1' })).status, 404)
  equal((await undo(maria, assigned.text)).path, '/leads/1')
  equal((await lead())?.owner, 'maria')
})

test('two people who change a lead at once see each other, and what was typed stays', async t => {
  const { maria, client, lead } = await aDesk(t)
  const dana = await client('manager', { name: 'Dana Example', email: 'dana@school.example' })
  const seen = await seenOn(dana)
  await maria.post('/leads/1', { do: 'reached' })
  const stale = await dana.post('/leads/1', { do: 'close', reason: 'spam', note: 'An agency', seen })
  equal(stale.status, 409)
  match(stale.text, /changed while you had it open[\s\S]*Maria Example: reached/)
  match(stale.text, /<textarea id="note"[^>]*>An agency</)
  equal((await lead())?.stage, 'contacted')
  const now = fieldOn(stale.text, 'seen')
  match((await dana.post('/leads/1', { do: 'close', reason: 'spam', seen: now })).text, /Closed: spam/)
})

test('of two people who act at the same moment, one is told of the other', async t => {
  const { maria, client } = await aDesk(t)
  const dana = await client('manager', { name: 'Dana Example', email: 'dana@school.example' })
  const seen = await seenOn(dana)
  const answers = await Promise.all([
    maria.post('/leads/1', { do: 'close', reason: 'duplicate', seen }),
    dana.post('/leads/1', { do: 'close', reason: 'spam', seen }),
  ])
  deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
  const typed = { email: 'x@mail.example', phone: '512-555-0199' }
  const stale = [maria, dana].map(one => one.post('/leads/1/correct', { ...typed, seen }))
  deepEqual((await Promise.all(stale)).map(({ status }) => status).toSorted(), [200, 422])
})

test('a counselor writes to the person, from a template, with a preview', async t => {
  const { maria, sent, settle, clock } = await aDesk(t)
  const form = (await maria.get('/leads/1/write')).text
  match(form, /value="Re: Thank you for your interest/)
  const once = fieldOn(form, 'once')
  const filled = await maria.get('/leads/1/write?template=find-a-time')
  match(filled.text, /Hello Ben,[\s\S]*Maria Example<\/textarea>/)
  const draft = { subject: 'Re: AW: Thank you', text: 'Come on Friday!', once }
  const shown = await maria.post('/leads/1/preview', draft)
  match(shown.text, /<strong>From:<\/strong> Maria Example, .*<strong>Subject:<\/strong> Re: AW: Thank you/)
  match(shown.text, /<body[^>]*>[\s\S]*Come on Friday!<\/p>/)
  match(shown.headers.get('content-security-policy') ?? '', /frame-ancestors 'self'; sandbox$/)
  match((await maria.post('/leads/1/preview', { ...draft, text: '' })).text, /must not be empty/)
  equal((await maria.post('/leads/1/write', { do: 'send', ...draft, text: ' ' })).status, 422)
  const done = await maria.post('/leads/1/write', { do: 'send', ...draft })
  match(done.text, /goes out in ten seconds/)
  await maria.post('/leads/1/write', { do: 'send', ...draft })
  const written = () => sent.filter(({ id }) => id.startsWith('message'))
  await settle()
  equal(written().length, 0)
  clock.advance(10 * SECOND)
  await settle()
  equal(written().length, 1)
  const [message] = written()
  match(message?.text ?? '', /^Come on Friday!/)
  ok(message?.answers?.startsWith('receipt.'))
  match((await maria.get('/leads/1')).text, /Come on Friday!<\/blockquote><p class="delivery">Sent/)
  match((await maria.get('/leads/1/write')).text, /name="subject" value="Re: Thank you"/)
})

test('a message can be taken back while it waits, and says why it was not sent', async t => {
  const { maria, client, settle, clock, sent, app } = await aDesk(t)
  const later = { subject: 'Hello', text: 'Hello', once: 'one', day: '2026-11-24', time: '10:00' }
  const done = await maria.post('/leads/1/write', { do: 'send', ...later })
  match(done.text, /goes out on Tuesday[\s\S]*Will be sent tomorrow/i)
  match((await undo(maria, done.text)).text, /Canceled/)
  await maria.post('/leads/1/write', { do: 'send', ...later, once: 'two' })
  const closed = { stage: 'closed', closedReason: 'duplicate', actor: 'maria' } as const
  await app.store.changeStage(1, { ...closed, now: clock.now() })
  clock.advance(24 * HOUR)
  await settle()
  equal(sent.filter(({ id }) => id.startsWith('message')).length, 0)
  const told = sent.findLast(({ to }) => to.address === MARIA.email)
  equal(told?.subject, 'Ben Okafor: your email was not sent')
  match(told?.text ?? '', /"Hello" was not sent[\s\S]*the lead is closed: duplicate/i)
  const [unsent] = await app.store.listUnsentMessages({ actor: 'maria', now: clock.now() })
  const by = { actor: 'maria', now: clock.now(), audit: [] }
  await app.store.acknowledgeUnsent(unsent?.task ?? 0, { ...by, actor: 'sam' })
  equal((await app.store.listUnsentMessages(by))[0]?.note, 'the lead is closed: duplicate')
  await app.store.acknowledgeUnsent(unsent?.task ?? 0, by)
  deepEqual(await app.store.listUnsentMessages(by), [])
  // Maria's session is over by now.
  const dana = await client('manager')
  match((await dana.get('/leads/1')).text, /Not sent: the lead is closed: duplicate/)
  match((await dana.get('/leads/1/write')).text, /You cannot write to Ben Okafor from here/)
})

test('an author reads in Today that an email has waited for an hour, until it is sent', async t => {
  let failure: Error | undefined = new MailDeferred('The mailbox of the person is full (452 4.2.2)')
  const service = await startConsole(t, {
    settings: aSchool,
    clock: testClock(MONDAY),
    mail: async ({ id }) => {
      if (failure && id.startsWith('message')) throw failure
    },
  })
  await service.postStudent(ben())
  await service.settle()
  const maria = await service.client('counselor', MARIA)
  await maria.post('/leads/1/write', { do: 'send', subject: 'Friday', text: 'Come on Friday!', once: 'a' })
  const today = async () => readable((await maria.get('/today')).text)
  for (let minutes = 0; minutes <= 65; minutes += 5) {
    await service.settle()
    if (minutes === 55) doesNotMatch(await today(), /has not been sent yet/)
    service.clock.advance(5 * 60 * SECOND)
  }
  match(
    await today(),
    /Your email “Friday” to Ben Okafor has not been sent yet: The mailbox of the person is full \(452 4\.2\.2\)\. It has been tried since today, 11:35\sAM/,
  )
  failure = undefined
  service.clock.advance(HOUR)
  await service.settle()
  doesNotMatch(await today(), /has not been sent/)
})

test('an email for a day far away says that the person waits for an answer until then', async t => {
  const { maria } = await aDesk(t)
  const later = { subject: 'Hello', text: 'Hello', time: '10:00' }
  const far = await maria.post('/leads/1/write', { do: 'send', ...later, once: 'one', day: '2026-11-30' })
  match(far.text, /goes out on Monday[^<]*Until then, they still wait for an answer\./)
  const soon = await maria.post('/leads/1/write', { do: 'send', ...later, once: 'two', day: '2026-11-25' })
  match(soon.text, /goes out on Wednesday/)
  doesNotMatch(soon.text, /wait for an answer/)
})

test('after undoing a stage, the timeline says that the lead is reached again', async t => {
  const { maria } = await aDesk(t)
  await maria.post('/leads/1', { do: 'reached', seen: await seenOn(maria) })
  const seen = await seenOn(maria)
  const done = await maria.post('/leads/1', { do: 'stage', stage: 'qualified', seen })
  const { text } = await undo(maria, done.text)
  match(text, /undone: reached again/i)
  doesNotMatch(text, /contacted again/i)
})

test('a counselor sees no lead of another, and a viewer changes nothing', async t => {
  const { client, lead } = await aDesk(t)
  const sam = await client('counselor', { email: 'sam@school.example' })
  equal((await sam.get('/leads/1')).status, 404)
  equal((await sam.post('/leads/1', { do: 'reached' })).status, 404)
  equal((await sam.get('/leads/1/write')).status, 404)
  const viewer = await client('viewer')
  const { text } = await viewer.get('/leads/1')
  ok(!text.includes('value="reached"'))
  equal((await viewer.post('/leads/1', { do: 'reached' })).status, 403)
  equal((await lead())?.stage, 'new')
  equal((await viewer.get('/leads/99')).status, 404)
})

test('a counselor corrects a mistyped address and number, and undoes it', async t => {
  const { maria, client, lead, settle, sent, app } = await aDesk(t)
  const page = (await maria.get('/leads/1')).text
  match(page, /href="\/leads\/1\/correct">Correct</)
  const form = (await maria.get('/leads/1/correct')).text
  match(form, /name="email" type="email" value="ben@mail.example"/)
  match(form, /name="again" value="\d+">[^<]*<label[^>]*>[^<]+<span class="quiet">, which was sent/)
  const again = fieldOn(form, 'again')
  const typed = { email: 'ben@right.example', phone: '512 555 0100' }
  const wrong = await maria.post('/leads/1/correct', { ...typed, phone: '12' })
  equal(wrong.status, 422)
  match(wrong.text, /The phone number must contain 10 to 15 digits \(it has 2\)\./)
  match(wrong.text, /value="ben@right\.example"/)
  const done = await maria.post('/leads/1/correct', { ...typed, again })
  match(done.text, /ben@mail\.example → ben@right\.example/)
  match(done.text, /Contact data corrected/)
  doesNotMatch(done.text, /also <a href="tel:\+15125550199">/)
  await settle()
  equal(sent.filter(({ to }) => to.address === 'ben@right.example').length, 1)
  const logged = await app.store.listAudit({ limit: 10, leadId: 1 })
  equal(logged.find(({ action }) => action === 'corrected')?.detail, 'email, phone')
  match((await undo(maria, done.text)).text, /Undone/)
  equal((await lead())?.email, 'ben@mail.example')

  const viewer = await client('viewer')
  equal((await viewer.get('/leads/1/correct')).status, 403)
  const sam = await client('counselor', { email: 'sam@school.example' })
  equal((await sam.post('/leads/1/correct', typed)).status, 404)
})

test('a counselor sets the language in which we write, and undoes it', async t => {
  const { maria, lead, app } = await aDesk(t)
  const form = (await maria.get('/leads/1/correct')).text
  match(form, /<option value="" selected>Not known \(we write in English\)<\/option>/)
  const typed = { email: 'ben@mail.example', phone: '512-555-0199' }
  const wrong = await maria.post('/leads/1/correct', { ...typed, phone: '12', language: 'es' })
  match(wrong.text, /<option value="es" selected>Spanish<\/option>/)
  const done = await maria.post('/leads/1/correct', { ...typed, language: 'es' })
  match(done.text, /Corrected\. Language: not known → Spanish\./)
  match(done.text, /<span class="tag">Spanish<\/span>/)
  equal((await lead())?.language, 'es')
  const logged = await app.store.listAudit({ limit: 10, leadId: 1 })
  equal(logged.find(({ action }) => action === 'corrected')?.detail, 'language')
  const same = await maria.post('/leads/1/correct', { ...typed, language: 'xx' })
  match(same.text, /Nothing changed\./)
  match((await undo(maria, done.text)).text, /Undone/)
  equal((await lead())?.language, null)
})

test('one press promises a callback, which is moved, done and undone on the page of the lead', async t => {
  const { maria, lead, clock } = await aDesk(t)
  const { text } = await maria.get('/leads/1')
  const choices = [...text.matchAll(/name="when" value="([^"]+)"[^>]*>([^<]+)</g)].map(
    ([, when, name]) => `${when} ${name}`,
  )
  deepEqual(choices.slice(0, 4), [
    '1h In an hour',
    '2026-11-23T14:00 This afternoon, 2 PM there',
    '2026-11-23T18:00 Tonight, 6 PM there',
    '2026-11-24T10:00 Tomorrow morning, 10 AM there',
  ])
  const planned = await maria.post('/leads/1', { when: '1h', note: 'Asks for the price' })
  match(planned.text, /Callback promised for Monday, November 23[\s\S]*Asks for the price/)
  equal((await lead())?.callbackAt, clock.now() + HOUR)
  ok((await lead())?.pausedAt)
  match((await undo(maria, planned.text)).text, /Undone/)
  deepEqual([(await lead())?.callbackAt, (await lead())?.pausedAt], [null, null])
  await maria.post('/leads/1', { when: '1h' })
  const callback = fieldOn((await maria.get('/leads/1')).text, 'callback')
  match(
    (await maria.post('/leads/1', { callback, when: '2026-11-24T10:00' })).text,
    /Tuesday, November 24, 2026 at 11:00 AM/,
  )
  match((await maria.post('/leads/1', { do: 'callback', day: '', time: '' })).text, /Choose a day\./)
  const done = await maria.post('/leads/1', { do: 'callback done', callback, text: 'Wrote to her' })
  match(done.text, /The callback is done\.[\s\S]*Wrote to her/)
  equal((await lead())?.callbackAt, null)
  match((await undo(maria, done.text)).text, /Undone/)
  ok((await lead())?.callbackAt)
})

test('a moment for a callback is offered only while it can still come', async t => {
  const { clock, client } = await aDesk(t)
  const namesAt = async (hours: number) => {
    clock.advance(hours * HOUR)
    const { text } = await (await client('manager')).get('/leads/1')
    return [...text.matchAll(/name="when" value="[^"]+"[^>]*>([^<]+)</g)].map(([, name]) => name)
  }
  const morning = 'Tomorrow morning, 10 AM there'
  deepEqual(await namesAt(4), ['In an hour', 'Tonight, 6 PM there', morning])
  deepEqual(await namesAt(4), ['In an hour', morning])
  deepEqual(await namesAt(2), [morning])
})

test('someone who asks to be called at a moment is recorded as called, with the callback, in one press', async t => {
  const { maria, lead, clock } = await aDesk(t)
  await maria.post('/leads/1', { when: '30m' })
  clock.advance(31 * 60 * SECOND)
  const asked = await maria.post('/leads/1', { asked: '1h', note: 'At work until noon' })
  match(asked.text, /asked to be called back, and the callback is promised/)
  match(asked.text, /Asked to be called back[\s\S]*At work until noon/)
  match(asked.text, /tried, not reached/)
  deepEqual([(await lead())?.callbackAt, (await lead())?.stage], [clock.now() + HOUR, 'new'])
  match((await undo(maria, asked.text)).text, /Callback overdue/)
  equal((await lead())?.callbackAt, clock.now() - 60 * SECOND)
  equal((await maria.post('/leads/1', { do: 'call back' })).status, 422)
})

test('numbers that came as digits alone can be read wherever they stand', async t => {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  await service.postStudent(ben({ phone: '5125550199' }))
  await service.postStudent(ben({ phone: '7375550111', idempotencyKey: 'the second inquiry' }))
  await service.settle()
  const maria = await service.client('counselor', MARIA)
  const text = readable((await maria.get('/leads/1')).text)
  match(text, /They also gave \(737\) 555-0111/)
  match(text, /Phone \(737\) 555-0111 \(before: \(512\) 555-0199\)/)
  doesNotMatch(text, /(?:512|737)555/)
  const used = await maria.post('/leads/1', { do: 'use number', phone: '(737) 555-0111' })
  doesNotMatch(readable(used.text), /They also gave \(737\)/)
  const wrong = readable((await maria.post('/leads/1', { do: 'wrong number' })).text)
  match(wrong, /\(737\) 555-0111 is a wrong number/)
})

test('after a call without an answer, one press promises the next one', async t => {
  const { maria, lead, clock } = await aDesk(t)
  for (const outcome of ['no answer', 'voicemail', 'busy']) {
    const { text } = await maria.post('/leads/1', { do: outcome })
    const [, offer = ''] = /class="offer">([\s\S]*?)<\/form>/.exec(text) ?? []
    match(offer, /Try again:[\s\S]*name="when" value="1h">In an hour</, outcome)
  }
  doesNotMatch((await maria.post('/leads/1', { do: 'reached' })).text, /Try again/)
  await maria.post('/leads/1', { when: '1h' })
  equal((await lead())?.callbackAt, clock.now() + HOUR)
})

test('a number from a further inquiry or a reply becomes the one to call after one press, and back', async t => {
  const { maria, lead, app, clock } = await aDesk(t)
  await app.store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
  const detail = 'Yes! Call me at (737) 555-0111, not at 512-555-0199.'
  const event = { kind: 'reply', detail, tell: false } as const
  const effect = { leadId: 1, event, suppression: null }
  await app.store.recordInbound({ mailbox: 'inbox', uidValidity: '1', uid: 1, effect }, clock.now())
  const { text } = await maria.get('/leads/1')
  match(text, /They also gave <a[^>]*>\(512\) 555-0177<[\s\S]*They also gave <a[^>]*>\(737\) 555-0111<\/a>, in a reply/)
  equal(text.match(/They also gave/g)?.length, 2)
  const used = await maria.post('/leads/1', { do: 'use number', phone: '(737) 555-0111' })
  match(used.text, /\(737\) 555-0111 is the number to call from now on/)
  match(used.text, /Call <span class="number">\(737\) 555-0111</)
  match(used.text, /Phone: 512-555-0199 → \(737\) 555-0111/)
  doesNotMatch(used.text, /They also gave <a[^>]*>\(737\)/)
  const logged = await app.store.listAudit({ limit: 9, leadId: 1 })
  match(logged.map(({ action, detail }) => `${action} ${detail}`).join(), /corrected[^,]* phone/)
  match((await undo(maria, used.text)).text, /Call <span class="number">\(512\) 555-0199</)
  equal((await lead())?.phone, '512-555-0199')
  match((await maria.post('/leads/1', { do: 'use number', phone: '12' })).text, /must contain 10 to 15 digits/)
})

test('a wrong number is not offered again, and is marked on every list; another that they gave is', async t => {
  const { maria, client, clock } = await aDesk(t)
  await maria.post('/leads/1', { do: 'wrong number' })
  const { text } = await maria.get('/leads/1')
  match(text, /Call <span class="number">\(512\) 555-0177</)
  doesNotMatch(text, /Call <span class="number">\(512\) 555-0199</)
  for (const path of ['/inbox', '/today', '/board'])
    match((await maria.get(path)).text, /<span class="tag wrong">Wrong number<\/span>/, path)
  clock.advance(24 * HOUR)
  match((await (await client('manager')).get('/today')).text, /Next: [\s\S]*\(512\) 555-0199 is a wrong number/)
})

test('an address that gets no emails is marked, with what to do, and no one begins to write to it', async t => {
  const { maria, app, clock } = await aDesk(t)
  const { store } = app
  doesNotMatch((await maria.get('/leads/1')).text, /No email goes to/)
  const hash = addressHash(await store.getOrCreateSecret('addresses', 'kept before'), 'ben@mail.example')
  await store.stopFollowUpEmails(0, { addressHash: hash, reason: 'bounced', now: clock.now() })
  const bounced = await maria.get('/leads/1')
  match(
    bounced.text,
    /No email goes to ben@mail\.example:<\/strong> an email to it bounced\.[\s\S]*\/leads\/1\/correct">correct it/,
  )
  doesNotMatch(bounced.text, /href="\/leads\/1\/write"/)
  for (const path of ['/inbox', '/today', '/board']) match((await maria.get(path)).text, /Wrong address/, path)
  await store.unsuppress([hash], [])
  await store.stopFollowUpEmails(0, { addressHash: hash, reason: 'unsubscribed', now: clock.now() })
  equal((await maria.get('/leads/1')).text.match(/they unsubscribed/g)?.length, 1, 'said once')
  match((await maria.get('/inbox')).text, /<span class="tag wrong">No emails</)
})

test('the first button for someone who wrote back is to write, on the page of the lead and in Today, unless no email reaches them', async t => {
  const { maria, app, clock } = await aDesk(t)
  const buttons = async (path: string) =>
    [...(await maria.get(path)).text.matchAll(/class="button( secondary)?(?: first| call)?"[^>]*>(Call|Write)/g)].map(
      ([, second, what]) => `${what}${second ?? ''}`,
    )
  const both = async () => [await buttons('/leads/1'), await buttons('/today')].map(all => all.slice(0, 2).join(', '))
  await app.store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
  const detail = 'Yes! Can I come on Thursday?'
  const effect = { leadId: 1, event: { kind: 'reply', detail, tell: false } as const, suppression: null }
  await app.store.recordInbound({ mailbox: 'inbox', uidValidity: '1', uid: 1, effect }, clock.now())
  deepEqual(await both(), ['Write, Call secondary', 'Write, Call secondary'])
  equal((await maria.get('/today')).text.split(detail).length - 1, 1, 'Today says what they replied once')
  const hash = addressHash(await app.store.getOrCreateSecret('addresses', 'kept before'), 'ben@mail.example')
  await app.store.stopFollowUpEmails(0, { addressHash: hash, reason: 'unsubscribed', now: clock.now() })
  deepEqual(
    (await both()).map(all => all.split(',')[0]),
    ['Call', 'Call'],
  )
})

test('what screening noticed stands in sentences of its own, in the timeline and nowhere in what happened last', async t => {
  const service = await startConsole(t)
  const site = aSite({ startedAt: service.clock.now() - SECOND })
  await service.postSite(site)
  await service.settle()
  await service.postSite({ ...site, message: 'One more question: do you have a brochure?' })
  await service.settle()
  const manager = await service.client('manager')
  match(
    (await manager.get('/leads/1')).text,
    />Wrote in<\/span> <time[^>]*>[^<]*<\/time><\/p><p class="delivery">It was sent within 3 seconds/,
  )
  match(readable((await manager.get('/inbox')).text), /Wrote in again just now/)
})

test('a callback that is due stands on top of Today, of every stage, until a call is recorded', async t => {
  const { maria, clock } = await aDesk(t)
  await maria.post('/leads/1', { do: 'reached' })
  await maria.post('/leads/1', { when: '30m' })
  match((await maria.get('/today')).text, /Later today[\s\S]*data-lead="1"/)
  clock.advance(31 * 60 * SECOND)
  match((await maria.get('/today')).text, /1 to call now[\s\S]*callback promised for today, 12:10\sPM/)
  match((await maria.get('/leads/1')).text, /Callback overdue: today/)
  await maria.post('/inbox/actions', { do: 'no answer:1', back: '/today' })
  doesNotMatch((await maria.get('/today')).text, /callback promised/)
})

test('a lead of a person who has another open one stays closed, and says why', async t => {
  const { maria, app, clock, postStudent, settle, lead } = await aDesk(t)
  const closed = { stage: 'closed', closedReason: 'no reply', actor: null } as const
  await app.store.changeStage(1, { ...closed, now: clock.now() })
  await postStudent(ben({ idempotencyKey: 'once more' }))
  await settle()
  for (const form of [{ do: 'reached' }, { do: 'stage', stage: 'qualified' }]) {
    const { status, text } = await maria.post('/leads/1', form)
    equal(status, 422)
    match(text, /cannot be opened again: the person has another open lead/)
    equal((await lead())?.stage, 'closed')
  }
})

test('an address with another open lead stays there, and one of the two is closed', async t => {
  const { maria, postStudent, settle, lead } = await aDesk(t)
  await postStudent(ben({ email: 'ben@right.example', idempotencyKey: 'another address' }))
  await settle()
  const typed = { email: 'ben@right.example', phone: '512-555-0199' }
  const taken = await maria.post('/leads/1/correct', typed)
  equal(taken.status, 409)
  match(taken.text, /another open lead, <a href="\/leads\/3">lead 3<\/a>/)
  equal((await lead())?.email, 'ben@mail.example')
  match((await maria.post('/leads/1', { do: 'close', reason: 'duplicate' })).text, /Closed: duplicate/)
})

test('the signature of the person who writes stands below their email, in the preview, too', async t => {
  const { maria, client, sent, settle, clock } = await aDesk(t)
  const draft = { subject: 'Hello', text: 'Come on Friday!', once: 'one' }
  match(
    (await maria.post('/account/signature', { signature: 'Maria\r\nOffice hours 9 to 5' })).text,
    /signature is saved/,
  )
  match((await maria.get('/account')).text, /rows="4" maxlength="500">Maria\s+Office hours 9 to 5<\/textarea>/)
  match((await maria.post('/leads/1/preview', draft)).text, /Come on Friday!<\/p>[\s\S]*Office hours 9 to 5/)
  await maria.post('/leads/1/write', { do: 'send', ...draft })
  const dana = await client('manager')
  await dana.post('/leads/1/write', { do: 'send', ...draft, once: 'two' })
  clock.advance(10 * SECOND)
  await settle()
  const texts = sent.filter(({ id }) => id.startsWith('message')).map(({ text }) => text)
  equal(texts.filter(text => /^Come on Friday!\s+Maria\s+Office hours 9 to 5/.test(text)).length, 1)
  equal(texts.filter(text => text.includes('Office hours')).length, 1)
  const long = await maria.post('/account/signature', { signature: 'x'.repeat(501) })
  equal(long.status, 422)
  match(long.text, /must have at most 500 characters/)
  match((await maria.post('/account/signature', { signature: '' })).text, /Your emails have no signature/)
})
