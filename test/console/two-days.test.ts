/**
 * Two days at the desk, three weeks apart, with a real mail server on each side: everyone who waits for someone is on
 * *Today*, once, until someone has answered, and no one else is.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, fieldOn, signInAgain, startConsole } from '../support/console.ts'
import { startDovecot } from '../support/dovecot.ts'
import { countRows, type Engine, onEachEngine, sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { HANGS_AFTER } from '../support/process.ts'
import { startSmtp } from '../support/smtp.ts'
import { vouchedFor } from '../tasks/receiving.ts'
import { aSchool, counselors, MONDAY } from '../tasks/school.ts'

const [maria, sam] = counselors
const dana = { name: 'Dana Example', email: 'dana@school.example' }

async function aDesk(t: TestContext, engine: Engine) {
  const [dovecot, smtp] = await Promise.all([startDovecot(t), startSmtp(t)])
  const clock = testClock(MONDAY)
  const service = await startConsole(t, {
    engine,
    clock,
    mail: 'real',
    env: {
      IMAP_URL: dovecot.url,
      SMTP_URL: smtp.url,
      MAIL_FROM: 'desk@school.example',
      ADMISSIONS_EMAIL: 'team@school.example',
      PARTNERSHIPS_EMAIL: 'sites@school.example',
    },
    settings: { ...aSchool, mail: { trustedServer: 'mx.school.example' } },
  })
  service.app.work()
  await eventually(async () => (await countRows(service.database, 'mailboxes')) === 1)

  /**
   * Waits until all that is due is done. The service has begun some of it on its own, which `settle` does not await.
   */
  async function settle(): Promise<void> {
    await eventually(async () => {
      await service.settle()
      const due = `select count(*) as n from tasks where state = 'due' and due_at <= ${clock.now()}`
      return Number((await sql(service.database, due))[0]?.['n']) === 0
    })
  }

  /** Lets time pass, and everything happen when it is due. */
  async function pass(time: number): Promise<void> {
    const end = clock.now() + time
    for (;;) {
      await settle()
      const due = `select min(due_at) as next from tasks where state = 'due' and due_at > ${clock.now()}`
      const next = Number((await sql(service.database, due))[0]?.['next'] ?? end) || end
      if (clock.now() >= end) return
      clock.advance(Math.min(next, end) - clock.now())
    }
  }

  /** An email that arrives in the school's mailbox. */
  async function receive(name: string, address: string, text: string): Promise<void> {
    const replies = async () => Number((await sql(service.database, COUNT_REPLIES))[0]?.['n'])
    const before = await replies()
    const headers = [vouchedFor('mail.example'), `From: ${name} <${address}>`, 'Subject: Hello']
    await dovecot.deliver([...headers, `Message-ID: <${before}@mail.example>`, '', text, ''].join('\r\n'))
    await eventually(async () => (await replies()) > before)
    await pass(MINUTE)
  }

  /** Who has got messages since the last call, once these have. Returns all that the messages say. */
  async function told(...names: string[]): Promise<string> {
    const to = () => smtp.messages.flatMap(message => message.to.map(address => address.slice(0, address.indexOf('@'))))
    await eventually(async () => names.every(name => to().includes(name)))
    await settle()
    deepEqual([...new Set(to())].toSorted(), names.toSorted())
    return smtp.messages
      .splice(0)
      .map(({ raw }) => raw)
      .join('\n')
  }

  return { ...service, clock, pass, settle, receive, told }
}

const COUNT_REPLIES = `select count(*) as n from timeline where kind = 'reply'`

/** The IMAP server announces new messages in its own time. */
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + HANGS_AFTER
  while (!(await holds())) {
    ok(performance.now() < end, 'it did not come to pass')
    await sleep(20)
  }
}

/** Those on *Today*, from the top, by the ids of their leads. */
async function today(client: ConsoleClient): Promise<number[]> {
  const { text, path } = await client.get('/today')
  equal(path, '/today')
  return [...text.matchAll(/data-lead="(\d+)"/g)].map(([, id]) => Number(id))
}

/** Writes an email as from the page, and sends it. */
async function write(client: ConsoleClient, id: number, text: string) {
  const path = `/leads/${id}/write`
  const once = fieldOn((await client.get(path)).text, 'once')
  return client.post(path, { do: 'send', subject: 'Your question', text, once })
}

