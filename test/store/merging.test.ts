/** Merging two leads of one person, and separating them again. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DAY, HOUR } from '../../src/platform/time.ts'
import type { StepContext } from '../../src/store/follow-up/claimed-steps.ts'
import { assignmentCopies } from '../../src/store/outbox/mail-steps.ts'
import type { Store } from '../../src/store/store.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { EMAILS, mergeDesk } from './merge-desk.ts'

const page = { submissions: { limit: 50 }, entries: { limit: 100 }, now: 0, today: '2026-11-23' }

/** Everything that people see of leads, except that they were merged and separated. */
async function seen(store: Store, ids: readonly number[], now: number) {
  const leads = []
  for (const id of ids) {
    const found = await store.readLeadPage(id, page)
    const lead = await store.findExactLead(id)
    if (found === undefined || lead === undefined) throw new Error(`lead ${id} is missing`)
    const { updatedAt: _, ...facts } = lead
    const followUp = await store.readFollowUp(id)
    leads.push({
      facts,
      submissions: found.submissions,
      earlier: found.earlier,
      merged: found.merged,
      timeline: found.timeline.filter(({ kind }) => kind !== 'merged' && kind !== 'unmerged'),
      mails: found.mails
        .filter(({ kind }) => kind !== 'news')
        .map(({ id: _, scheduled_at: __, ...task }) => task)
        .toSorted((one, two) => (JSON.stringify(one) < JSON.stringify(two) ? -1 : 1)),
      steps: followUp?.steps,
      phones: await store.readPhones(lead),
    })
  }
  const inbox = await store.listInbox({}, { limit: 10 })
  const found = []
  for (const text of [...EMAILS, 'ruiz', 'stone', 'no', '5550100', '5550199']) {
    const words = { words: [], prefix: text.split('@')[0] ?? '' }
    found.push((await store.listInbox({ words }, { limit: 10 })).rows.map(({ lead }) => lead.id))
  }
  const due = await store.listDueLeads({ until: now + DAY, limit: 10 })
  return {
    leads,
    found,
    inbox: inbox.rows.map(({ lead: { updatedAt: _, ...lead }, ...row }) => ({ ...row, lead })),
    due: due.leads.map(({ id }) => id),
  }
}

