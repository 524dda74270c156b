/** Emails that someone at the school writes to a person, from the outbox to the timeline. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { MailDeferred } from '../../src/mail/transport/mailer.ts'
import { DAY, HOUR, SECOND } from '../../src/platform/time.ts'
import type { NewMessage } from '../../src/store/mail/messages.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { asked } from '../support/store.ts'
import { ben, noSuchMailbox, readLead, startSchool, timelineOf } from './school.ts'

async function aSchoolThatWrites(t: TestContext, engine: Engine, mail?: () => Promise<void>) {
  let failing: (() => Promise<void>) | undefined
  const service = await startSchool(t, {
    engine,
    mail: async message => {
      if (message.id.startsWith('message')) await failing?.()
    },
  })
  failing = mail
  const { store } = service.app
  await service.postStudent(ben())
  await service.settle()
  const write = (over: Partial<NewMessage & { actor: string }> = {}) =>
    store.writeMessage(1, {
      subject: 'Re: Thank you',
      text: 'Can you come on Friday?\n\nMaria',
      answers: undefined,
      reached: false,
      token: 'form 1',
      dueAt: service.clock.now(),
      actor: 'maria',
      now: service.clock.now(),
      ...over,
    })
  const written = () => service.sent.filter(({ id }) => id.startsWith('message'))
  const state = async () => {
    const [row] = await sql(service.database, `select state, note, attempts from tasks where kind = 'message'`)
    return row
  }
  return { ...service, store, write, written, state }
}

onEachEngine(engine => {
  describe('an email that a counselor writes to a person', () => {
    test('is sent in their name, in the thread, as it was written', async t => {
      const service = await aSchoolThatWrites(t, engine)
      const { outcome } = await service.write({ answers: 'their-mail@mail.example' })
      equal(outcome, 'done')
      await service.settle()
      const [message, ...others] = service.written()
      ok(message)
      equal(others.length, 0)
      equal(message.to.address, 'ben@mail.example')
      match(message.from.name, /^Maria Example, /)
      equal(message.replyTo?.address, 'maria@school.example')
      equal(message.subject, 'Re: Thank you')
      match(message.text, /^Can you come on Friday\?\n\nMaria\n/)
      equal(message.unsubscribe, undefined)
      equal(message.personal, true)
      equal(message.answers, 'their-mail@mail.example')
      equal(message.thread, service.sent.find(({ id }) => id.startsWith('receipt'))?.thread)
      deepEqual(await timelineOf(service, 'message'), ['message Can you come on Friday?\n\nMaria maria'])
    })

    test('is sent once, however often the button is pressed', async t => {
      const service = await aSchoolThatWrites(t, engine)
      const first = await service.write()
      ok('entry' in first)
      const { entry } = first
      const again = async () => {
        const written = await service.write()
        return { outcome: written.outcome, entry: 'entry' in written && written.entry }
      }
      deepEqual(await again(), { outcome: 'before', entry })
      await service.settle()
      deepEqual(await again(), { outcome: 'before', entry })
      await service.settle()
      equal(service.written().length, 1)
    })

    test('is sent from each of two tabs with one draft, if each ends with words of its own', async t => {
      const service = await aSchoolThatWrites(t, engine)
      const outcomes = []
      for (const text of ['Can you come on Friday?', 'Or on Monday?', 'Or on Monday?'])
        outcomes.push((await service.write({ text })).outcome)
      outcomes.push((await service.write({ text: 'Or on Monday?', subject: 'Monday' })).outcome)
      deepEqual(outcomes, ['done', 'done', 'before', 'done'])
      await service.settle()
      equal(service.written().length, 3)
    })

    test('is an attempt to reach them, and counts as having reached them only if the author says so', async t => {
      const service = await aSchoolThatWrites(t, engine)
      await service.write()
      await service.settle()
      const before = (await readLead(service)).lead
      deepEqual([before.stage, before.firstAttemptAt, before.firstContactAt], ['new', service.clock.now(), null])
      await service.write({ token: 'form 2', reached: true })
      equal((await readLead(service)).lead.stage, 'new')
      await service.settle()
      const after = (await readLead(service)).lead
      deepEqual([after.stage, after.firstContactAt], ['contacted', service.clock.now()])
      deepEqual(await timelineOf(service, 'stage'), ['stage contacted maria'])
    })

    test('has the date of the day for which it was scheduled, and is tried for five days from then on', async t => {
      let failure: Error | undefined = new MailDeferred('421 try later')
      const service = await aSchoolThatWrites(t, engine, async () => {
        if (failure) throw failure
      })
      const dueAt = service.clock.now() + 7 * DAY
      await service.write({ dueAt })
      service.clock.advance(7 * DAY)
      for (let hours = 0; hours < 4 * 24; hours += 4) {
        await service.settle()
        service.clock.advance(4 * HOUR)
      }
      equal((await service.state())?.['state'], 'due')
      failure = undefined
      service.clock.advance(4 * HOUR)
      await service.settle()
      equal(service.written()[0]?.date.getTime(), dueAt)
    })

    test('can be scheduled, and canceled until it is sent', async t => {
      const service = await aSchoolThatWrites(t, engine)
      const dueAt = service.clock.now() + HOUR
      const written = await service.write({ dueAt })
      ok('entry' in written)
      await service.settle()
      equal(service.written().length, 0)
      const cancel = async () =>
        (await service.store.cancelMessage(written.entry, { now: service.clock.now() })).outcome
      equal(await cancel(), 'done')
      equal(await cancel(), 'before')
      await service.until(dueAt + HOUR)
      equal(service.written().length, 0)
      const { timeline } = await readLead(service)
      equal(timeline.find(({ kind }) => kind === 'message')?.undoneAt, dueAt - HOUR)

      // Back in the same form, the author sends it after all.
      const other = await service.write({ dueAt: service.clock.now() + HOUR })
      ok('entry' in other)
      equal(other.outcome, 'done')
      await service.until(service.clock.now() + HOUR)
      equal(service.written().length, 1)
      const { outcome: late } = await service.store.cancelMessage(other.entry, { now: service.clock.now() })
      equal(late, 'before')
      equal((await service.store.cancelMessage(999, { now: 0 })).outcome, 'gone')
    })

    test('is tried again under the same Message-ID, with the words of the server', async t => {
      const ids = new Set<string>()
      let down = true
      const service = await aSchoolThatWrites(t, engine, async () => {
        if (down) throw new MailDeferred('the mail server is away')
      })
      await service.write()
      await service.settle()
      const { state, note } = (await service.state()) ?? {}
      equal(state, 'due')
      match(String(note), /the mail server is away/)
      down = false
      await service.until(service.clock.now() + HOUR)
      for (const { id } of service.written()) ids.add(id)
      equal(ids.size, 1)
      equal((await service.state())?.['state'], 'done')
    })

    test('is not sent to a lead that was closed, or an address that was suppressed, meanwhile', async t => {
      const service = await aSchoolThatWrites(t, engine)
      const dueAt = service.clock.now() + HOUR
      await service.write({ dueAt })
      const { clock, store } = service
      const stop = { reason: 'unsubscribed', now: clock.now() } as const
      await store.stopFollowUpEmails(1, { ...stop, addressHash: await service.hashOf('ben@mail.example') })
      await service.until(dueAt)
      equal(service.written().length, 0)
      equal((await service.state())?.['note'], 'this address is suppressed: unsubscribed')

      const close = { stage: 'closed', closedReason: 'not interested', actor: 'maria' } as const
      await store.changeStage(1, { ...close, now: clock.now() })
      equal((await service.write({ token: 'form 2' })).outcome, 'closed')
      deepEqual(await store.writeMessage(99, { ...aMessage, now: clock.now() }), { outcome: 'gone' })
    })

    test('to an unknown mailbox ends, and the address is suppressed', async t => {
      const service = await aSchoolThatWrites(t, engine, async () => {
        throw noSuchMailbox()
      })
      await service.write()
      await service.settle()
      equal((await service.state())?.['state'], 'dead')
      equal((await timelineOf(service, 'bounce')).length, 1)
    })

    test('is erased with the person, and never sent then', async t => {
      const service = await aSchoolThatWrites(t, engine)
      await service.write({ dueAt: service.clock.now() + HOUR })
      const addressHash = await service.hashOf('ben@mail.example')
      await service.store.erasePerson('ben@mail.example', { ...asked, addressHash, now: service.clock.now() })
      await service.until(service.clock.now() + DAY)
      equal(service.written().length, 0)
      equal((await service.state())?.['note'], 'the lead was erased')
    })
  })

  describe('the conversation with a person', () => {
    test('is continued at their latest email, or else at ours', async t => {
      const service = await aSchoolThatWrites(t, engine)
      const conversation = () => service.store.readConversation(1)
      const receipt = (await conversation()).ours
      ok(receipt)
      equal((await service.store.readMail(receipt.task))?.kind, 'receipt')
      await service.clock.advance(SECOND)
      await service.write()
      await service.settle()
      const { theirs, ours } = await conversation()
      equal(theirs, undefined)
      equal(ours?.subject, 'Re: Thank you')
      const original = { id: 'ben-1@mail.example', subject: 'Re: Thank you' }
      await service.store.setMailboxPosition('box', { uidValidity: '1', lastUid: 6, lastArrival: 0 })
      const event = { kind: 'reply', detail: 'Yes', tell: false, mail: { original } } as const
      const effect = { leadId: 1, event, suppression: null }
      const place = { mailbox: 'box', uidValidity: '1', uid: 7 }
      await service.store.recordInbound({ ...place, effect }, service.clock.now())
      deepEqual((await conversation()).theirs, original)
    })
  })
})

const aMessage = {
  subject: 'Hello',
  text: 'Hello',
  answers: undefined,
  reached: false,
  token: 'form 3',
  dueAt: 0,
  actor: 'maria',
}
