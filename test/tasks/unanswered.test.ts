/** People who write back: someone is reminded, whatever the stage of their lead, until someone answers. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { restartOf } from '../../src/follow-up/schedule.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { startReceiving, vouchedFor } from './receiving.ts'
import { aSchool, at, ben, contact, isLetter, MONDAY, readLead, startSchool, stepsIn, timelineOf } from './school.ts'

const fromBen = ['From: Ben <ben@mail.example>', 'To: desk@school.example']
const REPLY = 'Can I come with my sister?'
const reply = [vouchedFor('mail.example'), ...fromBen, 'Subject: Visit', 'Message-ID: <1@mail.example>', '', REPLY]

/** Ben was reached on Monday, and writes back on Tuesday. */
async function aReply(t: TestContext, engine: Engine) {
  const school = await startReceiving(t, engine)
  await contact(school)
  await school.until('11-24 16:30')
  await school.receive(...reply)
  return { ...school, by: () => ({ actor: 'maria', now: school.clock.now() }) }
}

const since = async (school: Parameters<typeof readLead>[0], id = 1) =>
  (await readLead(school, id)).lead.unansweredSince

const REMINDERS = ['11-24 16:35 maria step.1.0', '11-24 16:45 sam step.1.1', '11-24 17:30 dana step.1.2']

