/**
 * Which leads have changed since a cursor: every entry of a timeline is found once it can be read, in whatever order.
 */
import { deepEqual, equal, fail } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import { MINUTE } from '../../src/platform/time.ts'
import type { ChangesCursor } from '../../src/store/lookup/changed-leads.ts'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { type Engine, onEachEngine, sql, urlOf } from '../support/engines.ts'

const { now } = testClock()

/** A store with these leads. */
async function aStore(t: TestContext, engine: Engine, names = ['ada', 'bea', 'cem']) {
  const service = await startApp(t, { engine, clock: testClock() })
  for (const name of names) {
    await service.postStudent(aStudent({ email: `${name}@mail.example`, idempotencyKey: name }))
    await service.settle()
  }
  const { store } = service.app
  const note = (id: number, text: string) => store.addNote(id, { text, actor: null, now: now() })
  const since = async (cursor: ChangesCursor | undefined, at = now()) => {
    const found = await store.listChangedLeads({ cursor, now: at, limit: 3 })
    return found ?? fail('the cursor is no longer valid')
  }
  return { ...service, store, note, since }
}

onEachEngine(engine => {
  describe('what has changed since a cursor', () => {
    test('is found in portions, each entry once', async t => {
      const { note, since } = await aStore(t, engine)
      let { cursor } = await since(undefined)
      for (const [index, id] of [3, 1, 1, 2, 3, 3, 1].entries()) await note(id, `note ${index}`)
      const portions: [number[], boolean][] = []
      for (let more = true; more; ) {
        const found = await since(cursor)
        portions.push([found.ids, found.more])
        ;({ cursor, more } = found)
      }
      deepEqual(portions, [
        [[3, 1], true],
        [[2, 3], true],
        [[1], false],
      ])
    })

    test('includes what comes later into a gap of the ids, if it comes within a minute', async t => {
      const { note, since, database } = await aStore(t, engine)
      const { cursor } = await since(undefined)
      await note(1, 'first')
      await note(2, 'second')
      await note(3, 'third')
      const ids = (await sql(database, `select id from timeline where kind = 'note' order by id`)).map(({ id }) =>
        Number(id),
      )
      const [, second = 0] = ids
      await sql(database, `update timeline set id = -1 where id = ${second}`)
      const first = await since(cursor)
      deepEqual(first.ids, [1, 3])
      deepEqual(first.cursor.gaps.at(0)?.slice(0, 2), [second, second])
      await sql(database, `update timeline set id = ${second} where id = -1`)
      const then = await since(first.cursor)
      deepEqual(then.ids, [2])
      equal(
        then.cursor.gaps.some(([from, to]) => from <= second && second <= to),
        false,
      )
      const later = await since(first.cursor, now() + MINUTE)
      deepEqual([later.ids, later.cursor.gaps], [[2], []])
    })

    test('cannot be told once a backup has been restored, with fewer changes or with others', async t => {
      const { store, note, since, database } = await aStore(t, engine)
      const { cursor: early } = await since(undefined)
      await note(1, 'not in the backup')
      const { cursor } = await since(early)
      await sql(database, `delete from timeline where kind = 'note'`)
      equal(await store.listChangedLeads({ cursor, now: now() }), undefined)
      await note(2, 'after the restore')
      await sql(database, `update timeline set id = ${cursor.after}, at = at + 1 where kind = 'note'`)
      equal(await store.listChangedLeads({ cursor, now: now() }), undefined)
      deepEqual((await since(early)).ids, [2])
    })
  })

  if (engine !== 'postgres') return
  test('includes a change whose transaction ended after a later one, even if it was under way at the start', async t => {
    const { note, since, database } = await aStore(t, 'postgres')
    const client = new pg.Client({ connectionString: urlOf(database) })
    await client.connect()
    t.after(() => client.end())
    const slowly = async (lead: number) => {
      await client.query('begin')
      await client.query(`insert into timeline (lead_id, at, kind, detail) values (${lead}, 0, 'note', 'slow')`)
    }
    await slowly(1)
    await note(2, 'between')
    const start = await since(undefined)
    await client.query('commit')
    const first = await since(start.cursor)
    deepEqual(first.ids, [1], 'under way at the start')

    await slowly(3)
    await note(2, 'meanwhile')
    const second = await since(first.cursor)
    deepEqual(second.ids, [2])
    await client.query('commit')
    deepEqual((await since(second.cursor)).ids, [3])
  })
})
