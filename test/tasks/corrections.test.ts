/** Correcting a mistyped address or number of a lead: who gets what from then on, and what stays. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Message } from '../../src/mail/transport/mailer.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { aForm } from '../support/form-details.ts'
import { anArrival } from '../support/store.ts'
import { bounceOf, headersOf, startReceiving } from './receiving.ts'
import { ben, noSuchMailbox, startSchool, timelineOf } from './school.ts'

const WRONG = 'ben@mial.example'
const RIGHT = 'ben@mail.example'
const OLD_PHONE = '512-555-0199'
const as = { phone: OLD_PHONE, phoneE164: '+15125550199', again: [], actor: 'sam' }

/** Ben has mistyped his address, and the mail server does not know it. */
async function aMistypedLead(t: TestContext, engine: Engine) {
  const school = await startSchool(t, {
    engine,
    mail: async ({ to }) => {
      if (to.address === WRONG) throw noSuchMailbox()
    },
  })
  await school.postStudent(ben({ email: WRONG, phone: OLD_PHONE }))
  await school.settle()
  const { store } = school.app
  const now = () => school.clock.now()
  const correct = async (more: object = {}) => {
    const result = await store.correctLead(1, { ...as, email: RIGHT, ...more, now: now() })
    await school.settle()
    return result
  }
  const lead = async () => (await store.readLead(1))?.lead
  const phones = async () => {
    const found = await lead()
    return found && (await store.readPhones(found)).map(({ phone }) => phone)
  }
  const to = (address: string) => school.sent.filter(one => one.to.address === address)
  return { ...school, store, now, correct, lead, phones, to }
}

onEachEngine(engine => {
  describe('a corrected address', () => {
    test('gets what failed, and the follow-up emails; the old one stays suppressed', async t => {
      const { store, lead, correct, to, until, now, hashOf } = await aMistypedLead(t, engine)
      equal((await store.readSuppression([await hashOf(WRONG)]))?.reason, 'bounced')
      const emails = await store.listEmailsToPerson({ id: 1, stage: 'new', correctedAt: null })
      deepEqual(
        emails.map(({ task, failed }) => [task.kind, task.state, failed]),
        [['receipt', 'dead', true]],
      )
      const again = emails.map(({ task }) => task.id)
      equal((await correct({ again })).outcome, 'done')
      equal((await lead())?.email, RIGHT)
      equal(to(RIGHT).length, 1)
      equal(await store.readSuppression([await hashOf(RIGHT)]), undefined)
      await until(now() + 3 * DAY)
      ok(to(RIGHT).length > 1)
      equal((await correct()).outcome, 'before')
    })

    test('is in messages to the staff, and the counselor learns of it from a colleague', async t => {
      const school = await aMistypedLead(t, engine)
      await school.correct({ phone: '512-555-0100', phoneE164: '+15125550100' })
      const news = school.to('maria@school.example').findLast(({ id }) => id.startsWith('news'))
      match(news?.subject ?? '', /Ben Okafor: new contact data/)
      match(news?.text ?? '', /Corrected by Sam Example/)
      match(news?.text ?? '', /ben@mial\.example → ben@mail\.example/)
      match(news?.text ?? '', /512-555-0199 → 512-555-0100/)
      deepEqual(await school.phones(), ['512-555-0100'])
      const before = school.sent.length
      await school.until(school.now() + 2 * HOUR)
      const [reminder] = school.sent.slice(before).filter(({ id }) => id.startsWith('step'))
      equal(reminder?.replyTo?.address, RIGHT)
      match(reminder?.html ?? '', /\(512\) 555-0100/)
      doesNotMatch(reminder?.html ?? '', /555-0199|mial/)
    })

    test('can be undone, unless someone has written from the old one since', async t => {
      const school = await aMistypedLead(t, engine)
      const { store, correct, lead, now, clock } = school
      await correct({ phone: '512-555-0100', phoneE164: '+15125550100' })
      const undo = async () => {
        const entry = await store.readUndoable(1, now())
        return (await store.undoAction(entry?.id ?? 0, { actor: 'sam', now: now() })).outcome
      }
      clock.advance(MINUTE)
      equal(await undo(), 'done')
      const found = await lead()
      deepEqual([found?.email, found?.phone, found?.phoneE164], [WRONG, OLD_PHONE, '+15125550199'])
      deepEqual(await school.phones(), [OLD_PHONE])
      clock.advance(MINUTE)
      await correct()
      await school.postStudent(ben({ email: WRONG, idempotencyKey: 'again, mistyped again' }))
      await school.settle()
      equal(await undo(), 'before')
      equal((await lead())?.email, RIGHT)
      deepEqual(await timelineOf(school, 'undone'), ['undone corrected:  sam'])
    })

    test('leaves the language as it is', async t => {
      const { correct, lead } = await aMistypedLead(t, engine)
      await correct()
      deepEqual([(await lead())?.language, (await lead())?.languageAt], [null, null])
    })

    test('that has another open lead is left to that one', async t => {
      const school = await aMistypedLead(t, engine)
      await school.postStudent(ben({ idempotencyKey: 'the right address' }))
      await school.settle()
      deepEqual(await school.correct({ email: 'BEN@mail.example' }), { outcome: 'taken', by: 2 })
      equal((await school.lead())?.email, WRONG)
      const { store } = school
      const closed = { stage: 'closed', closedReason: 'duplicate', actor: 'sam' } as const
      await store.changeStage(1, { ...closed, now: school.now() })
      equal((await school.correct()).outcome, 'done')
      await school.postStudent(ben({ idempotencyKey: 'a third time' }))
      await school.settle()
      equal((await store.readLead(2))?.submissions.length, 2)
    })
  })
})