onEachEngine(engine => {
  describe('a merged lead', () => {
    test('carries tags over, finds the kept lead by them, and gives back what came from the other', async t => {
      const { store, twoLeads, merge, unmerge, by } = await mergeDesk(t, engine)
      await twoLeads()
      const tag = (id: number, name: string) => store.addLabel(id, { kind: 'tag', name, ...by() })
      for (const [id, name] of [
        [1, 'Both'],
        [2, 'Both'],
        [2, 'Fair'],
      ] as const)
        await tag(id, name)
      const tagsOf = async (id: number) => ((await store.readLabels([id])).get(id) ?? []).map(({ name }) => name)
      const fair = (await store.listLabels('tag')).find(({ name }) => name === 'Fair')?.id ?? 0
      const found = async () =>
        (await store.listInbox({ labels: [fair] }, { limit: 9 })).rows.map(({ lead }) => lead.id)
      equal(await merge(1, 2), 'done')
      deepEqual(await tagsOf(1), ['Both', 'Fair'])
      deepEqual(await found(), [1])
      // The kept lead gets what is given to the merged one.
      await tag(2, 'Later')
      equal(await unmerge(2), 'done')
      deepEqual(
        [await tagsOf(1), await tagsOf(2)],
        [
          ['Both', 'Later'],
          ['Both', 'Fair'],
        ],
      )
      deepEqual(await found(), [2])
    })

    test('gives what is done to it to the lead that is kept, also by someone who has its page open', async t => {
      const { store, twoLeads, merge, by, clock, database } = await mergeDesk(t, engine)
      await twoLeads()
      const plan = { to: 'one' as const, people: ['sam'] }
      await store.assignLead(2, { owner: 'maria', ...by('manager') })
      const handOver = await store.startHandOver({ from: 'maria', fromName: 'Maria', plan, ...by('manager') })
      ok(handOver !== 'before')
      equal(await merge(1, 2), 'done')
      const moves = [{ leadId: 2, owner: 'sam', restart: undefined }]
      const portion = { version: 0, moves, turns: {}, now: clock.now() }
      equal(await store.handOverPortion(handOver, portion), true)
      const dueAt = clock.now() + DAY
      const promised = { dueAt, words: '', reminders: [], moment: 'then' }
      const phone = '+15125550101'
      const contact = { email: EMAILS[0] ?? '', phone, phoneE164: phone, again: [] }
      for (const { outcome } of [
        await store.addNote(2, { text: 'called', ...by() }),
        await store.recordCall(2, { outcome: 'no answer', note: '', ...by() }),
        await store.assignLead(2, { owner: 'sam', ...by() }),
        await store.planCallback(2, { ...promised, ...by() }),
        await store.correctLead(2, { ...contact, ...by() }),
        await store.holdLead(2, { reason: 'a case', until: null, note: 'held', ...by() }),
      ])
        equal(outcome, 'done')
      deepEqual(await sql(database, 'select id from timeline where lead_id = 2'), [])
      const [kept] = await sql(database, 'select owner, callback_at from leads where id = 1')
      deepEqual([kept?.['owner'], Number(kept?.['callback_at'])], ['sam', dueAt])
    })

    test('has both histories in one order, and stands in every list once', async t => {
      const { store, merge, entries, list, twoLeads, by } = await mergeDesk(t, engine)
      await twoLeads()
      await store.addNote(1, { text: 'first', ...by() })
      await store.addNote(2, { text: 'second', ...by() })
      await store.addNote(1, { text: 'third', ...by() })
      equal(await merge(1, 2), 'done')
      equal(await merge(1, 2), 'before')
      equal(await merge(2, 1), 'before')
      deepEqual(await entries(1), [
        'submission',
        'submission',
        'note first',
        'note second',
        'note third',
        'merged Lead 2: Ana Ruiz, ruiz@home.example, +15125550199',
      ])
      deepEqual(await list(), [1])
      deepEqual(
        (await store.listInbox({}, { limit: 10 })).rows.map(row => row.inquiries),
        [2],
      )
      for (const email of EMAILS.slice(0, 2)) {
        deepEqual(
          (await store.findLeadsOf(email)).map(({ id }) => id),
          [1],
        )
        deepEqual(await store.findLeadsAt(email, 'student'), [{ id: 1, open: true }])
        const words = { words: [], prefix: email.split('@')[0] ?? '' }
        deepEqual(
          (await store.listInbox({ words }, { limit: 9 })).rows.map(row => row.lead.id),
          [1],
        )
      }
      deepEqual(
        (await store.searchLeads({ phone: '+15125550199', digits: '' }, { limit: 9 })).leads.map(({ id }) => id),
        [1],
      )
      const lead = await store.findLead(2)
      equal(lead?.id, 1)
      deepEqual(
        (await store.readPhones(lead as NonNullable<typeof lead>)).map(({ phone }) => phone),
        ['+15125550100', '+15125550199'],
      )
      const [merged] = await store.readMergedLeads(1)
      deepEqual([merged?.lead.id, merged?.lead.email, merged?.into], [2, EMAILS[1], 1])
    })

    test('takes over the furthest stage, and the strictest agreement', async t => {
      const { store, clock, write, merge, by } = await mergeDesk(t, engine)
      await write({ consent: true })
      clock.advance(HOUR)
      await write({ email: EMAILS[1], consent: false })
      await store.assignLead(2, { owner: 'sam', ...by() })
      await store.changeStage(2, { stage: 'contacted', closedReason: null, ...by() })
      const dueAt = clock.now() + DAY
      const promised = { dueAt, words: '', reminders: [], moment: 'tomorrow' }
      await store.planCallback(2, { ...promised, ...by() })
      equal(await merge(1, 2), 'done')
      const lead = await store.findLead(1)
      deepEqual(
        [lead?.stage, lead?.owner, lead?.consent, lead?.callbackAt, lead?.firstContactAt],
        ['contacted', 'sam', 'refused', dueAt, clock.now()],
      )
      const consented = await store.listLeads({ consent: 'given', limit: 10 })
      deepEqual(consented, [])
    })

    test('gets the callbacks of the other, and gives them back; what ended meanwhile pauses nothing', async t => {
      const { store, clock, write, merge, unmerge, by } = await mergeDesk(t, engine)
      await write({})
      await write({ email: EMAILS[1] })
      const dueAt = clock.now() + DAY
      await store.planCallback(2, { dueAt, words: 'About the price', reminders: [], moment: 'tomorrow', ...by() })
      equal(await merge(1, 2), 'done')
      const [callback] = await store.listCallbacks(1)
      deepEqual([callback?.words, (await store.findLead(1))?.callbackAt], ['About the price', dueAt])
      await unmerge(2)
      deepEqual([(await store.listCallbacks(1)).length, (await store.listCallbacks(2)).length], [0, 1])
      equal(await merge(1, 2), 'done')
      await store.endCallback(1, { callback: callback?.id ?? 0, words: 'done', ...by() })
      equal((await store.findLead(1))?.pausedAt, null)
      await unmerge(2)
      equal((await store.findLead(2))?.pausedAt, null)
    })

    test('gives back the emails about an inquiry with it, so that either person can be erased', async t => {
      const { store, write, merge, unmerge, twoLeads, entries, clock } = await mergeDesk(t, engine)
      await twoLeads()
      await merge(1, 2)
      const inquiry = await write({ email: EMAILS[1] })
      const mail = await store.claimTasks({ lane: 'mail', now: clock.now(), token: 'mail', limit: 10 })
      const about = mail.filter(({ kind, subject }) => kind === 'notify' && subject === inquiry)
      equal(about.length, 1)
      await store.recordSent(about.map(task => ({ task, to: 'Maria', now: clock.now() })))
      equal(await unmerge(2), 'done')
      const isEmail = (entry: string) => entry.startsWith('email')
      deepEqual([(await entries(1)).filter(isEmail), (await entries(2)).filter(isEmail)], [[], ['email notify']])
      const asked = { askedBy: 'them', confirmedBy: null, reason: 'asked', addressHash: undefined } as const
      const erased = await store.erasePerson(EMAILS[1] ?? '', { ...asked, now: clock.now() })
      deepEqual([erased.leads, erased.submissions], [1, 2])
      equal((await store.findLead(1))?.email, EMAILS[0])
    })

    test('gets the inquiries from either address, and gives them back', async t => {
      const { store, write, merge, unmerge, twoLeads, list, entries, clock } = await mergeDesk(t, engine)
      await twoLeads()
      await merge(1, 2)
      clock.advance(HOUR)
      await write({ email: EMAILS[1], consent: false })
      await write({ email: EMAILS[0] })
      deepEqual(await list(), [1])
      equal((await entries(1)).filter(entry => entry === 'submission').length, 4)
      equal((await store.findLead(1))?.consent, 'refused')
      equal(await unmerge(2), 'done')
      deepEqual(await list(), [2, 1])
      const counts = []
      for (const id of [1, 2]) counts.push((await store.readLeadPage(id, page))?.submissionCount)
      deepEqual(counts, [2, 2])
      equal((await store.findLead(2))?.consent, 'refused')
      await write({ email: EMAILS[1] })
      equal((await store.readLeadPage(2, page))?.submissionCount, 3)
    })

    test('that is closed lets a further inquiry open a lead of its own', async t => {
      const { store, write, merge, unmerge, twoLeads, list, by } = await mergeDesk(t, engine)
      await twoLeads()
      await merge(1, 2)
      await store.changeStage(1, { stage: 'closed', closedReason: 'not interested', ...by() })
      await write({ email: EMAILS[1] })
      deepEqual(await list(), [3, 1])
      deepEqual(
        (await store.findEarlierLeads(3)).map(({ id }) => id),
        [1],
      )
      equal(await unmerge(2), 'taken 3')
      await write({ email: EMAILS[0] })
      deepEqual(await list(), [4, 3, 1])
    })

    test('hears of replies and of an unsubscribe at either address', async t => {
      const { store, merge, unmerge, twoLeads, entries, clock } = await mergeDesk(t, engine)
      await twoLeads()
      await merge(1, 2)
      await store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
      const event = { kind: 'reply', detail: 'Yes, tomorrow', tell: true } as const
      const effect = { leadId: 2, event, suppression: null }
      await store.recordInbound({ mailbox: 'inbox', uidValidity: '1', uid: 1, effect }, clock.now())
      const gone = { email: EMAILS[1] ?? '', addressHash: 'home', reason: 'unsubscribed' } as const
      await store.stopFollowUpEmails(2, { ...gone, now: clock.now() })
      await store.stopFollowUpEmails(2, { ...gone, now: clock.now() })
      deepEqual((await entries(1)).slice(-2), ['reply Yes, tomorrow', 'unsubscribed'])
      equal((await store.readSuppression(['home']))?.reason, 'unsubscribed')
      // One from its own address is another one.
      const own = { addressHash: 'work', reason: 'unsubscribed', now: clock.now() } as const
      await store.stopFollowUpEmails(1, own)
      equal((await entries(1)).filter(entry => entry === 'unsubscribed').length, 2)
      equal((await store.findLead(1))?.repliedAt, clock.now())
      await unmerge(2)
      deepEqual((await entries(2)).slice(-3, -1), ['reply Yes, tomorrow', 'unsubscribed'])
      equal((await store.findExactLead(2))?.repliedAt, clock.now())
    })

    test('waits for an answer since the first of the two wrote back, and each does so again by itself', async t => {
      const { store, merge, unmerge, twoLeads, clock, by } = await mergeDesk(t, engine)
      await twoLeads()
      await store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
      const event = { kind: 'reply', detail: 'And on Saturday?', tell: true } as const
      const waits = new Map<number, number>()
      for (const [uid, leadId] of [2, 1].entries()) {
        const effect = { leadId, event, suppression: null }
        await store.recordInbound({ mailbox: 'inbox', uidValidity: '1', uid: uid + 1, effect }, clock.now())
        waits.set(leadId, clock.now())
        clock.advance(HOUR)
      }
      const since = async (id: number) => (await store.findExactLead(id))?.unansweredSince
      equal(await merge(1, 2), 'done')
      deepEqual([await since(1), await since(2)], [waits.get(2), null])
      equal(await unmerge(2), 'done')
      deepEqual([await since(1), await since(2)], [waits.get(1), waits.get(2)])

      await merge(1, 2)
      await store.needNoAnswer(1, by())
      equal(await since(1), null)
      equal(await unmerge(2), 'done')
      deepEqual([await since(1), await since(2)], [null, null], 'someone has answered both')
    })

    test('waits no longer for what only the other person wrote, once they are two again', async t => {
      const { store, merge, unmerge, twoLeads, clock } = await mergeDesk(t, engine)
      await twoLeads()
      await store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
      await merge(1, 2)
      const writes = async (leadId: number, uid: number) => {
        clock.advance(HOUR)
        const event = { kind: 'reply', detail: 'And on Saturday?', tell: true } as const
        await store.recordInbound(
          { mailbox: 'inbox', uidValidity: '1', uid, effect: { leadId, event, suppression: null } },
          clock.now(),
        )
        return clock.now()
      }
      const since = async (id: number) => (await store.findExactLead(id))?.unansweredSince
      const other = await writes(2, 1)
      equal(await since(1), other)
      await unmerge(2)
      deepEqual([await since(1), await since(2)], [null, other])

      await merge(1, 2)
      await store.needNoAnswer(1, { actor: null, now: clock.now() })
      const [second, own] = [await writes(2, 2), await writes(1, 3)]
      await unmerge(2)
      deepEqual([await since(1), await since(2)], [own, second])
    })

    test('records an email that was on its way, and does not send the same email of the other', async t => {
      const { store, clock, merge, twoLeads, entries } = await mergeDesk(t, engine)
      await twoLeads()
      clock.advance(DAY)
      const claim = async () => store.claimTasks({ lane: 'letters', now: clock.now(), token: 'A', limit: 2 })
      const [one, two] = (await claim()).toSorted((a, b) => a.subject - b.subject)
      ok(one && two)
      const context: StepContext = {
        track: 'student',
        addressHashes: ['x'],
        hasPostalAddress: true,
        next: undefined,
        laterMessages: [],
        now: clock.now(),
      }
      equal(await store.beginStep(two, context), 'go')
      equal(await merge(1, 2), 'done')
      const sent = { state: 'done', note: null, name: 'Day 1', next: undefined } as const
      equal(await store.concludeStep(two, { ...sent, now: clock.now() }), true)
      deepEqual((await entries(1)).slice(-1), ['email Day 1'])
      const found = await store.findMessage({ kind: 'step', subject: 2, step: 3 })
      deepEqual([found?.leadId, found?.toStudent], [2, true])
      equal(await store.beginStep(one, context), 'skipped')
    })
  })

  describe('erasing one of the addresses of a merged lead', () => {
    test('erases the whole person', async t => {
      for (const email of EMAILS.slice(0, 2)) {
        const { store, merge, twoLeads, write, list, by, database, clock } = await mergeDesk(t, engine)
        await twoLeads()
        await merge(1, 2)
        await store.addNote(1, { text: 'theirs', ...by() })
        await write({ email: EMAILS[2] })
        const addresses = await store.addressesOfPerson(email)
        deepEqual(addresses.toSorted(), EMAILS.slice(0, 2).toSorted())
        const { leads, submissions } = await store.erasePerson(email, {
          askedBy: 'maria',
          reason: 'asked',
          now: clock.now(),
          addressHash: 'one',
          otherHashes: ['other'],
        })
        deepEqual([leads, submissions], [2, 2])
        deepEqual(await list(), [3])
        const left = await sql(database, 'select distinct lead_id from timeline')
        deepEqual(
          left.map(({ lead_id }) => Number(lead_id)),
          [3],
        )
        equal((await store.readSuppression(['other']))?.reason, 'unsubscribed')
      }
    })
  })

  describe('merging', () => {
    test('notifies everyone whose leads change hands, and starts the reminders of the new counselor', async t => {
      const cases = [
        // The counselors of the kept lead and of the other; who merges; the copies of the email.
        ['maria', 'sam', 'manager', ['owner', 'formerOwner']],
        ['maria', 'sam', 'sam', ['owner']],
        [null, 'sam', 'manager', ['owner', 'formerOwner']],
        [null, 'sam', 'sam', ['formerOwner']],
        ['maria', null, 'manager', ['owner', 'formerOwner']],
        ['maria', null, 'maria', ['formerOwner']],
        ['maria', 'maria', 'maria', []],
        [null, null, 'manager', ['owner']],
      ] as const
      for (const [kept, other, actor, copies] of cases) {
        const { store, clock, twoLeads, merge, by, database } = await mergeDesk(t, engine)
        await twoLeads()
        for (const [id, owner] of [
          [1, kept],
          [2, other],
        ] as const)
          if (owner !== null) await store.assignLead(id, { owner, ...by('test') })
        clock.advance(HOUR)
        equal(await merge(1, 2, by(actor)), 'done')
        const about = JSON.stringify([kept, other, actor])
        const news = await sql(
          database,
          `select step from tasks where kind = 'news' and created_at = ${clock.now()} order by step`,
        )
        deepEqual(
          news.map(({ step }) => Number(step)),
          copies.map(copy => assignmentCopies[copy]),
          about,
        )
        equal((await store.findLead(1))?.owner, kept ?? other, about)
        await store.close()
      }
    })

    test('is rejected if it makes no sense, and asks again after a change by others', async t => {
      const { store, clock, write, merge, twoLeads, by } = await mergeDesk(t, engine)
      await twoLeads()
      const version = async (id: number) => (await store.readLeadPage(id, page))?.version
      const saw = { seen: await version(1), seenOther: await version(2) }
      await store.changeStage(2, { stage: 'contacted', closedReason: null, ...by('sam') })
      equal(await merge(1, 2, saw), 'stale')
      equal(await merge(1, 9), 'gone')
      equal(await merge(1, 1), 'gone')
      await store.changeStage(1, { stage: 'closed', closedReason: 'spam', ...by() })
      clock.advance(HOUR)
      const again = await write()
      const why = async (kept: number, other: number) => {
        const result = await store.mergeLeads(kept, { other, ...by() })
        return 'why' in result ? result.why : result.outcome
      }
      equal(await why(1, 2), 'closed')
      equal(await why(again, 1), 'same address')
      equal(await why(2, 1), 'done')
    })

    test('can form chains, which are undone from the latest merge on', async t => {
      const { store, write, merge, unmerge, twoLeads, list, entries } = await mergeDesk(t, engine)
      await twoLeads()
      await write({ email: EMAILS[2] })
      equal(await merge(2, 3), 'done')
      equal(await merge(1, 2), 'done')
      equal(await merge(2, 3), 'before')
      equal(await merge(3, 1), 'stale')
      deepEqual(await list(), [1])
      equal((await store.findLead(3))?.id, 1)
      await write({ email: EMAILS[2] })
      equal((await entries(1)).filter(entry => entry === 'submission').length, 4)
      equal(await unmerge(3), 'kept 1')
      equal(await unmerge(2), 'done')
      deepEqual(await list(), [2, 1])
      equal((await store.findLead(3))?.id, 2)
      equal((await store.readLeadPage(2, page))?.submissionCount, 3)
      equal(await unmerge(3), 'done')
      equal(await unmerge(3), 'before')
      equal((await store.readLeadPage(3, page))?.submissionCount, 2)
      await merge(1, 2)
      await merge(1, 3)
      equal(await unmerge(2), 'later 3')
    })

    test('is not undone while the kept lead has the address of the other by correction', async t => {
      const { store, merge, unmerge, twoLeads, by } = await mergeDesk(t, engine)
      await twoLeads()
      equal(await merge(2, 1), 'done')
      const contact = { phone: '+15125550199', phoneE164: '+15125550199', again: [] }
      equal((await store.correctLead(2, { email: EMAILS[0] ?? '', ...contact, ...by() })).outcome, 'done')
      equal(await unmerge(1), 'corrected 2')
      equal((await store.correctLead(2, { email: EMAILS[1] ?? '', ...contact, ...by() })).outcome, 'done')
      equal(await unmerge(1), 'done')
    })

    test('is rejected if the kept lead would get an address that has another open lead', async t => {
      const { store, write, by } = await mergeDesk(t, engine)
      await write()
      await store.changeStage(1, { stage: 'closed', closedReason: 'not interested', ...by() })
      const again = await write()
      const known = await write({ email: EMAILS[1] })
      const number = { email: null, phone: '+15125550188', phoneE164: '+15125550188', again: [] }
      equal((await store.correctLead(known, { ...number, ...by() })).outcome, 'done')
      deepEqual(await store.mergeLeads(known, { other: 1, ...by() }), { outcome: 'refused', why: 'open lead' })
      equal((await store.mergeLeads(known, { other: again, ...by() })).outcome, 'done')
    })

    test('finds who may be the same person', async t => {
      const { store, write } = await mergeDesk(t, engine)
      await write()
      await write({ email: 'ana+school@work.example', phone: '+15125550177', lastName: 'Stone' })
      await write({ email: EMAILS[1] })
      await write({ email: EMAILS[2], phone: '+15125550166', lastName: 'rUÍZ' })
      await write({ email: 'someone@else.example', phone: '+15125550155', lastName: 'Stone' })
      const lead = await store.findLead(1)
      ok(lead)
      const found = await store.mergeCandidates(lead, 5)
      deepEqual(
        found.map(({ lead, alike }) => [lead.id, ...alike]),
        [
          [3, 'phone', 'name and state'],
          [4, 'name and state'],
          [2, 'mailbox'],
        ],
      )
    })

    test('of two leads with each other at the same time, while people write and emails go out, leaves one lead', async t => {
      const { store, clock, write, merge, unmerge, twoLeads, list } = await mergeDesk(t, engine)
      await twoLeads()
      clock.advance(DAY)
      for (let round = 0; round < 5; round++) {
        const letters = await store.claimTasks({ lane: 'letters', now: clock.now(), token: `L${round}`, limit: 5 })
        const context = { track: 'student', addressHashes: ['x'], hasPostalAddress: true } as const
        const outcomes = await Promise.all([
          merge(1, 2),
          merge(2, 1),
          write({ email: EMAILS[round % 2] }),
          ...letters.map(async task => {
            const start = { ...context, next: undefined, laterMessages: [], now: clock.now() }
            if ((await store.beginStep(task, start)) !== 'go') return
            const end = { state: 'done', note: null, name: 'Day', next: undefined } as const
            await store.concludeStep(task, { ...end, now: clock.now() })
          }),
        ])
        deepEqual(outcomes.slice(0, 2).toSorted(), ['before', 'done'])
        const [kept] = await list()
        equal((await list()).length, 1)
        equal((await store.readLeadPage(kept ?? 0, page))?.submissionCount, 3 + round)
        equal(await unmerge(kept === 1 ? 2 : 1), 'done')
        clock.advance(HOUR)
      }
      const counts = []
      for (const id of [1, 2]) counts.push((await store.readLeadPage(id, page))?.submissionCount)
      deepEqual(counts, [4, 3])
    })

    test('and separating leaves everything that people see as it was', async t => {
      const action = fc.record({
        lead: fc.constantFrom(1, 2),
        does: fc.constantFrom('note', 'attempt', 'stage', 'close', 'assign', 'pause', 'correct', 'write'),
        wait: fc.constantFrom(0, HOUR, 2 * DAY),
      })
      const history = fc.record({ followedUp: fc.boolean(), run: fc.array(action, { maxLength: 6 }) })
      for (const { followedUp, run } of fc.sample(history, { numRuns: 16, seed: 27 })) {
        const { store, clock, cadenceId, write, merge, unmerge, by, twoLeads } = await mergeDesk(t, engine)
        await twoLeads({ followedUp })
        const was = { email: EMAILS[1] ?? '', phone: '+15125550101', phoneE164: null, again: [] }
        const acts = {
          note: (id: number) => store.addNote(id, { text: `note ${clock.now()}`, ...by() }),
          attempt: (id: number) => store.recordCall(id, { outcome: 'no answer', note: '', ...by() }),
          stage: (id: number) => store.changeStage(id, { stage: 'contacted', closedReason: null, ...by() }),
          close: (id: number) => store.changeStage(id, { stage: 'closed', closedReason: 'not interested', ...by() }),
          assign: (id: number) => store.assignLead(id, { owner: `counselor ${id}`, ...by() }),
          pause: (id: number) =>
            store.planCallback(id, { dueAt: clock.now() + DAY, words: '', reminders: [], moment: 'then', ...by() }),
          correct: (id: number) => store.correctLead(id, { ...was, email: `right.${id}@mail.example`, ...by() }),
          write: (id: number) => write({ email: EMAILS[id - 1], consent: id === 1 }),
        }
        for (const { lead, does, wait } of run) {
          await acts[does](lead)
          clock.advance(wait)
        }
        const ids = [1, 2]
        const before = await seen(store, ids, clock.now())
        const [one, two] = [await store.findExactLead(1), await store.findExactLead(2)]
        const [kept, other] = one?.stage === 'closed' && two?.stage !== 'closed' ? [2, 1] : [1, 2]
        const now = clock.now()
        const tracks = [
          { steps: [0, 1, 2], underWay: [0, 1, 2], first: { step: 0, track: 'staff', dueAt: now } },
        ] as const
        const restarts = { cadenceId, tracks }
        equal(await merge(kept, other, { restarts }), 'done', JSON.stringify(run))
        equal(await unmerge(other), 'done')
        deepEqual(await seen(store, ids, clock.now()), before, JSON.stringify(run))
        // The next run has its thread, and its connections.
        await store.close()
      }
    })
  })
})
