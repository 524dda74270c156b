import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import type { Store } from '../../src/store/store.ts'
import { countRows, type Engine, onEachEngine, sql } from '../support/engines.ts'
import { aFiling, anArrival, noStaff, someDigest, startStore } from '../support/store.ts'

/** A store with leads of students, each filed from a submission of its own. */
async function storeWithLeads(t: TestContext, engine: Engine, filings = [aFiling(1)]) {
  const started = await startStore(t, { engine })
  await file(started.store, started.clock.now(), filings)
  const { store, clock } = started
  return { ...started, by: () => ({ actor: 'maria', now: clock.now() }), lead: leadIn(store) }
}

async function file(store: Store, now: number, filings: ReturnType<typeof aFiling>[]) {
  for (const _ of filings) await store.accept(anArrival())
  const tasks = await store.claimTasks({ lane: 'filing', now, token: 'A', limit: 100 })
  const terms = { now, quarantine: { days: 30, capacity: 10 }, digest: someDigest, staffing: noStaff }
  equal(await store.fileSubmissions(tasks, filings, terms), true)
  await store.finishTasks(tasks, now)
}

const leadIn =
  (store: Store) =>
  async (id = 1) => {
    const found = await store.readLead(id)
    if (found === undefined) throw new Error(`There is no lead ${id}`)
    const entries = found.timeline
      .filter(({ kind }) => kind !== 'submission')
      .map(({ kind, detail, actor }) => [kind, detail, actor].filter(Boolean).join(' '))
    return { ...found.lead, entries }
  }

const contacted = { stage: 'contacted', closedReason: null }
const closed = { stage: 'closed', closedReason: 'not interested' } as const

