/** What strangers can do with mail to the watched mailbox: nothing to a lead, nor to its page. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { aSite } from '../support/bodies.ts'
import { onEachEngine } from '../support/engines.ts'
import { bounceOf, headersOf, startReceiving, vouchedFor } from './receiving.ts'
import { ben, isLetter, MONDAY, readLead, timelineOf } from './school.ts'

const BEN = 'ben@mail.example'
const MARIA = 'maria@school.example'
const fromBen = ['From: Ben <ben@mail.example>', 'Subject: Hello']
const forged = ['Authentication-Results: mx.school.example; dmarc=fail header.from=mail.example', ...fromBen]

onEachEngine(engine => {
  describe('mail that only says that it is from the student', () => {
    test('is recorded as a claim, and stops no email', async t => {
      const school = await startReceiving(t, engine)
      await school.receive(...forged, '', 'Stop writing, I have found a school.')
      deepEqual(await timelineOf(school, 'reply', 'claim'), ['claim Stop writing, I have found a school.'])
      equal((await readLead(school)).lead.repliedAt, null)
      await school.until(MONDAY + 9 * DAY)
      equal(school.sent.filter(isLetter).length, 3)
    })

    test('is not sent to the counselor as a reply, nor can the counselor reply to it', async t => {
      const school = await startReceiving(t, engine)
      await school.receive(...forged, '', 'Please send my papers to pay@evil.example.')
      const { subject, text, replyTo } = school.last(MARIA)
      equal(subject, 'Ben Okafor: did they write this?')
      match(text, /says that it is from\s+ben@mail\.example/)
      match(text, /pay@evil\.example/)
      equal(replyTo, undefined)
    })

    test('restarts no reminders, however much of it comes', async t => {
      const school = await startReceiving(t, engine)
      await school.until(MONDAY + 3 * HOUR)
      const reminders = () => school.diary().filter(line => / step\./.test(line)).length
      const before = reminders()
      for (let i = 0; i < 6; i++) {
        await school.receive(...forged, '', `Hello ${i}`)
        await school.until(MONDAY + (4 + i) * HOUR)
      }
      equal(reminders(), before)
    })

    test('uses up nothing that a genuine reply needs', async t => {
      const school = await startReceiving(t, engine)
      for (let i = 0; i < 30; i++) await school.receive(...forged, '', `Hello ${i}`)
      equal((await timelineOf(school, 'claim')).length, 5)
      equal(school.sent.filter(({ subject }) => /did they write this/.test(subject)).length, 5)
      await school.receive(vouchedFor('mail.example'), ...fromBen, '', 'Call me on Friday.')
      deepEqual(await timelineOf(school, 'reply'), ['reply Call me on Friday.'])
      equal(school.last(MARIA).subject, 'Ben Okafor replied')
    })

    test('is listed the next morning beyond a few a day, so that no genuine one is lost', async t => {
      const school = await startReceiving(t, engine)
      for (let i = 0; i < 7; i++) await school.receive(...forged, '', `Hello ${i}`)
      await school.until(MONDAY + DAY)
      const list = school.last('team@school.example')
      match(list.text, /Hello 5.*Hello 6/s)
      doesNotMatch(list.text, /Hello 4/)
    })

    test('is a claim, too, if it names a message about another lead', async t => {
      const school = await startReceiving(t, engine)
      await school.postStudent(ben({ email: 'eve@evil.example', state: '' }))
      await school.settle()
      const { id } = school.last('eve@evil.example')
      await school.receive(...fromBen, `In-Reply-To: <${id}>`, '', 'I have found a school.')
      deepEqual(await timelineOf(school, 'reply', 'claim'), [])
      const [reply] = (await readLead(school, 2)).timeline.filter(({ kind }) => kind === 'reply')
      equal(reply?.mail?.from, BEN)
    })

    test('is only a claim where no mail server is trusted', async t => {
      const school = await startReceiving(t, engine)
      await school.receive(
        'Authentication-Results: mx.evil.example; dmarc=pass header.from=mail.example',
        ...fromBen,
        '',
        'Hello',
      )
      deepEqual(await timelineOf(school, 'reply', 'claim'), ['claim Hello'])
    })
  })

  describe('a reply counts', () => {
    test('if it names an email of ours to the student', async t => {
      const school = await startReceiving(t, engine)
      await school.receive(...forged, `In-Reply-To: <${school.last(BEN).id}>`, '', 'Friday.')
      deepEqual(await timelineOf(school, 'reply'), ['reply Friday.'])
    })

    test('if it names an email to the staff about that student, whose reply has passed it on', async t => {
      const school = await startReceiving(t, engine)
      await school.receive(...fromBen, `References: <${school.last(MARIA).id}>`, '', 'Friday.')
      deepEqual(await timelineOf(school, 'reply'), ['reply Friday.'])
    })

    test('if our mail server vouches for the sender', async t => {
      const school = await startReceiving(t, engine)
      await school.receive(vouchedFor('mail.example'), ...fromBen, '', 'Friday.')
      deepEqual(await timelineOf(school, 'reply'), ['reply Friday.'])
    })

    test('but restarts the reminders no more than five times a day', async t => {
      const school = await startReceiving(t, engine)
      await school.until(MONDAY + 2 * HOUR)
      const reminders = () => school.diary().filter(line => / step\./.test(line)).length
      const before = reminders()
      const { id } = school.last(BEN)
      for (let i = 0; i < 20; i++) {
        await school.receive(...fromBen, `In-Reply-To: <${id}>`, '', `Hello ${i}`)
        await school.until(MONDAY + 2 * HOUR + (i + 1) * 6 * 60_000)
      }
      equal(reminders() - before, 3)
      equal((await timelineOf(school, 'reply')).length, 20)
    })

    test('and one from another address does not use up the emails about those from theirs', async t => {
      const school = await startReceiving(t, engine)
      const reply = `In-Reply-To: <${school.last(BEN).id}>`
      for (let i = 0; i < 9; i++) await school.receive('From: <eve@evil.example>', reply, '', `Hello ${i}`)
      await school.receive(...fromBen, reply, '', 'Friday.')
      match(school.last(MARIA).text, /Friday\./)
    })
  })

  describe('a forged bounce', () => {
    test('that names an email to the staff gives nothing up, and notifies no one', async t => {
      const school = await startReceiving(t, engine)
      const before = school.sent.length
      const { id } = school.last(MARIA)
      await school.receive(...bounceOf(MARIA, [`Message-ID: <${id}>`]))
      await school.receive(...bounceOf(MARIA, [`Message-ID: <${id}>`, `X-Frontdesk-Mark: ${'0'.repeat(24)}`]))
      deepEqual(await school.store.listMail({ state: 'failed', limit: 9 }), [])
      equal(school.sent.length, before)
    })

    test('that names an email to the student suppresses nothing', async t => {
      const school = await startReceiving(t, engine)
      await school.receive(...bounceOf(BEN, [`Message-ID: <${school.last(BEN).id}>`]))
      await school.until(MONDAY + 9 * DAY)
      equal(school.sent.filter(isLetter).length, 3)
    })

    test('carries the mark of no other email', async t => {
      const school = await startReceiving(t, engine)
      const [mine, other] = [school.last(BEN), school.last(MARIA)]
      await school.receive(...bounceOf(MARIA, headersOf({ ...mine, id: other.id })))
      deepEqual(await school.store.listMail({ state: 'failed', limit: 9 }), [])
    })

    test('pushes nothing off the page, nor does a forged automatic reply or complaint', async t => {
      const school = await startReceiving(t, engine)
      for (let i = 0; i < 20; i++) {
        await school.receive(...bounceOf(BEN, ['Message-ID: <x@else.example>'], `no user ${i}`))
        await school.receive(...forged, 'Auto-Submitted: auto-replied', '', 'Away')
      }
      const { timeline } = await readLead(school)
      equal(timeline.filter(({ kind }) => kind === 'bounce').length, 5)
      equal(timeline.filter(({ kind }) => kind === 'auto-reply').length, 5)
      ok(timeline.filter(({ kind }) => kind === 'bounce').every(({ mail }) => mail?.unproven))
    })
  })

  describe('a genuine bounce', () => {
    test('still counts after any number of forged ones', async t => {
      const school = await startReceiving(t, engine)
      for (let i = 0; i < 9; i++) await school.receive(...bounceOf(BEN, ['Message-ID: <x@else.example>']))
      await school.receive(...bounceOf(BEN, headersOf(school.last(BEN))))
      equal((await school.store.readSuppression([await school.hashOf(BEN)]))?.reason, 'bounced')
      equal(school.last(MARIA).subject, 'Ben Okafor: email bounced')
    })

    test('of a message to the staff that is only delayed gives nothing up, and notifies no one', async t => {
      const school = await startReceiving(t, engine)
      const before = school.sent.length
      await school.receive(...bounceOf(MARIA, headersOf(school.last(MARIA)), 'later', 'delayed'))
      deepEqual(await school.store.listMail({ state: 'failed', limit: 9 }), [])
      equal(school.sent.length, before)
    })

    test('of a digest marks it as given up', async t => {
      const school = await startReceiving(t, engine)
      const { store } = school
      await school.postSite(aSite({ website: 'https://x.example' }))
      await school.settle()
      await school.until(MONDAY + DAY)
      const digest = school.sent.find(({ id }) => id.startsWith('digest.'))
      ok(digest)
      await school.receive(...bounceOf(digest.to.address, headersOf(digest)))
      const [failed] = await store.listMail({ state: 'failed', limit: 9 })
      equal(failed?.kind, 'digest')
    })
  })
})