onEachEngine(engine => {
  describe('someone who was reached and replies', () => {
    test('waits for an answer, and everyone is reminded as for a new inquiry', async t => {
      const school = await aReply(t, engine)
      deepEqual([await since(school), (await readLead(school)).lead.stage], [at('11-24 16:30'), 'contacted'])
      await school.until('11-25 16:30')
      deepEqual(stepsIn(school.diary()), REMINDERS)
      const due = await school.store.listDueLeads({ until: school.clock.now(), limit: 9 })
      deepEqual(
        due.wroteBack.map(({ id }) => id),
        [1],
      )
    })

    test('is answered by a call that reached them, but not by one that no one took', async t => {
      const school = await aReply(t, engine)
      await school.call()
      equal(await since(school), at('11-24 16:30'))
      await school.until('11-24 16:40')
      const { store } = school
      const called = await store.recordCall(1, { outcome: 'reached', note: '', ...school.by() })
      equal(await since(school), null)
      await school.until('11-24 16:42')
      equal((await store.undoAction(called.outcome === 'done' ? (called.entry ?? 0) : 0, school.by())).outcome, 'done')
      equal(await since(school), at('11-24 16:30'))
      await school.until('11-24 17:00')
      deepEqual(stepsIn(school.diary()), REMINDERS.slice(0, 2))
    })

    test('needs no answer if someone says so, until they write again', async t => {
      const school = await aReply(t, engine)
      const { store } = school
      const ended = await store.needNoAnswer(1, school.by())
      equal(ended.outcome, 'done')
      equal((await store.needNoAnswer(1, school.by())).outcome, 'before')
      await school.until('11-24 16:37')
      deepEqual(stepsIn(school.diary()), [])
      await store.takeBack(ended.outcome === 'done' ? (ended.entry ?? 0) : 0, school.by())
      equal(await since(school), at('11-24 16:30'))
      await school.until('11-24 16:50')
      deepEqual(stepsIn(school.diary()), ['11-24 16:37 maria step.1.0', '11-24 16:47 sam step.1.1'])
      await store.needNoAnswer(1, school.by())
      await school.receive(...reply)
      await school.until('11-24 16:56')
      deepEqual(stepsIn(school.diary()).slice(2), ['11-24 16:55 maria step.1.0'])
    })

    test('waits no more if someone answered after they said that no answer is needed, and undoes that', async t => {
      const school = await aReply(t, engine)
      const { store } = school
      const email = { subject: 'Yes', text: 'Yes, both of you.', answers: undefined, reached: false, token: 'a' }
      const answers = [
        () => store.recordCall(1, { outcome: 'reached', note: '', ...school.by() }),
        () => store.writeMessage(1, { ...email, dueAt: school.clock.now() + HOUR, ...school.by() }),
      ]
      for (const answer of answers) {
        const ended = await store.needNoAnswer(1, school.by())
        await answer()
        const undone = await store.takeBack('entry' in ended ? (ended.entry ?? 0) : 0, school.by())
        deepEqual([undone.outcome, await since(school)], ['done', null])
        school.clock.advance(10 * MINUTE)
        await school.receive(...reply)
        equal(await since(school), school.clock.now(), 'they wrote again')
      }
    })

    test('is answered by an email, unless that is canceled or not sent', async t => {
      const school = await aReply(t, engine)
      const { store } = school
      const email = { subject: 'Yes', text: 'Yes, both of you.', answers: undefined, reached: false }
      const write = (token: string, dueAt: number) => store.writeMessage(1, { ...email, token, dueAt, ...school.by() })
      const canceled = await write('a', at('11-25 16:00'))
      equal(await since(school), null)
      await store.cancelMessage('entry' in canceled ? canceled.entry : 0, school.by())
      equal(await since(school), at('11-24 16:30'))
      await write('b', at('11-24 16:31'))
      const hash = await school.hashOf('ben@mail.example')
      await store.stopFollowUpEmails(0, { addressHash: hash, reason: 'bounced', now: school.clock.now() })
      await school.until('11-24 16:32')
      equal(await since(school), at('11-24 16:30'), 'it was not sent')
      await store.unsuppress([hash], [])
      await write('c', at('11-24 16:33'))
      await school.until('11-24 18:30')
      equal(await since(school), null)
      deepEqual(stepsIn(school.diary()), [])
    })

    test('waits until an email is sent that was written for a day far away', async t => {
      const school = await aReply(t, engine)
      const { store } = school
      const called = await store.recordCall(1, { outcome: 'reached', note: '', ...school.by() })
      const email = { subject: 'Yes', text: 'Yes, both of you.', answers: undefined, reached: false, token: 'a' }
      await store.writeMessage(1, { ...email, dueAt: at('11-28 16:00'), ...school.by() })
      await store.undoAction(called.outcome === 'done' ? (called.entry ?? 0) : 0, school.by())
      equal(await since(school), at('11-24 16:30'), 'the call is undone')
      await store.writeMessage(1, { ...email, token: 'b', dueAt: at('11-29 16:00'), ...school.by() })
      equal(await since(school), at('11-24 16:30'))
      await school.until('11-28 15:00')
      deepEqual(stepsIn(school.diary()), REMINDERS)
      await school.until('11-28 16:30')
      equal(await since(school), null)
    })

    test('waits for an answer to what they wrote after an email for a day far away, though that is sent', async t => {
      const school = await aReply(t, engine)
      const { store } = school
      const email = { subject: 'Yes', text: 'Yes, both of you.', answers: undefined, reached: false }
      await store.writeMessage(1, { ...email, token: 'a', dueAt: at('11-28 16:00'), ...school.by() })
      await school.until('11-25 16:30')
      await school.receive(...reply)
      equal(await since(school), at('11-24 16:30'))
      await school.until('11-28 16:30')
      equal(await since(school), at('11-25 16:30'))
      await store.writeMessage(1, { ...email, token: 'b', dueAt: at('11-28 16:31'), ...school.by() })
      equal(await since(school), null)
    })

    test('waits no more once an email for a day far away is sent, though an answer that was written later is canceled', async t => {
      const school = await aReply(t, engine)
      const { store } = school
      const email = { subject: 'Yes', text: 'Yes, both of you.', answers: undefined, reached: false }
      const write = (token: string, dueAt: number) => store.writeMessage(1, { ...email, token, dueAt, ...school.by() })
      await write('far', at('11-28 16:00'))
      await school.until('11-27 16:00')
      const near = await write('near', at('11-29 16:00'))
      await school.until('11-28 16:30')
      const cancel = () => store.cancelMessage('entry' in near ? near.entry : 0, school.by())
      equal((await cancel()).outcome, 'done')
      equal(await since(school), null)
      await school.until('12-01 16:30')
      deepEqual(stepsIn(school.diary()), REMINDERS)
    })

    test('waits for what they wrote after an email for a day far away, once a later answer is canceled', async t => {
      const school = await aReply(t, engine)
      const { store } = school
      const email = { subject: 'Yes', text: 'Yes, both of you.', answers: undefined, reached: false }
      const write = (token: string, dueAt: number) => store.writeMessage(1, { ...email, token, dueAt, ...school.by() })
      await write('far', at('11-28 16:00'))
      await school.until('11-25 16:30')
      await school.receive(...reply)
      await school.until('11-27 16:00')
      const near = await write('near', at('11-29 16:00'))
      await school.until('11-28 16:30')
      await store.cancelMessage('entry' in near ? near.entry : 0, school.by())
      equal(await since(school), at('11-25 16:30'))
    })

    test('who is new has an answer in an email for the end of the holidays: no one is reminded then', async t => {
      const holidays = ['2026-11-25', '2026-11-26', '2026-11-27', '2026-11-30']
      const school = await startSchool(t, { engine, settings: { ...aSchool, school: { ...aSchool.school, holidays } } })
      await school.postStudent(ben())
      await school.until('11-25 16:00')
      await school.postStudent(ben({ message: 'Hello?' }))
      await school.settle()
      const email = { subject: 'Yes', text: 'Yes, both of you.', answers: undefined, reached: false, token: 'a' }
      const by = { actor: 'maria', now: school.clock.now() }
      await school.app.store.writeMessage(1, { ...email, dueAt: at('12-01 14:00'), ...by })
      const before = stepsIn(school.diary())
      await school.until('12-01 13:00')
      equal(await since(school), at('11-25 16:00'))
      await school.until('12-01 20:00')
      equal(await since(school), null)
      deepEqual(stepsIn(school.diary()), before)
    })

    test('is not put off by writing every few minutes, a pause, or a promised call', async t => {
      const school = await aReply(t, engine)
      await school.store.pauseLead(1, school.by())
      const plan = { dueAt: at('11-26 16:30'), words: '', reminders: [], moment: 'Thursday', ...school.by() }
      await school.store.planCallback(1, plan)
      for (const minute of [3, 12, 40]) {
        await school.until(at('11-24 16:30') + minute * MINUTE)
        await school.receive(...reply)
      }
      await school.until('11-24 18:30')
      deepEqual(stepsIn(school.diary()), REMINDERS)
      equal(await since(school), at('11-24 16:30'))
    })

    test('is with the new counselor after an assignment, who is reminded', async t => {
      const school = await aReply(t, engine)
      await school.until('11-24 16:50')
      const { settings } = checkSettings(aSchool)
      const cadence = (await school.store.readFollowUp(1))?.cadence ?? []
      const hours = createCalendar(settings).hoursFor({ state: 'TX', phoneE164: null })
      const restart = restartOf(cadence, 'staff', school.clock.now(), hours)
      await school.store.assignLead(1, { owner: 'sam', restart, ...school.by() })
      await school.until('11-24 16:56')
      deepEqual(stepsIn(school.diary()), [...REMINDERS.slice(0, 2), '11-24 16:55 sam step.1.0'])
    })

    test('waits no more once the lead is closed', async t => {
      const school = await aReply(t, engine)
      await school.store.changeStage(1, { stage: 'closed', closedReason: 'not interested', ...school.by() })
      equal(await since(school), null)
      await school.until('11-25 16:30')
      deepEqual(stepsIn(school.diary()), [])
    })
  })

  describe('a further inquiry', () => {
    test('of someone who was reached waits for an answer, too', async t => {
      const school = await startSchool(t, { engine })
      await school.postStudent(ben())
      await school.settle()
      await contact(school)
      await school.until('11-24 16:30')
      await school.postStudent(ben({ message: 'I still have not heard about the price.' }))
      await school.until('11-24 18:30')
      equal(await since(school), at('11-24 16:30'))
      deepEqual(stepsIn(school.diary()), REMINDERS)
      match(school.sent.at(-1)?.text ?? '', /still have not heard about the price/)
    })

    test('of a new student stops the follow-up emails and the end until someone answers', async t => {
      const school = await startSchool(t, { engine })
      await school.postStudent(ben())
      await school.until(MONDAY + HOUR)
      await school.postStudent(ben({ message: 'Hello?' }))
      await school.until(MONDAY + 5 * DAY)
      equal(school.sent.filter(isLetter).length, 0)
      await school.app.store.needNoAnswer(1, { actor: 'maria', now: school.clock.now() })
      await school.until(MONDAY + 9 * DAY)
      equal(school.sent.filter(isLetter).length, 1)
    })
  })

  describe('a reply to a closed lead', () => {
    test('keeps it closed if someone closed it, but is reminded of until someone answers', async t => {
      const school = await startReceiving(t, engine)
      const by = () => ({ actor: 'maria', now: school.clock.now() })
      await school.store.changeStage(1, { stage: 'closed', closedReason: 'not interested', ...by() })
      await school.until('11-24 16:30')
      await school.receive(...reply)
      await school.until('11-24 18:30')
      deepEqual(stepsIn(school.diary()), REMINDERS)
      deepEqual([(await readLead(school)).lead.stage, await since(school)], ['closed', at('11-24 16:30')])
      const message = { subject: 'Yes', text: 'Yes.', answers: undefined, reached: false, token: 'a' }
      const written = await school.store.writeMessage(1, { ...message, dueAt: school.clock.now(), ...by() })
      equal(written.outcome, 'done')
      await school.until('11-24 18:31')
      equal(school.last('ben@mail.example').subject, 'Yes')
      equal(await since(school), null)
    })

    test('is only recorded if the lead was closed as spam', async t => {
      const school = await startReceiving(t, engine)
      await school.store.changeStage(1, { stage: 'closed', closedReason: 'spam', actor: 'maria', now: MONDAY })
      await school.receive(...reply)
      equal(await since(school), null)
      deepEqual(await timelineOf(school, 'reply'), [`reply ${REPLY}`])
    })
  })

  test('an automatic reply does not wait for an answer', async t => {
    const school = await startReceiving(t, engine)
    await contact(school)
    await school.receive(...reply.slice(0, 3), 'Auto-Submitted: auto-replied', ...reply.slice(3))
    equal(await since(school), null)
  })
})
