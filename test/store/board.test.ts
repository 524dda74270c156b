/** The board: what each column holds, in which order, for which counselor, and how long its leads have waited. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import type { BoardFilter } from '../../src/store/lists/board.ts'
import { startApp, withoutFollowUp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'

/** Students 1 to 4, an hour apart, and then the site 5. */
async function aService(t: TestContext, engine: Engine) {
  const service = await startApp(t, { engine, settings: withoutFollowUp })
  const { store } = service.app
  for (const [index, name] of ['ana', 'ben', 'cleo', 'dan'].entries()) {
    await service.postStudent(
      aStudent({ email: `${name}@mail.example`, state: index === 3 ? 'IL' : 'TX', source: '1 - A friend' }),
    )
    await service.settle()
    service.clock.advance(HOUR)
  }
  await service.postSite(aSite())
  await service.settle()
  const by = () => ({ actor: 'maria', now: service.clock.now() })
  const move = (id: number, stage: string) => store.changeStage(id, { stage, closedReason: null, ...by() })
  const held = async (filter: Partial<BoardFilter> = {}, limit = 9) => {
    const { columns } = await store.readBoard({ kind: 'student', ...filter }, { limit })
    return Object.fromEntries(
      columns
        .map(({ stage, cards }) => [stage, cards.map(({ row }) => row.lead.id)] as const)
        .filter(([, ids]) => ids.length > 0),
    )
  }
  return { ...service, store, by, move, held }
}

onEachEngine(engine => {
  describe('the board', () => {
    test('has a column for each open stage of a kind, with those who wait longest first', async t => {
      const { store, clock, held, move, by } = await aService(t, engine)
      const { columns } = await store.readBoard({ kind: 'site' }, { limit: 9 })
      deepEqual(
        columns.map(({ stage, waiting }) => [stage, waiting.length]),
        [
          ['new', 1],
          ['contacted', 0],
          ['meeting', 0],
          ['agreement', 0],
          ['active', 0],
        ],
      )
      await move(3, 'qualified')
      clock.advance(MINUTE)
      await move(1, 'qualified')
      deepEqual(await held(), { new: [2, 4], qualified: [3, 1] })
      await store.changeStage(4, { stage: 'closed', closedReason: 'spam', ...by() })
      deepEqual(await held(), { new: [2], qualified: [3, 1] })
    })

    test('counts from the moment at which a lead came into its stage, also after an undo', async t => {
      const { store, clock, move, by } = await aService(t, engine)
      const since = async () => {
        const { columns } = await store.readBoard({ kind: 'student' }, { limit: 9 })
        const [one] = columns.flatMap(({ waiting }) => waiting.filter(({ id }) => id === 1))
        return one?.since
      }
      const wrote = (await store.findLead(1))?.createdAt
      equal(await since(), wrote)
      await move(1, 'contacted')
      const reached = clock.now()
      equal(await since(), reached)
      clock.advance(MINUTE)
      const applied = await move(1, 'applied')
      equal(await since(), clock.now())
      ok(applied.outcome === 'done')
      await store.undoAction(applied.entry ?? 0, by())
      equal(await since(), reached)
      clock.advance(MINUTE)
      await move(1, 'new')
      equal(await since(), wrote)
    })

    test('says who no one has called, and where they are', async t => {
      const { store, by } = await aService(t, engine)
      await store.recordCall(1, { outcome: 'no answer', note: '', ...by() })
      const { columns } = await store.readBoard({ kind: 'student' }, { limit: 9 })
      deepEqual(
        columns[0]?.waiting.map(({ id, place, awaits }) => [id, place.state, awaits === null]),
        [
          [1, 'TX', true],
          [2, 'TX', false],
          [3, 'TX', false],
          [4, 'IL', false],
        ],
      )
    })

    test('leads on from card to card, without leaving out or repeating a lead', async t => {
      const { store, move } = await aService(t, engine)
      // Two of them came into the stage at the same moment.
      for (const id of [4, 2, 3]) await move(id, 'qualified')
      const { columns } = await store.readBoard({ kind: 'student' }, { limit: 1 })
      const seen = columns.flatMap(({ stage, cards }) =>
        stage === 'qualified' ? cards.map(({ row }) => row.lead.id) : [],
      )
      let after = columns.find(({ stage }) => stage === 'qualified')?.next ?? null
      while (after !== null) {
        const more = await store.readBoardCards({ kind: 'student' }, { stage: 'qualified', after, limit: 1 })
        seen.push(...more.cards.map(({ row }) => row.lead.id))
        after = more.next
      }
      deepEqual(seen, [2, 3, 4])
    })

    test('shows the leads of a counselor, of the team, with a source or a state', async t => {
      const { store, held, by } = await aService(t, engine)
      await store.assignLead(1, { owner: 'maria', ...by() })
      await store.assignLead(2, { owner: 'tom', ...by() })
      deepEqual(await held({ owner: 'maria' }), { new: [1] })
      deepEqual(await held({ owner: null }), { new: [3, 4] })
      deepEqual(await held({ visibleTo: 'maria' }), { new: [1, 3, 4] })
      deepEqual(await held({ visibleTo: null }), { new: [3, 4] })
      deepEqual(await held({ visibleTo: 'maria', owner: 'tom' }), {})
      deepEqual(await held({ state: 'IL' }), { new: [4] })
      deepEqual(await held({ source: 'A friend', visibleTo: 'maria' }), { new: [1, 3, 4] })
      deepEqual(await held({ source: 'Radio' }), {})
      deepEqual(await held({ source: 'A friend', kind: 'site' }), {})
    })
  })
})
