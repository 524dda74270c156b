import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { MailDeferred } from '../../src/mail/transport/mailer.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { onEachEngine } from '../support/engines.ts'
import { asked } from '../support/store.ts'
import { tasksOf } from './database.ts'
import {
  aSchool,
  ben,
  contact,
  isLetter,
  MONDAY,
  noSuchMailbox,
  readLead,
  type School,
  startSchool,
  stepsIn,
  timelineOf,
} from './school.ts'

onEachEngine(engine => {
  describe('what stops the follow-up:', () => {
    test('contact, even at the very moment at which a step is due', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.settle()
      service.clock.advance(5 * MINUTE)
      await contact(service)
      await service.until(MONDAY + 30 * DAY)
      deepEqual(stepsIn(service.diary()), [])
      deepEqual(
        await service.steps(),
        [0, 1, 2, 3, 4, 5, 6].map(step => `${step} skipped the lead is reached`),
      )
      const { lead } = await readLead(service)
      deepEqual([lead.stage, lead.firstContactAt], ['contacted', MONDAY + 5 * MINUTE])
    })

    test('a call attempt does not stop it', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.settle()
      await service.app.store.recordCall(1, { outcome: 'no answer', note: '', actor: 'maria', now: MONDAY })
      await service.until(MONDAY + 30 * DAY)
      equal(stepsIn(service.diary()).length, 6)
    })

    test('a student who unsubscribes gets no emails, and is still called', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.settle()
      await service.call()
      const receipt = service.sent.find(({ to }) => to.address === 'ben@mail.example')
      const { pathname } = new URL(receipt?.unsubscribe ?? '')
      for (let i = 0; i < 2; i++) {
        const answer = await service.request(`${service.origin.learn}${pathname}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: 'List-Unsubscribe=One-Click',
        })
        equal(answer.status, 200)
      }
      await service.until(MONDAY + 30 * DAY)
      const news = service.diary().filter(line => line.includes('news'))
      equal(news.length, 1)
      match(news[0] ?? '', /^11-23 16:30 maria/)
      deepEqual(stepsIn(service.diary()), [
        '11-23 16:35 maria step.1.0',
        '11-23 16:45 sam step.1.1',
        '11-23 17:30 dana step.1.2',
      ])
      deepEqual(
        (await service.steps()).slice(3, 6),
        [3, 4, 5].map(step => `${step} skipped the student has unsubscribed`),
      )
      equal((await readLead(service)).lead.closedReason, 'unsubscribed')
    })

    test('an email to a mailbox that does not exist is the last, and the counselor is notified', async t => {
      const service = await startSchool(t, {
        engine,
        mail: async message => {
          if (isLetter(message)) throw noSuchMailbox()
        },
      })
      await service.postStudent(ben())
      await service.settle()
      await service.call()
      await service.until(MONDAY + 30 * DAY)
      deepEqual((await service.steps()).slice(3, 6), [
        '3 dead The mail server does not know this address (EENVELOPE at RCPT TO: 550 5.1.1 no such user)',
        '4 skipped email to the address bounces',
        '5 skipped email to the address bounces',
      ])
      const news = service.diary().filter(line => line.includes('news'))
      equal(news.length, 1)
      match(news[0] ?? '', /^11-24 16:30 maria/)
      deepEqual(await timelineOf(service, 'bounce'), ['bounce The mail server does not know this address (550 5.1.1).'])
      equal((await readLead(service)).lead.closedReason, 'unreachable')
      equal((await service.app.store.readSuppression([await service.hashOf('ben@mail.example')]))?.reason, 'bounced')
    })

    test('so does a receipt that cannot be delivered; the reminders continue', async t => {
      const service = await startSchool(t, {
        engine,
        mail: async ({ id }) => {
          if (id.startsWith('receipt')) throw noSuchMailbox()
        },
      })
      await service.postStudent(ben())
      await service.until(MONDAY + 2 * DAY)
      deepEqual(
        service.diary().map(line => line.replace(/\.\d+\.\d+$/, '')),
        [
          '11-23 16:30 maria news',
          '11-23 16:30 maria notify',
          '11-23 16:35 maria step',
          '11-23 16:45 sam step',
          '11-23 17:30 dana step',
        ],
      )
      match((await service.steps())[3] ?? '', /skipped email to the address bounces/)
    })

    test('a rejection of the message itself says nothing about the mailbox, and does not hold up the next', async t => {
      const service = await startSchool(t, {
        engine,
        mail: async message => {
          if (isLetter(message) && message.id.startsWith('step.1.3'))
            throw new MailDeferred('554 5.7.1 looks like spam', { rejected: true })
        },
      })
      await service.postStudent(ben())
      await service.until(MONDAY + 8 * DAY)
      deepEqual((await service.steps()).slice(3, 6), [
        '3 skipped the next step has taken its place',
        '4 done',
        '5 done',
      ])
      deepEqual(stepsIn(service.diary()).slice(3), ['11-26 16:30 ben step.1.4', '11-30 16:30 ben step.1.5'])
      deepEqual(await timelineOf(service, 'bounce'), [])
    })

    test('a reminder to a mailbox that does not exist does not hold up the backup and the manager', async t => {
      const service = await startSchool(t, {
        engine,
        mail: async ({ to }) => {
          if (to.address === 'maria@school.example') throw noSuchMailbox()
        },
      })
      await service.postStudent(ben())
      await service.until(MONDAY + 2 * HOUR)
      deepEqual(
        service.diary().map(line => line.replace(/(news|receipt)\.\d+\.\d+$/, '$1')),
        [
          '11-23 16:30 admissions news',
          '11-23 16:30 ben receipt',
          '11-23 16:45 sam step.1.1',
          '11-23 17:30 dana step.1.2',
        ],
      )
      equal((await service.steps())[0], '0 skipped the next step has taken its place')
      match(
        (await timelineOf(service, 'email')).join(),
        /not delivered to Maria Example <maria@school\.example>: The mail server does not know this address \(550 5\.1\.1\)\./,
      )
    })

    test('a message to the chat channels does not take the place of a rejected reminder', async t => {
      let rejects = true
      const chat = { name: 'chat', after: '90 minutes', clock: 'school', channel: 'chat' } as const
      const student = [...defaultSettings.followUp.student, chat]
      const service = await startSchool(t, {
        engine,
        settings: { ...aSchool, followUp: { student } },
        mail: async ({ to }) => {
          if (rejects && to.address === 'dana@school.example')
            throw new MailDeferred('554 5.7.1 looks like spam', { rejected: true })
        },
      })
      await service.postStudent(ben())
      await service.until(MONDAY + 2 * HOUR)
      match((await service.steps()).at(-1) ?? '', /^7 skipped no destination/)
      rejects = false
      await service.until(MONDAY + 5 * HOUR)
      deepEqual(
        stepsIn(service.diary()).map(line => line.split(' ').slice(2).join(' ')),
        ['maria step.1.0', 'sam step.1.1', 'dana step.1.2'],
      )
      equal((await service.steps())[2], '2 done')
    })

    test('but the next email after that message does', async t => {
      const [counselor, backup, manager, ...others] = defaultSettings.followUp.student
      if (!counselor || !backup || !manager) throw new Error('the default cadence has three reminders')
      const chat = { name: 'chat', after: '10 minutes', clock: 'school', channel: 'chat' } as const
      const service = await startSchool(t, {
        engine,
        settings: { ...aSchool, followUp: { student: [counselor, chat, backup, manager, ...others] } },
        mail: async ({ to }) => {
          if (to.address === 'maria@school.example')
            throw new MailDeferred('554 5.7.1 looks like spam', { rejected: true })
        },
      })
      await service.postStudent(ben())
      await service.until(MONDAY + 2 * HOUR)
      equal((await service.steps())[0], '0 skipped the next step has taken its place')
    })

    test('a reply ends the emails and keeps the lead open; the student must still be called', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.settle()
      const { store } = service.app
      await store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
      const event = { kind: 'reply', detail: 'Call me on Friday', tell: true } as const
      const effect = { leadId: 1, event, suppression: null }
      await store.recordInbound({ mailbox: 'inbox', uidValidity: '1', uid: 7, effect }, MONDAY)
      await service.until(MONDAY + 30 * DAY)
      deepEqual(
        stepsIn(service.diary()).map(line => line.split(' ')[2]),
        ['maria', 'sam', 'dana'],
      )
      deepEqual(
        (await service.steps()).slice(3),
        [3, 4, 5, 6].map(step => `${step} skipped the student has replied`),
      )
      equal((await readLead(service)).lead.stage, 'new')
    })

    test('an erasure', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.until(MONDAY + 10 * MINUTE)
      const addressHash = await service.hashOf('ben@mail.example')
      await service.app.store.erasePerson('ben@mail.example', { ...asked, addressHash, now: service.clock.now() })
      await service.until(MONDAY + 30 * DAY)
      deepEqual(stepsIn(service.diary()), ['11-23 16:35 maria step.1.0'])
      deepEqual(
        (await tasksOf(service, 'step')).map(task => [task['step'], task['state'], task['note']]),
        [
          [0, 'done', null],
          [3, 'skipped', 'the lead was erased'],
          [6, 'skipped', 'the lead was erased'],
          [1, 'skipped', 'the lead was erased'],
        ],
      )
    })

    test('an account that the learning site turns out to have', async t => {
      const accounts = { directory: 'table', feedback: 'reveal' } as const
      const service = await startSchool(t, { engine, settings: { ...aSchool, accounts } })
      await service.postStudent(ben())
      await service.until(MONDAY + 10 * MINUTE)
      const hash = await service.hashOf('ben@mail.example')
      await service.app.store.importAccounts([hash], { replace: false })
      equal((await service.postStudent(ben())).status, 409)
      await service.until(MONDAY + 30 * DAY)
      equal(stepsIn(service.diary()).filter(line => line.includes(' ben ')).length, 0)
      deepEqual((await service.steps()).slice(2, 5), [
        '2 done',
        '3 skipped an account exists',
        '4 skipped an account exists',
      ])
    })

    for (const feedback of ['reveal', 'conceal'] as const) {
      test(`a student who already has an account gets no emails; the staff is reminded (${feedback})`, async t => {
        const accounts = { directory: 'table', feedback } as const
        const service = await startSchool(t, { engine, settings: { ...aSchool, accounts } })
        const hash = await service.hashOf('ben@mail.example')
        await service.app.store.importAccounts([hash], { replace: false })
        await service.postStudent(ben())
        await service.until(MONDAY + 30 * DAY)
        deepEqual(service.diary(), [
          ...(feedback === 'conceal' ? ['11-23 16:30 ben account.1.0'] : []),
          '11-23 16:30 maria notify.1.0',
          '11-23 16:35 maria step.1.0',
          '11-23 16:45 sam step.1.1',
          '11-23 17:30 dana step.1.2',
          '12-08 14:00 dana unattended.20261208.0',
          '12-09 14:00 dana unattended.20261209.0',
          '12-10 14:00 dana unattended.20261210.0',
        ])
        const { lead } = await readLead(service)
        deepEqual([lead.account, lead.closedReason], [true, 'never contacted'])
      })
    }

    test('follow-up emails without a postal address are illegal; reminders are not', async t => {
      const { admissions } = aSchool
      const settings = { ...(admissions && { admissions }) }
      const service = await startSchool(t, { engine, settings })
      await service.postStudent(ben())
      await service.settle()
      await service.call()
      await service.until(MONDAY + 30 * DAY)
      deepEqual(
        stepsIn(service.diary()).map(line => line.split(' ')[2]),
        ['maria', 'sam', 'dana'],
      )
      deepEqual(
        (await service.steps()).slice(3, 6),
        [3, 4, 5].map(step => `${step} skipped the settings have no postal address`),
      )
      equal((await readLead(service)).lead.closedReason, 'no reply')
    })
  })

  describe('a follow-up that is paused', () => {
    test('does nothing until it is resumed, and continues where it paused', async t => {
      const service = await startSchool(t, { engine })
      const { store } = service.app
      await service.postStudent(ben())
      await service.until(MONDAY + 30 * MINUTE)
      await service.call()
      await store.pauseLead(1, { actor: 'maria', now: service.clock.now() })
      await service.until(MONDAY + 3 * DAY + 30 * MINUTE)
      equal(stepsIn(service.diary()).length, 2)
      equal((await service.steps())[2], '2 due paused')
      await service.resume()
      await service.until(MONDAY + 40 * DAY)
      deepEqual(stepsIn(service.diary()).slice(2), [
        '11-26 17:30 dana step.1.2',
        '11-27 16:30 ben step.1.3',
        '11-29 16:30 ben step.1.4',
        '12-03 16:30 ben step.1.5',
      ])
      const { lead } = await readLead(service)
      deepEqual([lead.closedReason, lead.updatedAt], ['no reply', MONDAY + 17 * DAY])
      deepEqual(await timelineOf(service, 'paused', 'resumed'), ['paused maria', 'resumed maria'])
    })

    test('sends a reminder once that was on its way when someone resumed it', async t => {
      let resumes = true
      const service = await startSchool(t, {
        engine,
        mail: async ({ id }) => {
          if (!resumes || !id.startsWith('step.1.0')) return
          resumes = false
          await service.app.store.pauseLead(1, { actor: 'maria', now: service.clock.now() })
          await service.resume()
        },
      })
      await service.postStudent(ben())
      await service.until(MONDAY + 30 * MINUTE)
      deepEqual(stepsIn(service.diary()), ['11-23 16:35 maria step.1.0', '11-23 16:45 sam step.1.1'])
      doesNotMatch(service.log.join(''), /another worker/)
    })

    test('has no steps left that wait once someone has closed the lead', async t => {
      const service = await startSchool(t, { engine })
      const { store } = service.app
      await service.postStudent(ben())
      await service.settle()
      const by = () => ({ actor: 'maria', now: service.clock.now() })
      await store.pauseLead(1, by())
      await store.changeStage(1, { stage: 'closed', closedReason: 'not interested', ...by() })
      await service.until(MONDAY + 20 * DAY)
      deepEqual(
        await service.steps(),
        [0, 1, 2, 3, 4, 5, 6].map(step => `${step} skipped the lead is closed`),
      )
    })

    test('waits again if someone takes back that they have closed the lead', async t => {
      const service = await startSchool(t, { engine })
      const { store } = service.app
      await service.postStudent(ben())
      await service.settle()
      const by = () => ({ actor: 'maria', now: service.clock.now() })
      await store.pauseLead(1, by())
      const closed = await store.changeStage(1, { stage: 'closed', closedReason: 'not interested', ...by() })
      await service.until(MONDAY + 8 * MINUTE)
      const entry = closed.outcome === 'done' ? closed.entry : undefined
      equal((await store.undoAction(entry ?? 0, by())).outcome, 'done')
      await service.until(MONDAY + 20 * DAY)
      const waiting = (await service.steps()).filter(step => step.includes('due'))
      deepEqual(
        waiting.map(step => step.slice(0, 5)),
        ['0 due', '3 due', '6 due'],
      )
    })

    test('for longer than the whole cadence does not burst when it is resumed', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.until(MONDAY + 2 * DAY)
      await service.call()
      await service.app.store.pauseLead(1, { actor: null, now: service.clock.now() })
      await service.until(MONDAY + 32 * DAY)
      await service.resume()
      await service.until(MONDAY + 60 * DAY)
      deepEqual(stepsIn(service.diary()).slice(3), [
        '11-24 16:30 ben step.1.3',
        '12-26 16:30 ben step.1.4',
        '12-30 16:30 ben step.1.5',
      ])
      equal((await readLead(service)).lead.updatedAt, MONDAY + 44 * DAY)
    })
  })

  describe('one mailbox under many sub-addresses', () => {
    const addresses = ['ben@mail.example', 'ben+1@mail.example', 'ben+2@mail.example']
    const writeFromAll = async (service: School) => {
      for (const email of addresses) {
        await service.postStudent(ben({ email, idempotencyKey: email }))
        await service.settle()
        service.clock.advance(HOUR)
      }
    }
    const toBen = ({ sent }: School) =>
      sent.filter(({ to }) => to.address.startsWith('ben')).map(({ to }) => to.address)

    test('gets one receipt and one series of follow-up emails, though each is a lead', async t => {
      const service = await startSchool(t, { engine })
      await writeFromAll(service)
      deepEqual(toBen(service), ['ben@mail.example'])
      await service.until(MONDAY + 13 * DAY)
      deepEqual(toBen(service), Array(4).fill('ben@mail.example'))
      deepEqual((await service.steps(2)).slice(3, 4), ['3 skipped another address of the same person got it'])
      equal((await service.app.store.listLeads({ limit: 9 })).length, 3)
    })

    test('gets what did not arrive at a sub-address that it does not have', async t => {
      const service = await startSchool(t, {
        engine,
        mail: async ({ to }) => {
          if (to.address === 'ben+0@mail.example') throw noSuchMailbox()
        },
      })
      await service.postStudent(ben({ email: 'ben+0@mail.example' }))
      await service.settle()
      await writeFromAll(service)
      await service.until(MONDAY + 13 * DAY)
      deepEqual(toBen(service), Array(4).fill('ben@mail.example'))
    })

    test('gets no more emails once it has unsubscribed from one', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben({ email: 'ben+1@mail.example' }))
      await service.settle()
      const { pathname } = new URL(service.sent.find(mail => mail.unsubscribe)?.unsubscribe ?? '')
      await service.request(`${service.origin.learn}${pathname}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      })
      service.clock.advance(2 * DAY)
      const sent = toBen(service).length
      await writeFromAll(service)
      await service.until(MONDAY + 13 * DAY)
      equal(toBen(service).length, sent)
    })

    test('has one lockout', async t => {
      const service = await startSchool(t, { engine })
      for (let i = 0; i < 6; i++) {
        const body = ben({ email: `ben+${i}@mail.example`, idempotencyKey: `${i}` })
        equal((await service.postStudent(body)).status, i < 5 ? 200 : 429)
      }
    })
  })
})