onEachEngine(engine => {
  describe('what people do with a lead', () => {
    test('is done once, however often a button is pressed, and says who did it', async t => {
      const { store, by, lead } = await storeWithLeads(t, engine)
      const twice = async (act: () => Promise<{ outcome: string }>) =>
        deepEqual([(await act()).outcome, (await act()).outcome], ['done', 'before'])
      await twice(() => store.assignLead(1, { owner: 'sam', ...by() }))
      await twice(() => store.pauseLead(1, by()))
      await twice(() => store.resumeLead(1, { since: 5, steps: [], ...by() }))
      await twice(() => store.changeStage(1, { ...contacted, ...by() }))
      await twice(() => store.changeStage(1, { ...closed, ...by() }))
      await twice(() => store.assignLead(1, { owner: null, ...by() }))
      deepEqual((await lead()).entries, [
        'assigned sam maria',
        'paused maria',
        'resumed maria',
        'stage contacted maria',
        'stage closed: not interested maria',
        'assigned the team maria',
      ])
    })

    test('may also be something that can be done again: notes and tries', async t => {
      const { store, by, lead, clock } = await storeWithLeads(t, engine)
      for (let i = 0; i < 2; i++) {
        equal((await store.addNote(1, { text: 'Likes to weld', ...by() })).outcome, 'done')
        equal((await store.recordCall(1, { outcome: 'no answer', note: '', ...by() })).outcome, 'done')
        // Someone pressed the button twice.
        clock.advance(MINUTE)
        equal((await store.recordCall(1, { outcome: 'no answer', note: '', ...by() })).outcome, 'before')
        clock.advance(5 * MINUTE)
      }
      deepEqual((await lead()).entries, [
        'note Likes to weld maria',
        'attempt no answer maria',
        'note Likes to weld maria',
        'attempt no answer maria',
      ])
      equal((await store.readLatest(1))?.attempts, 2)
    })

    test('is not mistaken for something that was done while the clock was days ahead', async t => {
      const { store, clock, by } = await storeWithLeads(t, engine)
      const call = () => store.recordCall(1, { outcome: 'no answer', note: '', ...by() })
      const note = () => store.addNote(1, { text: 'She is at work until five.', ...by() })
      const link = () => store.requestFreshLink(1, by())
      for (const act of [call, note, link]) {
        equal((await act()).outcome, 'done')
        clock.advance(-2 * DAY)
        equal((await act()).outcome, 'done')
        // A replica whose clock is behind a little.
        clock.advance(-4 * SECOND)
        equal((await act()).outcome, 'before')
      }
    })

    test('cannot be done with a lead that is gone', async t => {
      const { store, by, database } = await storeWithLeads(t, engine)
      const before = await countRows(database, 'timeline')
      const outcomes = [
        await store.changeStage(9, { ...contacted, ...by() }),
        await store.assignLead(9, { owner: 'sam', ...by() }),
        await store.recordCall(9, { outcome: 'no answer', note: '', ...by() }),
        await store.addNote(9, { text: 'x', ...by() }),
        await store.pauseLead(9, by()),
        await store.resumeLead(9, { since: 0, steps: [], ...by() }),
      ]
      deepEqual(new Set(outcomes.map(({ outcome }) => outcome)), new Set(['gone']))
      equal(await countRows(database, 'timeline'), before)
    })

    test('by several at once is done by one of them', async t => {
      const { store, by, lead, database, clock } = await storeWithLeads(t, engine)
      const other = await startStore(t, { database, clock })
      const outcomes = await Promise.all(
        [store, other.store, store, other.store].flatMap(store => [
          store.pauseLead(1, by()),
          store.changeStage(1, { ...contacted, from: ['new'], ...by() }),
        ]),
      )
      equal(outcomes.filter(({ outcome }) => outcome === 'done').length, 2)
      equal(outcomes.filter(({ outcome }) => outcome === 'before').length, 6)
      equal((await lead()).entries.length, 2)
    })

    test('by an old link does not move back a lead that has come further', async t => {
      const { store, by, lead } = await storeWithLeads(t, engine)
      await store.changeStage(1, { stage: 'enrolled', closedReason: null, ...by() })
      equal((await store.changeStage(1, { ...contacted, from: ['new'], ...by() })).outcome, 'before')
      equal((await lead()).stage, 'enrolled')
    })

    test('keeps to the stages of its kind, and closes only for a reason', async t => {
      const { store, by, lead } = await storeWithLeads(t, engine)
      for (const to of [
        { stage: 'meeting', closedReason: null },
        { stage: 'closed', closedReason: null },
        { stage: 'contacted', closedReason: 'spam' },
      ] as const) {
        await rejects(store.changeStage(1, { ...to, ...by() }), /check/i)
      }
      const { stage, entries } = await lead()
      deepEqual([stage, entries], ['new', []])
    })
  })

  describe('when a person was first reached', () => {
    test('is when the lead first went past new, which also counts as an attempt', async t => {
      const { store, by, lead, clock } = await storeWithLeads(t, engine)
      const first = clock.now()
      await store.changeStage(1, { ...contacted, ...by() })
      clock.advance(HOUR)
      await store.changeStage(1, { stage: 'applied', closedReason: null, ...by() })
      const { firstAttemptAt, firstContactAt } = await lead()
      deepEqual([firstAttemptAt, firstContactAt], [first, first])
    })

    test('is undone with the stage, if someone pressed the wrong button', async t => {
      const { store, by, lead, clock } = await storeWithLeads(t, engine)
      await store.changeStage(1, { ...contacted, ...by() })
      await store.changeStage(1, { stage: 'new', closedReason: null, ...by() })
      equal((await lead()).firstContactAt, null)
      clock.advance(HOUR)
      const reached = clock.now()
      await store.changeStage(1, { ...contacted, ...by() })
      equal((await lead()).firstContactAt, reached)
    })

    test('is not set by a call attempt, nor by closing a lead that no one reached', async t => {
      const { store, by, lead, clock } = await storeWithLeads(t, engine)
      const first = clock.now()
      await store.recordCall(1, { outcome: 'no answer', note: '', ...by() })
      clock.advance(HOUR)
      await store.recordCall(1, { outcome: 'no answer', note: '', ...by() })
      await store.changeStage(1, { ...closed, ...by() })
      deepEqual([(await lead()).firstAttemptAt, (await lead()).firstContactAt], [first, null])
      clock.advance(HOUR)
      await store.changeStage(1, { ...contacted, ...by() })
      deepEqual([(await lead()).firstAttemptAt, (await lead()).firstContactAt], [first, first + 2 * HOUR])
    })
  })

  test('a lead cannot be opened again beside another of the same person', async t => {
    const { store, by, lead, clock } = await storeWithLeads(t, engine)
    await store.changeStage(1, { ...closed, ...by() })
    const email = 'STUDENT.1@mail.example'
    await file(store, clock.now(), [aFiling(2, { person: { email } })])
    equal((await store.changeStage(1, { ...contacted, ...by() })).outcome, 'duplicate')
    const { stage, firstContactAt, entries } = await lead()
    deepEqual([stage, firstContactAt, entries.length], ['closed', null, 1])
    await store.changeStage(2, { ...closed, ...by() })
    equal((await store.changeStage(1, { ...contacted, ...by() })).outcome, 'done')
  })

  test('if two leads of the same person are opened again at the same moment, one of them is', async t => {
    const { store, by, clock, database } = await storeWithLeads(t, engine)
    const other = await startStore(t, { database, clock })
    await store.changeStage(1, { ...closed, ...by() })
    await file(store, clock.now(), [aFiling(2, { person: { email: 'student.1@mail.example' } })])
    await store.changeStage(2, { ...closed, ...by() })
    const outcomes = await Promise.all([
      store.changeStage(1, { ...contacted, ...by() }),
      other.store.changeStage(2, { ...contacted, ...by() }),
    ])
    deepEqual(outcomes.map(({ outcome }) => outcome).sort(), ['done', 'duplicate'])
  })

  describe('follow-up emails to an address', () => {
    const wish = { addressHash: 'hash 1', reason: 'unsubscribed' } as const

    test('are stopped by the first reason, and the counselor gets one email about each', async t => {
      const { store, lead, clock, database } = await storeWithLeads(t, engine)
      const other = await startStore(t, { database, clock })
      const now = clock.now()
      await Promise.all([
        store.stopFollowUpEmails(1, { ...wish, now }),
        other.store.stopFollowUpEmails(1, { ...wish, now }),
        store.stopFollowUpEmails(1, { ...wish, now }),
      ])
      await store.stopFollowUpEmails(1, { ...wish, reason: 'complaint', now: now + 1 })
      deepEqual((await lead()).entries, ['unsubscribed', 'complaint'])
      deepEqual(await store.readSuppression(['hash 1']), { reason: 'unsubscribed', since: now })
      equal((await sql(database, `select id from tasks where kind = 'news'`)).length, 2)
      // That the address is someone else's says more.
      await store.stopFollowUpEmails(1, { ...wish, reason: 'not me', now: now + 2 })
      equal((await store.readSuppression(['hash 1']))?.reason, 'not me')
    })

    test('stay stopped for someone who asked for it after a bounce, once the bounces are ended', async t => {
      const { store, clock } = await storeWithLeads(t, engine)
      const now = clock.now()
      for (const reason of ['unsubscribed', 'complaint', 'not me'] as const) {
        const address = { addressHash: `hash of ${reason}`, now }
        await store.stopFollowUpEmails(1, { ...address, reason: 'bounced' })
        await store.stopFollowUpEmails(1, { ...address, reason })
        await store.stopFollowUpEmails(1, { ...address, reason: 'bounced' })
        equal((await store.readSuppression([address.addressHash]))?.reason, reason)
      }
      equal(await store.unsuppressBounced(now, []), 0)
    })

    test('are stopped even where the lead is gone, and may be allowed again', async t => {
      const { store, clock, database } = await storeWithLeads(t, engine)
      await store.stopFollowUpEmails(9, { ...wish, addressHash: 'hash 9', now: clock.now() })
      equal((await store.readSuppression(['hash 9']))?.reason, 'unsubscribed')
      equal((await sql(database, `select id from tasks where kind = 'news'`)).length, 0)
      equal(await store.unsuppress(['hash 9'], []), true)
      equal(await store.unsuppress(['hash 9'], []), false)
      equal(await store.readSuppression(['hash 9']), undefined)
    })
  })
})
