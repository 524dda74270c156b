/**
 * The effects of a message in the watched mailbox, given its classification. Other tests read messages
 * from a real mailbox.
 */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { DAY, HOUR } from '../../src/platform/time.ts'
import type { InboundRecord } from '../../src/store/mail/mailboxes.ts'
import type { LeadEvent } from '../../src/store/mail/person-events.ts'
import { startApp } from '../support/app.ts'
import { aSite } from '../support/bodies.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { asked, startStore } from '../support/store.ts'
import { ben, MONDAY, readLead, startSchool, stepsIn, timelineOf } from './school.ts'

const place = { mailbox: 'ben@imap.example', uidValidity: '1' }

/** A school that has sent its first follow-up email to Ben, and watches its mailbox. */
async function aWatchingSchool(t: TestContext, engine: Engine) {
  const service = await startSchool(t, { engine })
  const { store } = service.app
  await service.postStudent(ben())
  await service.until(MONDAY + DAY + HOUR)
  await store.setMailboxPosition(place.mailbox, { uidValidity: '1', lastUid: 6, lastArrival: 0 })
  const addressHash = await service.hashOf('ben@mail.example')
  const record = (over: Partial<InboundRecord>) =>
    store.recordInbound({ ...place, uid: 7, effect: null, ...over }, service.clock.now())
  const effectOf = (event: LeadEvent, reason?: 'bounced' | 'complaint') => ({
    leadId: 1,
    event,
    suppression: reason ? { addressHash, reason } : null,
  })
  const told = async () => {
    await service.settle()
    return service.sent.filter(({ id }) => id.startsWith('news'))
  }
  return { ...service, store, record, effectOf, told, addressHash }
}

const reply: LeadEvent = { kind: 'reply', detail: 'Friday at 5 p.m.,\nplease call me.', tell: true }

