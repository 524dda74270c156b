import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EmailAddress } from '../../src/leads/body/email.ts'
import { stageName } from '../../src/leads/lead/stages.ts'
import { timelineWords } from '../../src/leads/words/timeline-words.ts'
import { MailDeferred, MailRefused, type Message } from '../../src/mail/transport/mailer.ts'
import { classifySendError } from '../../src/mail/transport/smtp-errors.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import { startApp, type TestApp, withoutFollowUp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { aSchool, MONDAY } from './school.ts'

/** A mailer that fails with `failure` while there is one, and the attempts that were made. */
function failingMail() {
  const tries: Message[] = []
  const mail = {
    tries,
    failure: new Error('421 try later') as Error | undefined,
    send: async (message: Message) => {
      tries.push(message)
      if (mail.failure) throw mail.failure
    },
  }
  return mail
}

const outbox = async ({ app }: TestApp) => app.store.listMail({ limit: 10 })

onEachEngine(engine => {
  describe('a message that the mail server rejects temporarily', () => {
    test('waits for its next attempt with a note that says why', async t => {
      const mail = failingMail()
      const service = await startApp(t, { engine, mail: mail.send })
      await service.postSite(aSite())
      await service.settle()
      equal(mail.tries.length, 1)
      const [task] = await outbox(service)
      deepEqual([task?.state, task?.attempts, task?.note], ['due', 1, '421 try later'])
      equal(task?.lease_until, null)
      const wait = (task?.due_at ?? 0) - service.clock.now()
      ok(wait >= 3 * SECOND && wait <= 5 * SECOND)

      service.clock.advance(wait - 1)
      await service.settle()
      equal(mail.tries.length, 1)
      service.clock.advance(1)
      await service.settle()
      equal(mail.tries.length, 2)
      const next = ((await outbox(service))[0]?.due_at ?? 0) - service.clock.now()
      ok(next >= 24 * SECOND && next <= 36 * SECOND)
    })

    test('is the same message in every attempt: the same Message-ID and date', async t => {
      const mail = failingMail()
      const service = await startApp(t, { engine, mail: mail.send })
      await service.postSite(aSite())
      for (let i = 0; i < 3; i++) {
        await service.settle()
        service.clock.advance(HOUR)
      }
      mail.failure = undefined
      await service.settle()
      await service.settle()
      equal(mail.tries.length, 4)
      equal(new Set(mail.tries.map(message => message.id)).size, 1)
      equal(new Set(mail.tries.map(message => message.date.getTime())).size, 1)
      const [task] = await outbox(service)
      deepEqual([task?.state, task?.note], ['done', 'Partnerships'])
    })

    test('is given up after five days and not before, and then is a visible failure', async t => {
      const mail = failingMail()
      const service = await startApp(t, { engine, mail: mail.send, settings: withoutFollowUp })
      const start = service.clock.now()
      await service.postSite(aSite())
      await service.settle()
      while (mail.tries.length < 30) {
        service.clock.advance(5 * HOUR)
        await service.settle()
        const given = service.clock.now() - start >= 5 * DAY
        equal((await outbox(service))[0]?.state, given ? 'dead' : 'due')
        if (given) break
      }
      const [task] = await outbox(service)
      deepEqual([task?.state, task?.note], ['dead', '421 try later'])
      const backlog = await service.app.store.countBacklog(service.clock.now())
      deepEqual([backlog.mailFailedToStaff, backlog.mailWaiting], [1, 0])
      const tries = mail.tries.length
      service.clock.advance(30 * DAY)
      await service.settle()
      equal(mail.tries.length, tries)
    })

    test('is not given up after one attempt because the service was down for a week', async t => {
      const mail = failingMail()
      const service = await startApp(t, { engine, mail: mail.send })
      await service.postSite(aSite())
      service.clock.advance(7 * DAY)
      await service.settle()
      equal((await outbox(service))[0]?.state, 'due')
    })

    test('is sent when the server is back, with the data of the lead at that moment', async t => {
      const mail = failingMail()
      const service = await startApp(t, { engine, mail: mail.send })
      await service.postStudent(aStudent())
      await service.settle()
      deepEqual(service.sent, [])
      mail.failure = undefined
      service.clock.advance(MINUTE)
      await service.settle()
      equal(service.sent.length, 2)
    })
  })

  describe('a late receipt', () => {
    for (const [stage, closedReason] of [
      ['closed', 'spam'],
      ['contacted', null],
    ] as const) {
      test(`is not sent if the lead is ${stage} by then`, async t => {
        const mail = failingMail()
        const service = await startApp(t, { engine, mail: mail.send, settings: withoutFollowUp })
        await service.postStudent(aStudent())
        await service.settle()
        const by = { actor: 'kim', now: service.clock.now() }
        await service.app.store.changeStage(1, { stage, closedReason, ...by })
        mail.failure = undefined
        service.clock.advance(30 * MINUTE)
        await service.settle()
        const receipt = (await outbox(service)).find(({ kind }) => kind === 'receipt')
        deepEqual([receipt?.state, receipt?.note], ['skipped', `it is too late: the lead is ${stageName(stage)}`])
        equal(service.sent.length, 1)
      })
    }

    test('is sent if the lead is new, and within half an hour to anyone', async t => {
      const mail = failingMail()
      const service = await startApp(t, { engine, mail: mail.send, settings: withoutFollowUp })
      await service.postStudent(aStudent())
      await service.postStudent(aStudent())
      await service.settle()
      const by = { actor: 'kim', now: service.clock.now() }
      await service.app.store.changeStage(1, { stage: 'contacted', closedReason: null, ...by })
      mail.failure = undefined
      service.clock.advance(30 * MINUTE - 1)
      await service.settle()
      equal(service.sent.length, 4)

      mail.failure = new Error('421 try later')
      await service.postStudent(aStudent())
      await service.settle()
      mail.failure = undefined
      service.clock.advance(HOUR)
      await service.settle()
      equal(service.sent.length, 6)
    })
  })

  describe('a message to the staff that the mail server rejects', () => {
    const relayDenied = () => new MailDeferred('554 5.7.1 relay denied', { rejected: true })

    test('because of our settings shows at once, and arrives when they are mended', async t => {
      const mail = failingMail()
      mail.failure = relayDenied()
      const service = await startApp(t, { engine, mail: mail.send, settings: withoutFollowUp })
      await service.postSite(aSite())
      await service.settle()
      const [task] = await service.app.store.listMail({ state: 'retrying', limit: 10 })
      equal(task?.note, '554 5.7.1 relay denied')
      const { body } = await service.request(`${service.origin.console}/readyz`)
      match(JSON.stringify(body), /1 message is waiting for another attempt\. 554 5\.7\.1 relay denied/)
      service.clock.advance(DAY)
      mail.failure = undefined
      await service.settle()
      equal(service.sent.length, 1)
      equal(service.sent[0]?.id, mail.tries[0]?.id)
    })

    test('for its words, while others go out, is retried, and the manager learns of it once', async t => {
      const mail = failingMail()
      mail.failure = undefined
      const send = async (message: Message) => {
        if (message.text.includes('casino')) throw new MailDeferred('554 5.7.1 spam', { rejected: true })
        await mail.send(message)
      }
      const manager = { name: 'Dana', email: 'dana@school.example' as EmailAddress }
      const service = await startApp(t, {
        engine,
        mail: send,
        settings: { ...withoutFollowUp, admissions: { manager } },
      })
      await service.postSite(aSite({ message: 'Please call me about the casino next to the school.' }))
      await service.settle()
      equal(service.sent.length, 0)
      service.clock.advance(SECOND)
      await service.postSite(aSite())
      for (let i = 0; i < 4; i++) {
        await service.settle()
        service.clock.advance(MINUTE)
      }
      const [other, told, ...more] = service.sent
      deepEqual([other?.to.address, told?.to.address], ['partnerships@localhost', 'dana@school.example'])
      match(told?.subject ?? '', /^Ana Ruiz.*: email to Partnerships does not arrive$/)
      deepEqual(more, [])
      equal((await service.app.store.listMail({ state: 'retrying', limit: 10 })).length, 1)
    })

    for (const command of ['RCPT TO', 'DATA']) {
      test(`for a quarter of an hour at ${command}, asking us to come back, while others go out, is retried, and the manager learns of it once`, async t => {
        const response = '451 4.7.1 try again later'
        const error = Object.assign(new Error(response), { code: 'EMESSAGE', command, response, responseCode: 451 })
        const send = async ({ to }: Message) => {
          if (to.address === 'partnerships@localhost') throw classifySendError(error)
        }
        const manager = { name: 'Dana', email: 'dana@school.example' as EmailAddress }
        const settings = { ...withoutFollowUp, admissions: { manager } }
        const service = await startApp(t, { engine, mail: send, settings })
        await service.postSite(aSite())
        const pass = async (minutes: number) => {
          for (let i = 0; i < minutes; i++) {
            await service.settle()
            service.clock.advance(MINUTE)
          }
          await service.settle()
        }
        const told = () => service.sent.filter(({ to }) => to.address === 'dana@school.example')
        await pass(40)
        deepEqual(told(), [], 'no email goes out: that is told otherwise')
        await service.postStudent(aStudent())
        await pass(240)
        deepEqual(
          told().map(({ subject }) => subject.replace(/^.*: /, '')),
          ['email to Partnerships does not arrive'],
        )
        match(told()[0]?.text ?? '', /\(451\s4\.7\.1\)/)
      })
    }

    test('because there is no such mailbox is retried, and the manager learns of it once', async t => {
      const mail = failingMail()
      mail.failure = undefined
      let refused = true
      const send = async (message: Message) => {
        if (refused && message.to.address === 'partnerships@localhost')
          throw new MailRefused('550 5.1.1', { summary: 'The mail server does not know it (550 5.1.1).' })
        await mail.send(message)
      }
      const manager = { name: 'Dana', email: 'dana@school.example' as EmailAddress }
      const settings = { ...withoutFollowUp, admissions: { manager } }
      const service = await startApp(t, { engine, mail: send, settings })
      await service.postSite(aSite())
      for (let i = 0; i < 4; i++) {
        await service.settle()
        service.clock.advance(HOUR)
      }
      deepEqual(
        service.sent.map(({ to }) => to.address),
        ['dana@school.example'],
      )
      match(service.sent[0]?.subject ?? '', /: email to Partnerships does not arrive$/)
      match(service.sent[0]?.text ?? '', /does not know it \(550 5\.1\.1\)/)
      const entries = (await service.app.store.readLead(1))?.timeline ?? []
      deepEqual(entries.map(entry => timelineWords(entry, { counselors: [] })).slice(1), [
        {
          what: 'email to Partnerships not delivered',
          notes: [],
          text: 'The mail server does not know it (550 5.1.1).',
          by: null,
          attachments: [],
        },
      ])
      refused = false
      await service.settle()
      deepEqual(
        service.sent.map(({ id }) => id.split('.')[0]),
        ['news', 'notify'],
      )
      const last = (await service.app.store.readLead(1))?.timeline.at(-1)
      equal(last && timelineWords(last, { counselors: [] }).what, 'Partnerships notified')
    })

    test('for five days is given up, and that is recorded in the timeline', async t => {
      const mail = failingMail()
      mail.failure = relayDenied()
      const service = await startApp(t, { engine, mail: mail.send, settings: withoutFollowUp })
      await service.postSite(aSite())
      while (mail.tries.length < 40) {
        await service.settle()
        service.clock.advance(5 * HOUR)
        if (((await outbox(service))[0]?.state ?? 'due') !== 'due') break
      }
      const entry = (await service.app.store.readLead(1))?.timeline.at(-1)
      equal(entry?.detail, 'not delivered to Partnerships <partnerships@localhost>: 554 5.7.1 relay denied')
      match(service.log.join(''), /"level":50,.*"reason":"554 5\.7\.1 relay denied"/)
    })
  })

  describe('an alarm about messages that were given up', () => {
    test('counts the staff apart from students, and ends when someone acknowledges it', async t => {
      const service = await startApp(t, { engine, settings: withoutFollowUp })
      await service.postStudent(aStudent())
      await service.settle()
      const { store } = service.app
      for (const kind of ['notify', 'receipt'] as const)
        await sql(service.database, `update tasks set state = 'dead', note = 'no' where kind = '${kind}'`)
      const warning = async () => {
        const { body } = await service.request(`${service.origin.console}/readyz`)
        return (body as { warnings: string[] }).warnings.find(text => /given up/.test(text))
      }
      equal(
        await warning(),
        '2 messages were given up: 1 to your staff (look at it) and 1 to students. See: npx frontdesk mail list --state failed',
      )
      const failed = await store.listMail({ state: 'failed', limit: 10 })
      const notification = failed.find(({ kind }) => kind === 'notify')
      ok(notification)
      equal(await store.acknowledgeMail([notification.id], { now: service.clock.now() }), 1)
      equal(await warning(), undefined)
      equal((await store.listMail({ state: 'acknowledged', limit: 10 })).length, 1)
      equal(await store.retryMail([notification.id], { now: service.clock.now() }), 1)
      equal((await store.listMail({ state: 'acknowledged', limit: 10 })).length, 0)
    })
  })

  describe('the outbox', () => {
    test('is recorded in the timeline of the lead, message by message', async t => {
      const service = await startApp(t, { engine })
      await service.postStudent(aStudent())
      service.clock.advance(SECOND)
      await service.settle()
      const found = await service.app.store.readLead(1)
      const [first, ...mails] = (found?.timeline ?? []).map(
        ({ kind, detail, submissionId }) => `${kind} ${detail} ${submissionId}`,
      )
      equal(first, 'submission  1')
      // Messages are sent in parallel.
      deepEqual(mails.sort(), ['email notify 1', 'email receipt 1'])
      equal(found?.timeline[1]?.at, service.clock.now())
    })

    test('records what was sent although one of them cannot be recorded, and sends that one once', async t => {
      const service = await startApp(t, { engine, settings: withoutFollowUp })
      const { store } = service.app
      const record = store.recordSent
      t.mock.method(store, 'recordSent', async (messages: Parameters<typeof record>[0]) => {
        if (messages.some(({ task }) => task.kind === 'receipt')) throw new Error('no row')
        return record(messages)
      })
      for (let i = 0; i < 3; i++) await service.postStudent(aStudent())
      await service.settle()
      const sent = await store.listMail({ state: 'sent', limit: 10 })
      deepEqual(
        sent.map(task => task.kind),
        ['notify', 'notify', 'notify'],
      )
      for (let i = 0; i < 20; i++) {
        service.clock.advance(HOUR)
        await service.settle()
      }
      equal(service.sent.length, 6)
      const failed = await store.listMail({ state: 'failed', limit: 10 })
      deepEqual(
        failed.map(({ kind, note }) => `${kind}: ${note}`),
        Array(3).fill('receipt: It was sent, but that could not be recorded; the log says why'),
      )
    })

    test('sends a reminder once that cannot be recorded, and shows it as failed', async t => {
      const service = await startApp(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
      const { store } = service.app
      const conclude = store.concludeStep
      t.mock.method(store, 'concludeStep', async (...[task, end]: Parameters<typeof conclude>) => {
        if (end.state === 'done') throw new Error('no row')
        return conclude(task, end)
      })
      await service.postStudent(aStudent())
      for (let i = 0; i < 20; i++) {
        await service.settle()
        service.clock.advance(HOUR)
      }
      const reminders = service.sent.filter(({ id }) => id.startsWith('step'))
      equal(new Set(reminders.map(({ id }) => id)).size, reminders.length)
      ok(reminders.length > 0)
      const failed = await store.listMail({ state: 'failed', limit: 10 })
      equal(failed.filter(({ kind }) => kind === 'step').length, reminders.length)
    })

    test('holds up nothing behind a message that hangs', async t => {
      const hanging = Promise.withResolvers<void>()
      const others = Promise.withResolvers<void>()
      let count = 0
      const service = await startApp(t, {
        engine,
        mail: async message => {
          if (message.replyTo?.address === 'slow@mail.example') return hanging.promise
          if (++count === 12) others.resolve()
        },
      })
      service.app.worker.start()
      const emails = ['slow@mail.example', ...Array.from({ length: 12 }, () => aSite().email)]
      for (const email of emails) equal((await service.postSite(aSite({ email }))).status, 200)
      await others.promise
      ok(!service.sent.some(({ replyTo }) => replyTo?.address === 'slow@mail.example'))
      hanging.resolve()
    })

    test('sends a message once, however long past its lease the sending takes', async t => {
      const hanging = Promise.withResolvers<void>()
      const asked = Promise.withResolvers<void>()
      let tries = 0
      const service = await startApp(t, {
        engine,
        mail: async () => {
          tries++
          asked.resolve()
          await hanging.promise
        },
      })
      await service.postSite(aSite())
      const slow = service.settle()
      await asked.promise
      service.clock.advance(2 * MINUTE)
      const again = service.settle()
      await service.app.store.countBacklog(service.clock.now())
      hanging.resolve()
      await Promise.all([slow, again])
      equal(tries, 1)
      equal((await outbox(service))[0]?.state, 'done')
    })

    test('gives each message a unique id that no one outside can compute', async t => {
      const service = await startApp(t, { engine, first: true })
      const other = await startApp(t, { engine, first: true })
      for (const { postStudent } of [service, other]) await postStudent(aStudent())
      for (const { settle } of [service, other]) await settle()
      const idsOf = ({ sent }: TestApp) => sent.map(message => message.id).sort()
      const [notification, receipt] = idsOf(service)
      notEqual(notification, receipt)
      match(notification ?? '', /^notify\.1\.0\.[0-9a-f]{24}@localhost$/)
      match(receipt ?? '', /^receipt\.1\.0\.[0-9a-f]{24}@localhost$/)
      notEqual(notification, idsOf(other)[0])
    })

    test('is logged without any personal data', async t => {
      const mail = failingMail()
      mail.failure = new Error('451 greylisted canary.mail@canary.example, try later')
      const service = await startApp(t, { engine, mail: mail.send })
      const canary = {
        firstName: 'Canarybird',
        lastName: 'Canaryson',
        email: 'canary.mail@canary.example',
        phone: '512-555-0177',
        message: 'canary words that nobody else writes',
      }
      await service.postSite(aSite({ ...canary, company: 'Canary Clinic', address: 'Canary Road 1' }))
      await service.postStudent(aStudent({ ...canary, city: 'Canarytown', employer: 'Canary Diner' }))
      await service.postSite(aSite({ ...canary, website: 'https://canary.example' }))
      await service.postSite(aSite({ ...canary, phone: 'canary' }))
      await service.settle()
      service.clock.advance(HOUR)
      mail.failure = new MailRefused('550 <canary.mail@canary.example> unknown')
      await service.settle()
      const log = service.log.join('')
      match(log, /a message was not sent/)
      doesNotMatch(log, /canary|555-?0177/i)
    })
  })
})
