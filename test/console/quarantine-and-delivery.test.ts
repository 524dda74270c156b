/** The pages on which staff decide about quarantined inquiries, and see what was delivered. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { MailDeferred } from '../../src/mail/transport/mailer.ts'
import { classifySendError } from '../../src/mail/transport/smtp-errors.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import { aSite } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { asked } from '../support/store.ts'
import { aSchool, ben, MONDAY, noSuchMailbox } from '../tasks/school.ts'

const OLDER = /href="(\/delivery\?state=sent&amp;before=[\d-]+)">Older/

const undoFields = (text: string) =>
  Object.fromEntries(
    Array.from(
      (/class="flash"[\s\S]*?<\/form>/.exec(text)?.[0] ?? '').matchAll(/name="(\w+)" value="([^"]*)"/g),
      ([, name = '', value = '']) => [name, value],
    ),
  )

test('quarantined inquiries are released or dismissed, several at once, and that can be undone', async t => {
  const { client, postSite, settle, clock, app } = await startConsole(t)
  for (const n of [1, 2, 3]) {
    const inquiry = { firstName: `Ana${n}`, email: `ana${n}@clinic.example`, message: `Words ${n}` }
    const number = { phone: `512555014${n}` }
    equal((await postSite(aSite({ ...inquiry, ...number, website: 'http://ana.example' }))).status, 400)
  }
  await settle()
  const manager = await client('manager')
  const { text } = await manager.get('/quarantine')
  match(text, /Words 3[\s\S]*\(512\) 555-0143[\s\S]*Why it is here[\s\S]*hidden field/)
  const form = new URLSearchParams({ do: 'dismiss', state: 'held' })
  for (const id of ['1', '2']) form.append('chosen', id)
  const dismissed = await manager.post('/quarantine', form)
  match(dismissed.text, /2 inquiries dismissed/)
  ok(!dismissed.text.includes('Words 1'))
  match((await manager.post('/quarantine/undo', undoFields(dismissed.text))).text, /Undone[\s\S]*Words 1/)

  const released = await manager.post('/quarantine', { do: 'release:3', state: 'held' })
  match(released.text, /1 inquiry released/)
  match((await manager.post('/quarantine/undo', undoFields(released.text))).text, /Undone[\s\S]*Words 3/)
  await manager.post('/quarantine', { do: 'release:3', state: 'held' })
  await settle()
  equal(await app.store.findLead(3), undefined)
  clock.advance(10 * SECOND)
  await settle()
  equal((await app.store.findLead(3))?.firstName, 'Ana3')
  match((await manager.post('/quarantine/undo', undoFields(released.text))).text, /too late/)
  match((await manager.get('/quarantine?state=released')).text, /released[\s\S]*by The manager/)
  match((await manager.post('/quarantine', { do: 'release' })).text, /Select at least one/)
})

onEachEngine(engine => {
  test('the menu counts what waits in quarantine and what was not delivered, for those who may see it', async t => {
    const { client, postSite, postStudent, settle, clock } = await startConsole(t, {
      engine,
      settings: aSchool,
      clock: testClock(MONDAY),
      mail: async ({ to }) => {
        if (to.address === 'ben@mail.example') throw noSuchMailbox()
      },
    })
    await postSite(aSite({ website: 'http://ana.example' }))
    await postStudent(ben())
    await settle()
    const countsOf = async (role: 'manager' | 'counselor') =>
      (await (await client(role)).fetch('/today/count')).json() as Promise<Record<string, string>>
    const { quarantined, failed } = await countsOf('manager')
    deepEqual([quarantined, failed], ['1', '1'])
    deepEqual(Object.keys(await countsOf('counselor')), ['now', 'wroteBack'])
    clock.advance(DAY)
    match((await (await client('manager')).get('/inbox')).text, /data-count="quarantined"[\s\S]*data-count="failed"/)
  })

  test('a message to the staff that was sent says who got it, also after the lead went to someone else, until the person is erased', async t => {
    const { app, client, postStudent, settle, clock } = await startConsole(t, {
      engine,
      settings: aSchool,
      clock: testClock(MONDAY),
    })
    await postStudent(ben())
    await settle()
    const manager = await client('manager')
    const assign = async (owner: string) => {
      await app.store.assignLead(1, { owner, actor: 'Dana', now: clock.now() })
      await settle()
    }
    const sent = async () => readable((await manager.get('/delivery?state=sent')).text)
    await assign('sam')
    match(await sent(), /Email to the staff about a lead To Sam Example, about Ben \w+ Today, \d+:\d\d [AP]M/)
    await assign('maria')
    const both = await sent()
    match(both, /To Maria Example[\s\S]* To Sam Example/)
    const [task] = await app.store.listMail({ state: 'sent', limit: 1 })
    doesNotMatch((await manager.get(`/delivery/${task?.id}`)).text, /If the address is wrong/)
    const email = (await app.store.findLead(1))?.email
    await app.store.erasePerson(email ?? '', { ...asked, addressHash: undefined, now: clock.now() })
    match(await sent(), /Email to the staff about a lead Today, \d+:\d\d [AP]M/)
    doesNotMatch(await sent(), /Maria Example|Sam Example/)
  })

  test('the messages that were sent are listed by the time when they were, each with who got it, on every page', async t => {
    const { client, postStudent, postSite, settle, clock } = await startConsole(t, {
      engine,
      settings: aSchool,
      clock: testClock(MONDAY),
    })
    await postStudent(ben())
    await postSite(aSite())
    await settle()
    // The reminders were scheduled together with the notification, and go out after the next person's notification.
    clock.advance(MINUTE)
    for (let n = 10; n < 40; n++) {
      await postStudent(ben({ email: `ben${n}@mail.example`, phone: `51255501${n}`, idempotencyKey: `key-${n}` }))
      await settle()
      clock.advance(MINUTE / 2)
    }
    clock.advance(2 * HOUR)
    await settle()
    const manager = await client('manager')
    const rows: string[] = []
    const times: number[] = []
    for (let path: string | undefined = '/delivery?state=sent'; path !== undefined; ) {
      const { text } = await manager.get(path)
      const list = text.match(/<li class="mail-row">.*?<\/li>/gs) ?? []
      rows.push(...list.map(row => readable(row)))
      times.push(...list.map(row => Date.parse(/datetime="([^"]+)"/.exec(row)?.[1] ?? '')))
      path = OLDER.exec(text)?.[1]?.replace('&amp;', '&')
    }
    ok(rows.length > 60 && times.every(Number.isFinite), `${rows.length} rows`)
    deepEqual(
      times,
      times.toSorted((one, other) => other - one),
    )
    deepEqual(
      rows.filter(row => !/ To (Ben|Maria|Sam|Dana|Partnerships|Admissions)/.test(row)),
      [],
    )
    deepEqual(
      rows.filter(row => /Sent/.test(row)),
      [],
    )
  })

  test('older messages are listed although the last message of the page is gone by then', async t => {
    const { client, postStudent, settle, database } = await startConsole(t, { engine, settings: aSchool })
    for (let n = 10; n < 40; n++)
      await postStudent(ben({ email: `ben${n}@mail.example`, phone: `51255501${n}`, idempotencyKey: `key-${n}` }))
    await settle()
    const manager = await client('manager')
    const rows = (text: string) =>
      Array.from(text.matchAll(/<li class="mail-row">.*?href="\/delivery\/(\d+)"/gs), ([, id]) => id)
    const first = (await manager.get('/delivery?state=sent')).text
    const path = OLDER.exec(first)?.[1]?.replace('&amp;', '&') ?? ''
    const older = rows((await manager.get(path)).text)
    ok(older.length > 0)
    await sql(database, `delete from tasks where id = ${rows(first).at(-1)}`)
    deepEqual(rows((await manager.get(path)).text), older)
  })
})

test('a message that fails is shown with the words of the server, on every page, and retried', async t => {
  let away = true
  const { client, postSite, settle, clock, sent } = await startConsole(t, {
    mail: async () => {
      if (away) throw new MailDeferred('451 the mailbox is <full>')
    },
  })
  await postSite(aSite())
  await settle()
  const manager = await client('manager')
  const { text } = await manager.get('/delivery')
  match(text, /No email is going out[\s\S]*451 the mailbox is &lt;full&gt;/)
  match(text, /Notification about an inquiry<\/a>[\s\S]*Next attempt/)
  match((await manager.get('/account')).text, /No email is going out/)
  const [, id = ''] = /href="\/delivery\/(\d+)"/.exec(text) ?? []
  const detail = await manager.get(`/delivery/${id}`)
  match(detail.text, /To<\/dt><dd>Partnerships[\s\S]*If the address is wrong/)
  away = false
  match((await manager.post('/delivery', { do: 'retry', id })).text, /1 message: the next attempt/)
  await settle()
  equal(sent.length, 1)
  clock.advance(HOUR / 2)
  const after = (await manager.get('/delivery?state=sent')).text
  ok(!after.includes('No email is going out'))
  match(readable(after), /Notification about an inquiry To Partnerships, about [\s\S]*Today, /)
  equal((await manager.get('/delivery/99')).status, 404)
  equal((await (await client('viewer')).get('/delivery')).status, 403)
})

test('an address that a student mistyped raises no alarm', async t => {
  const { client, postStudent, settle } = await startConsole(t, {
    settings: aSchool,
    clock: testClock(MONDAY),
    mail: async ({ to }) => {
      if (to.address === 'ben@mail.example') throw noSuchMailbox()
    },
  })
  await postStudent(ben())
  await settle()
  const { text } = await (await client('manager')).get('/delivery?state=failed')
  match(text, /Receipt/)
  ok(!text.includes('No email is going out'))
})

test('a message that is rejected while others go out does not say that no email goes out', async t => {
  const { client, postSite, settle, clock } = await startConsole(t, {
    clock: testClock(MONDAY),
    mail: async ({ text }) => {
      if (text.includes('casino')) throw new MailDeferred('The mail server rejects the message (554)')
    },
  })
  await postSite(aSite({ message: 'Please call me about the casino.' }))
  await settle()
  const banner = async () => (await (await client('manager')).get('/account')).text
  match(await banner(), /No email is going out\.[\s\S]*1 message could not be sent yet/)
  clock.advance(HOUR)
  await postSite(aSite())
  await settle()
  clock.advance(HOUR)
  await settle()
  match(
    await banner(),
    /Some emails are not going out\.[\s\S]*1 message could not be sent yet: The mail server rejects/,
  )
})

test('one mailbox of a student that defers does not say that no email goes out, nor does a wait for quiet hours', async t => {
  let isFull = true
  const { client, postStudent, settle, clock, sent } = await startConsole(t, {
    settings: aSchool,
    clock: testClock(MONDAY),
    mail: async ({ to }) => {
      if (!isFull || to.address !== 'ben@mail.example') return
      const reply = { command: 'RCPT TO', response: '452 4.2.2 mailbox full', responseCode: 452 }
      throw classifySendError(Object.assign(new Error('no'), { code: 'EENVELOPE', ...reply }))
    },
  })
  await postStudent(ben())
  await settle()
  const manager = await client('manager')
  ok(sent.length > 0, 'the counselor gets the notification')
  match((await manager.get('/delivery?state=retrying')).text, /Receipt/)
  ok(!(await manager.get('/account')).text.includes('No email is going out'))
  for (let hour = 0; hour < 14; hour++) {
    clock.advance(HOUR)
    await settle()
  }
  isFull = false
  const evening = (await (await client('manager')).get('/delivery')).text
  match(evening, /waits for the end of the quiet hours/)
  ok(!evening.includes('No email is going out'))
})

test('one address of the staff that the mail server rejects is named, with what to do, while mail flows', async t => {
  const { client, postStudent, settle, clock, sent } = await startConsole(t, {
    settings: aSchool,
    clock: testClock(MONDAY),
    mail: async ({ to }) => {
      if (to.address === 'maria@school.example') throw noSuchMailbox()
    },
  })
  await postStudent(ben())
  await settle()
  const manager = await client('manager')
  const { text } = await manager.get('/account')
  ok(!text.includes('No email is going out'))
  match(
    text,
    /<strong>maria@school\.example gets no email\.<\/strong> The mail server does not know this address\. Not delivered: 1 message to Maria Example\. Correct the address of Maria Example under <a href="\/team">Team<\/a>, then retry under <a href="\/delivery">Delivery<\/a>\./,
  )
  ok(sent.length > 0, 'others get their messages')
  const counselor = await (await client('counselor')).get('/account')
  ok(!counselor.text.includes('Correct the address'), 'only managers correct addresses')
  clock.advance(6 * DAY)
  await settle()
  match((await (await client('manager')).get('/account')).text, /maria@school\.example gets no email/)
})

test('an email that is about no lead is listed by what it is', async t => {
  const { client, app } = await startConsole(t, { clock: testClock(MONDAY) })
  await app.store.addRetentionMail({ day: 20_991_201, dueAt: MONDAY + HOUR, now: MONDAY })
  const manager = await client('manager')
  match((await manager.get('/delivery?state=queued')).text, /Notice about leads that will be erased<\/a>/)
})

test('without a mail server, the list of emails says that no one receives them', async t => {
  const { client } = await startConsole(t, { clock: testClock(MONDAY) })
  const { text } = await (await client('manager')).get('/delivery')
  match(text, /SMTP_URL is not set: emails are written to files, and no one receives them\./)
})

test('one mailbox that defers is named as that one mailbox, not as mail that does not go out', async t => {
  const { client, postStudent, settle } = await startConsole(t, {
    settings: aSchool,
    clock: testClock(MONDAY),
    mail: async ({ to }) => {
      if (to.address !== 'maria@school.example') return
      const reply = { command: 'RCPT TO', response: '452 4.2.2 mailbox full', responseCode: 452 }
      throw classifySendError(Object.assign(new Error('no'), { code: 'EENVELOPE', ...reply }))
    },
  })
  await postStudent(ben())
  await settle()
  const { text } = await (await client('manager')).get('/account')
  ok(!text.includes('No email is going out'))
  match(
    text,
    /<strong>maria@school\.example gets no email\.<\/strong> The mail server does not accept mail for this address at the moment\. Not delivered: 1 message to Maria Example\. <a class="whole" href="\/delivery">See delivery/,
  )
})
