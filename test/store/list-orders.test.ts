/** The orders of lists of leads: page by page, with what happened last, and with imported people apart. */
import { deepEqual, equal } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import type { InboxFilter, Order, Position } from '../../src/store/lists/filter.ts'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'

const settings = { studentInterest: { answers: { interestLevel: { hotter: 'low' as const } } } }

const levels = ['3 - Neutral', '1 - Extremely interested', '5 - Not interested', '2 - Very interested']

/** Leads 1 to 4, an hour apart: Neutral, Extremely interested, Not interested, Very interested. */
async function aService(t: TestContext, engine: Engine) {
  const service = await startApp(t, { engine, settings })
  const { clock } = service
  const { store } = service.app
  for (const [index, interestLevel] of levels.entries()) {
    const email = `student.${index + 1}@mail.example`
    await service.postStudent(aStudent({ email, interestLevel }))
    await service.settle()
    clock.advance(HOUR)
  }
  const by = () => ({ actor: 'maria', now: clock.now() })
  const pages = async (order: Order, filter: InboxFilter = { stage: 'open' }) => {
    const ids: number[] = []
    for (let after: Position | undefined; ; ) {
      const { rows, next } = await store.listInbox(filter, { after, order, limit: 1 })
      ids.push(...rows.map(({ lead }) => lead.id))
      if (next === null) return ids
      after = next
    }
  }
  const last = async (id: number) => (await store.readInboxRows([id]))[0]?.last
  return { ...service, store, by, pages, last }
}

onEachEngine(engine => {
  describe('a list', () => {
    test('has each order page by page', async t => {
      const { store, by, pages } = await aService(t, engine)
      await store.recordCall(1, { outcome: 'no answer', note: '', ...by() })
      await store.changeStage(3, { stage: 'contacted', closedReason: null, ...by() })
      deepEqual(await pages('newest'), [4, 3, 2, 1])
      deepEqual(await pages('oldest'), [1, 2, 3, 4])
      deepEqual(await pages('longest'), [1, 2, 4, 3])
      deepEqual(await pages('longest', { waiting: true }), [1, 2, 4])
      deepEqual(await pages('active'), [3, 1, 4, 2])
      deepEqual(await pages('hottest'), [2, 4, 1, 3])
      const mine = { stage: 'open', visibleTo: 'maria' }
      await store.assignLead(2, { owner: 'maria', ...by() })
      await store.assignLead(4, { owner: 'tom', ...by() })
      deepEqual(await pages('active', mine), [3, 1, 2])
      deepEqual(await pages('hottest', mine), [2, 1, 3])
      deepEqual(await pages('active', { ...mine, state: 'TX' }), [3, 1, 2])
      deepEqual(await pages('active', { ...mine, state: 'NM' }), [])
      deepEqual(await pages('hottest', { stage: 'contacted' }), [3])
    })

    test('says what happened last, also after that was undone or moved with a merge', async t => {
      const { store, clock, by, last } = await aService(t, engine)
      equal((await last(1))?.kind, 'submission')
      await store.addNote(1, { text: 'Wants evenings', ...by() })
      await store.assignLead(1, { owner: 'maria', ...by() })
      equal((await last(1))?.detail, 'Wants evenings')
      clock.advance(MINUTE)
      const called = await store.recordCall(1, { outcome: 'busy', note: '', ...by() })
      equal((await last(1))?.kind, 'attempt')
      await store.undoAction(called.outcome === 'done' ? (called.entry ?? 0) : 0, {
        restart: undefined,
        away: false,
        ...by(),
      })
      clock.advance(MINUTE)
      await store.mergeLeads(2, { other: 1, seenOther: undefined, restarts: undefined, ...by() })
      equal((await last(2))?.detail, 'Wants evenings')
      await store.unmergeLead(1, by())
      equal((await last(2))?.kind, 'submission')
      equal((await last(1))?.detail, 'Wants evenings')
    })

    test('keeps imported people apart until something happens with them', async t => {
      const { store, by, database } = await aService(t, engine)
      await sql(database, `update leads set imported = 1 where id in (2, 3)`)
      const ids = async (imported?: boolean) =>
        (await store.listInbox({ stage: 'open', imported }, { limit: 9 })).rows.map(({ lead }) => lead.id)
      deepEqual(
        [await ids(), await ids(false), await ids(true)],
        [
          [4, 3, 2, 1],
          [4, 1],
          [3, 2],
        ],
      )
      await store.assignLead(2, { owner: 'maria', ...by() })
      deepEqual(await ids(true), [3, 2])
      await store.recordCall(2, { outcome: 'no answer', note: '', ...by() })
      deepEqual([await ids(false), await ids(true)], [[4, 2, 1], [3]])
    })
  })
})