onEachEngine(engine => {
  describe('a reply', () => {
    test('is in the timeline and sent to the counselor, who can reply to the student', async t => {
      const service = await aWatchingSchool(t, engine)
      equal(await service.record({ effect: service.effectOf(reply) }), true)
      deepEqual(await timelineOf(service, 'reply'), [`reply ${reply.detail}`])
      equal((await readLead(service)).lead.repliedAt, service.clock.now())
      const [message, ...others] = await service.told()
      equal(others.length, 0)
      equal(message?.to.address, 'maria@school.example')
      equal(message?.replyTo?.address, 'ben@mail.example')
      match(message?.subject ?? '', /^Ben Okafor replied$/)
      match(message?.text ?? '', /Friday at 5 p\.m\.,\n.*please call me\./)
      equal(message?.unsubscribe, undefined)
    })

    test('ends the follow-up emails, and the lead stays open', async t => {
      const service = await aWatchingSchool(t, engine)
      await service.record({ effect: service.effectOf(reply) })
      await service.until(MONDAY + 30 * DAY)
      equal(stepsIn(service.diary()).length, 4)
      match((await service.steps())[4] ?? '', /the student has replied/)
      equal((await readLead(service)).lead.stage, 'new')
    })

    test('goes to the team if no counselor has the lead', async t => {
      const service = await aWatchingSchool(t, engine)
      await service.store.assignLead(1, { owner: null, actor: null, now: MONDAY })
      await service.record({ effect: service.effectOf(reply) })
      // Emails about the hand-over come in any order with it.
      const about = (await service.told()).filter(({ subject }) => /replied$/.test(subject))
      deepEqual(
        about.map(({ to }) => to.address),
        ['admissions@localhost'],
      )
    })
  })

  describe('an automatic reply', () => {
    test('is recorded, stops nothing and notifies no one', async t => {
      const service = await aWatchingSchool(t, engine)
      const effect = service.effectOf({ kind: 'auto-reply', detail: 'Out of office', tell: false })
      await service.record({ effect })
      deepEqual(await service.told(), [])
      deepEqual(await timelineOf(service, 'auto-reply'), ['auto-reply Out of office'])
      await service.until(MONDAY + 30 * DAY)
      equal(stepsIn(service.diary()).length, 6)
    })
  })

  describe('a bounce', () => {
    test('for good stops the emails and notifies the counselor, without Reply-To', async t => {
      const service = await aWatchingSchool(t, engine)
      const event = { kind: 'bounce', detail: '5.1.1 no such user', tell: true } as const
      await service.call()
      await service.record({ effect: service.effectOf(event, 'bounced') })
      const [message] = await service.told()
      equal(message?.to.address, 'maria@school.example')
      equal(message?.replyTo, undefined)
      match(message?.text ?? '', /5\.1\.1 no such user/)
      equal((await service.store.readSuppression([service.addressHash]))?.reason, 'bounced')
      await service.until(MONDAY + 30 * DAY)
      equal(stepsIn(service.diary()).length, 4)
      equal((await readLead(service)).lead.closedReason, 'unreachable')
    })

    test('for a temporary reason, such as a full mailbox, is only recorded', async t => {
      const service = await aWatchingSchool(t, engine)
      const effect = service.effectOf({ kind: 'bounce', detail: '4.2.2 mailbox full', tell: false })
      await service.record({ effect })
      deepEqual(await service.told(), [])
      equal(await service.store.readSuppression([service.addressHash]), undefined)
      await service.until(MONDAY + 30 * DAY)
      equal(stepsIn(service.diary()).length, 6)
    })
  })

  describe('a complaint', () => {
    test('stops the emails to the person for good, even in a later lead', async t => {
      const service = await aWatchingSchool(t, engine)
      const event = { kind: 'complaint', detail: 'abuse', tell: true } as const
      await service.record({ effect: service.effectOf(event, 'complaint') })
      match((await service.told())[0]?.subject ?? '', /reported our email as spam/)
      await service.call()
      await service.until(MONDAY + 20 * DAY)
      equal((await readLead(service)).lead.closedReason, 'unsubscribed')
      const before = service.diary().length
      await service.postStudent(ben())
      await service.until(MONDAY + 40 * DAY)
      doesNotMatch(service.diary().slice(before).join('\n'), / ben /)
      equal(stepsIn(service.diary().slice(before)).length, 3)
    })
  })

  describe('a message of a watched mailbox', () => {
    test('takes effect once, however many processes read the mailbox', async t => {
      const service = await aWatchingSchool(t, engine)
      const { database, clock } = service
      const other = await startStore(t, { database, clock })
      const inbound = { ...place, uid: 7, arrivedAt: 5000, effect: service.effectOf(reply) }
      const fresh = await Promise.all(
        [service.store, other.store, service.store, other.store].map(store =>
          store.recordInbound(inbound, clock.now()),
        ),
      )
      equal(fresh.filter(Boolean).length, 1)
      equal((await timelineOf(service, 'reply')).length, 1)
      equal((await service.told()).length, 1)
      deepEqual(await service.store.readMailboxPosition(place.mailbox), {
        uidValidity: '1',
        lastUid: 7,
        lastArrival: 5000,
      })
    })

    test('before the saved position has no effect, nor has one of another UIDVALIDITY', async t => {
      const service = await aWatchingSchool(t, engine)
      const effect = service.effectOf(reply)
      equal(await service.record({ uid: 6, effect }), false)
      equal(await service.record({ uidValidity: '2', effect }), false)
      equal(await service.record({ mailbox: 'another', effect }), false)
      deepEqual(await timelineOf(service, 'reply'), [])
      equal(await service.record({ uid: 9 }), true)
      equal((await service.store.readMailboxPosition(place.mailbox))?.lastUid, 9)
    })

    test('is counted from the start when the mailbox was recreated, by the first reader that sees it', async t => {
      const service = await aWatchingSchool(t, engine)
      const { store } = service
      await store.setMailboxPosition(place.mailbox, { uidValidity: '1', lastUid: 2, lastArrival: 0 })
      equal((await store.readMailboxPosition(place.mailbox))?.lastUid, 6)
      await store.setMailboxPosition(place.mailbox, { uidValidity: '2', lastUid: 3, lastArrival: 0 })
      await store.setMailboxPosition(place.mailbox, { uidValidity: '2', lastUid: 1, lastArrival: 0 })
      deepEqual(await store.readMailboxPosition(place.mailbox), { uidValidity: '2', lastUid: 3, lastArrival: 0 })
      equal(await service.record({ uid: 7, effect: service.effectOf(reply) }), false)
      const effect = service.effectOf(reply)
      equal(await service.record({ uidValidity: '2', uid: 4, effect }), true)
      equal(await store.readMailboxPosition('another'), undefined)
    })

    test('about an erased lead still stops emails to the address', async t => {
      const service = await aWatchingSchool(t, engine)
      const event = { kind: 'complaint', detail: 'abuse', tell: true } as const
      const suppression = { addressHash: 'hash of another', reason: 'complaint' } as const
      equal(await service.record({ effect: { leadId: 99, event, suppression } }), true)
      equal((await service.store.readSuppression(['hash of another']))?.reason, 'complaint')
      deepEqual(await service.told(), [])
    })

    test('is matched by address: the open lead first, then the newest', async t => {
      const service = await aWatchingSchool(t, engine)
      const { store } = service
      await service.until(MONDAY + 20 * DAY)
      await service.postStudent(ben({ email: 'BEN@mail.example' }))
      await service.settle()
      deepEqual(await store.findLeadsAt('Ben@mail.example', 'student'), [
        { id: 2, open: true },
        { id: 1, open: false },
      ])
      await store.changeStage(2, { stage: 'closed', closedReason: 'duplicate', actor: null, now: MONDAY })
      await store.changeStage(1, { stage: 'new', closedReason: null, actor: null, now: MONDAY })
      equal((await store.findLeadsAt('ben@mail.example', 'student'))[0]?.id, 1)
      deepEqual(await store.findLeadsAt('eve@mail.example', 'student'), [])
    })
  })

  test('an alert is not recorded for another lead whose submission has the number of its entry', async t => {
    const service = await startApp(t, { engine })
    const { store } = service.app
    for (let i = 0; i < 6; i++) await service.postSite(aSite({ website: 'https://x.example' }))
    await service.postStudent(ben())
    await service.settle()
    await store.releaseQuarantined(6, { now: service.clock.now() })
    await service.settle()
    await store.stopFollowUpEmails(7, { addressHash: 'hash', reason: 'not me', now: service.clock.now() })
    await service.settle()
    ok(service.sent.some(({ id }) => id.startsWith('news.6.')))
    deepEqual(
      (await store.readLead(6))?.timeline.map(({ kind, detail }) => `${kind} ${detail}`),
      ['submission ', 'email notify'],
    )
  })

  test('a flood of mail about no lead is forwarded one by one, then in a list that says if it leaves any out', async t => {
    const service = await aWatchingSchool(t, engine)
    const at = service.clock.now() + HOUR
    const morning = { day: 20261125, at }
    for (let i = 1; i <= 221; i++) {
      const mail = { sender: `s${i}@else.example`, subject: '', text: 'Hello', attachments: [] }
      await service.record({ uid: 6 + i, stray: { mail, morning } })
    }
    await service.until(at)
    const forwarded = service.sent.filter(({ id }) => /^(forward|strays)\./.test(id))
    equal(forwarded.length, 21)
    const { subject = '', text = '' } = forwarded.at(-1) ?? {}
    equal(subject, 'More than 200 emails from people who are not leads')
    equal(text.match(/s\d+@else\.example/g)?.length, 200)
    match(text, /There are more than these 200: look through the mailbox/)
  })

  test('a forwarded mail that comes back is given up, and is not recorded for the lead whose submission has its number', async t => {
    const service = await aWatchingSchool(t, engine)
    const { store } = service
    const mail = { sender: 'stranger@else.example', subject: '', text: 'Hello', attachments: [] }
    const morning = { day: 20261125, at: service.clock.now() + DAY }
    await service.record({ stray: { mail, morning } })
    await service.settle()
    const before = await timelineOf(service, 'email')
    const forward = { kind: 'forward', subject: 1, step: 0 } as const
    const sent = await store.findMessage(forward)
    deepEqual([sent?.leadId, sent?.toStudent], [null, false])
    const returned = { ...forward, note: 'bounced: User unknown', about: null }
    await service.record({ uid: 8, returned })
    equal((await store.listMail({ state: 'failed', limit: 9 }))[0]?.kind, 'forward')
    deepEqual(await timelineOf(service, 'email'), before)
  })

  test('an alert about a lead that is erased before it is sent is not sent', async t => {
    const service = await aWatchingSchool(t, engine)
    await service.record({ effect: service.effectOf(reply) })
    await service.store.erasePerson('ben@mail.example', { ...asked, addressHash: service.addressHash, now: MONDAY })
    deepEqual(await service.told(), [])
    const [task] = await sql(service.database, `select * from tasks where kind = 'news'`)
    deepEqual([task?.['state'], task?.['note']], ['skipped', 'the lead was erased'])
  })
})