onEachEngine(engine => {
  describe('a corrected language', () => {
    async function aLead(t: TestContext) {
      const school = await startSchool(t, { engine })
      await school.postStudent(ben())
      await school.settle()
      const { store } = school.app
      const now = () => school.clock.now()
      const { email, phone } = ben()
      const correct = (language: string) =>
        store.correctLead(1, { ...as, email, phone: phone ?? '', language, now: now() })
      const lead = async () => (await store.readLead(1))?.lead
      const found = async (language: string) =>
        (await store.listInbox({ language }, { limit: 9 })).rows.map(one => one.lead.id)
      const undo = async () => {
        const entry = await store.readUndoable(1, now())
        return (await store.undoAction(entry?.id ?? 0, { actor: 'sam', now: now() })).outcome
      }
      const sendForm = async (language: string, receivedAt: number) => {
        const { idempotencyKey: _, ...body } = ben()
        await store.accept(anArrival({ email, form: aForm({ language }), receivedAt, body: JSON.stringify(body) }))
        store.announce()
        await school.settle()
      }
      return { ...school, store, now, correct, lead, found, undo, sendForm }
    }

    test('is where follow-up emails go from then on, and lists find the lead by it', async t => {
      const school = await aLead(t)
      const { correct, lead, found, now } = school
      equal((await correct('es')).outcome, 'done')
      equal((await correct('es')).outcome, 'before')
      deepEqual([(await lead())?.language, await found('es')], ['es', [1]])
      deepEqual(await timelineOf(school, 'corrected'), ['corrected Language: not known → Spanish sam'])
      // Emails to the address go on as they were.
      equal((await lead())?.correctedAt, null)
      await school.until(now() + 3 * DAY)
      const letter = school.sent.findLast(({ to }) => to.address === ben().email)
      match(letter?.text ?? '', /^Hola/)
    })

    test('can be undone, unless the person has sent a form since', async t => {
      const { correct, lead, found, undo, sendForm, now, clock } = await aLead(t)
      await correct('es')
      clock.advance(MINUTE)
      equal(await undo(), 'done')
      deepEqual([(await lead())?.language, await found('es')], [null, []])
      await correct('es')
      clock.advance(MINUTE)
      await sendForm('pt-BR', now())
      equal((await lead())?.language, 'pt-BR')
      equal(await undo(), 'done')
      deepEqual([(await lead())?.language, await found('pt-BR')], ['pt-BR', [1]])
    })

    test('stays when a form that was sent before is filed later, also after a merge', async t => {
      const { correct, lead, found, sendForm, now, clock, store, postStudent, settle } = await aLead(t)
      const earlier = now()
      clock.advance(MINUTE)
      await correct('es')
      await sendForm('en', earlier)
      deepEqual([(await lead())?.language, await found('es')], ['es', [1]])
      await postStudent(ben({ email: 'ben@work.example', idempotencyKey: 'another address' }))
      await settle()
      const other = (await store.findLeadsOf('ben@work.example'))[0]?.id ?? 0
      const merged = await store.mergeLeads(other, { other: 1, actor: 'sam', now: now() })
      equal(merged.outcome, 'done')
      await sendForm('en', earlier)
      const kept = await store.findLead(other)
      deepEqual([kept?.language, await found('es')], ['es', [other]])
    })
  })
})

/** Someone has corrected the address under which Ben got his first emails. */
async function aCorrectedLead(t: TestContext) {
  const school = await startReceiving(t, 'sqlite')
  const { store, clock, hashOf } = school
  const old = school.last(FIRST)
  clock.advance(HOUR)
  await store.correctLead(1, { ...as, email: NEW, now: clock.now() })
  await school.settle()
  const reason = async (email: string) => (await store.readSuppression([await hashOf(email)]))?.reason
  return { ...school, old, reason }
}

const FIRST = 'ben@mail.example'
const NEW = 'benjamin@mail.example'

test('a late bounce of the old address does not hit the new one', async t => {
  const school = await aCorrectedLead(t)
  const before = school.sent.length
  await school.receive(...bounceOf(FIRST, headersOf(school.old)))
  equal(await school.reason(FIRST), 'bounced')
  equal(await school.reason(NEW), undefined)
  equal(school.sent.length, before)
})

test('the owner of the old address stops the emails to it, not those to the new one', async t => {
  const school = await aCorrectedLead(t)
  const press = async ({ unsubscribe = '' }: Message) => {
    const { pathname } = new URL(unsubscribe)
    await fetch(school.origin.learn + pathname, { method: 'POST' })
  }
  await press(school.old)
  equal(await school.reason(FIRST), 'unsubscribed')
  equal(await school.reason(NEW), undefined)
  await school.until(school.clock.now() + 3 * DAY)
  await press(school.last(NEW))
  equal(await school.reason(NEW), 'unsubscribed')
})