onEachEngine(engine => {
  test('no one is lost, on the first day and three weeks later', async t => {
    const desk = await aDesk(t, engine)
    const { pass, receive, told } = desk
    const [phone, laptop, manager, admin] = [
      await desk.client('counselor', maria),
      await desk.client('counselor', sam),
      await desk.client('manager', dana),
      await desk.client('admin', { name: 'Ana Ruiz' }),
    ]

    const morning = () =>
      Promise.all([phone, laptop, manager, admin].map(one => signInAgain({ ...desk, store: desk.app.store }, one)))

    // Monday, 11:30. Ben and Cleo write in; Rosa calls, and has no email address; a clinic writes, too.
    await desk.postStudent(aStudent({ firstName: 'Ben', email: 'ben@mail.example', state: 'TX' }))
    await desk.postStudent(aStudent({ firstName: 'Cleo', email: 'cleo@mail.example', state: 'TX' }))
    await desk.settle()
    const once = fieldOn((await manager.get('/leads/add')).text, 'once')
    const rosa = { kind: 'student', firstName: 'Rosa', lastName: 'Diaz', phone: '512 555 0188', state: 'Texas' }
    await manager.post('/leads/add', { ...rosa, owner: 'maria', once })
    await desk.postSite(aSite({ email: 'hr@clinic.example' }, desk.clock.now()))
    await pass(0)
    await told('ben', 'cleo', 'maria', 'sites')
    deepEqual((await today(phone)).toSorted(), [1, 2, 3, 4])

    // Maria reaches Ben between two classes, and promises Cleo a call.
    await phone.post('/leads/1', { do: 'reached', note: 'Asks about evening classes' })
    await phone.post('/leads/2', { asked: '1h', note: 'Her mother picked up' })
    match(readable((await phone.get('/leads/1')).text), /Asks about evening classes/)
    await told()
    await pass(HOUR)
    deepEqual((await today(phone)).slice(0, 1), [2], 'the promise is due')
    // No one has called Rosa in this hour.
    const said = await told('maria', 'sam', 'dana')
    for (const subject of ['Call now: Cleo Okafor', 'Please take over: Rosa Diaz', 'Still waiting: Rosa Diaz'])
      ok(said.includes(subject), subject)
    await phone.post('/leads/2', { do: 'reached', note: '' })
    await phone.post('/leads/3', { do: 'reached', note: '' })
    deepEqual(await today(phone), [4])

    // Ben replies, and Maria answers.
    await receive('Ben', 'ben@mail.example', 'Can I come with my sister?')
    deepEqual(await today(phone), [1, 4])
    match(await told('maria'), /Ben Okafor replied/)
    match((await write(phone, 1, 'Bring her along on Friday.')).text, /goes out in ten seconds/)
    await pass(MINUTE)
    match(await told('ben'), /Bring her along on Friday/)
    deepEqual(await today(phone), [4])

    // The clinic is a lead of the team, which is reminded the next day.
    deepEqual(await today(laptop), [4])
    await pass(23 * HOUR)
    await morning()
    match(await told('sites'), /Mercy Hospital/)
    await laptop.post('/leads/4', { do: 'reached', note: 'Two places in the spring' })
    for (const client of [phone, laptop, manager]) deepEqual(await today(client), [])

    // Three weeks later, Ben sends the form again, and Cleo, whose lead was closed, writes an email. No one is there.
    await phone.post('/leads/2', { do: 'close', reason: 'not interested' })
    await pass(21 * DAY)
    await morning()
    await told('dana')
    await desk.postStudent(
      aStudent({ firstName: 'Ben', email: 'ben@mail.example', state: 'TX', message: 'I still have no price.' }),
    )
    await pass(MINUTE)
    await receive('Cleo', 'cleo@mail.example', 'I have thought about it. When does the next class begin?')
    deepEqual(await today(phone), [1, 2])
    match(readable((await phone.get('/today')).text), /2 wrote back/)
    await pass(3 * HOUR)
    await told('ben', 'dana', 'maria', 'sam')
    await pass(DAY)
    await morning()
    match(await told('dana'), /Ben Okafor[\s\S]*Cleo Okafor/, 'the manager has them by name in the morning')
    deepEqual(await today(phone), [1, 2])

    // Maria has left. Those who wait are handed over with the others; no one is lost on the way.
    const leaving = `/operators/${phone.operator}/disable`
    const version = fieldOn((await admin.get(leaving)).text, 'version')
    await admin.post(leaving, { version, after: 'leaves', to: 'one', person: 'sam' })
    await pass(MINUTE)
    deepEqual((await today(laptop)).toSorted(), [1, 2])
    await write(laptop, 1, 'It is $950, and you can pay monthly.')
    await laptop.post('/leads/2', { do: 'reached', note: 'Begins on January 11' })
    await pass(MINUTE)
    for (const client of [laptop, manager]) deepEqual(await today(client), [])
  })
})
