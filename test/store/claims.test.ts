import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { HOUR } from '../../src/platform/time.ts'
import type { Store } from '../../src/store/store.ts'
import { LEASE, type Task } from '../../src/store/tasks/tasks.ts'
import type { TestClock } from '../support/clock.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { aFiling, anArrival, noStaff, someDigest, startStore } from '../support/store.ts'

const claim = (store: Store, clock: TestClock, token: string, over = {}): Promise<Task[]> =>
  store.claimTasks({ lane: 'filing', now: clock.now(), token, limit: 100, ...over })

const terms = { quarantine: { days: 30, capacity: 1000 }, digest: someDigest, staffing: noStaff }

/** A store with one accepted submission after the other, each with its task. */
async function storeWith(t: TestContext, engine: Engine, submissions: number) {
  const started = await startStore(t, { engine })
  for (let i = 0; i < submissions; i++) await started.store.accept(anArrival())
  return started
}

onEachEngine(engine => {
  describe('a claim', () => {
    test('takes the first due first, up to the limit, and what is not due stays', async t => {
      const { store, clock } = await storeWith(t, engine, 3)
      const [first, ...others] = await claim(store, clock, 'A', { limit: 1 })
      deepEqual([first?.id, others.length], [1, 0])
      const now = clock.now()
      await store.postponeTask(first as Task, { dueAt: now + HOUR, note: 'later', now })
      deepEqual(
        (await claim(store, clock, 'A')).map(task => task.id),
        [2, 3],
      )
      deepEqual(await claim(store, clock, 'A'), [])
      clock.advance(HOUR)
      deepEqual(
        (await claim(store, clock, 'B')).map(task => task.id),
        [2, 3, 1],
      )
    })

    test('keeps others away until its lease ends, and not a moment longer', async t => {
      const { store, clock } = await storeWith(t, engine, 1)
      equal((await claim(store, clock, 'A')).length, 1)
      clock.advance(LEASE - 1)
      equal((await claim(store, clock, 'B')).length, 0)
      clock.advance(1)
      const [task] = await claim(store, clock, 'B')
      deepEqual([task?.lease_token, task?.attempts], ['B', 2])
    })

    test('that ended with its process counts as an attempt, but not again and again', async t => {
      const { store, clock } = await storeWith(t, engine, 1)
      const counted: number[] = []
      for (let i = 0; i < 6; i++) {
        const [task] = await claim(store, clock, `process ${i}`)
        counted.push(task?.attempts ?? 0)
        clock.advance(LEASE)
      }
      deepEqual(counted, [1, 2, 3, 3, 3, 3])
      const [task] = await claim(store, clock, 'the last process')
      const now = clock.now()
      await store.postponeTask(task as Task, { dueAt: now, note: 'refused', now })
      const [again] = await claim(store, clock, 'the last process')
      equal(again?.attempts, 4)
    })

    test('whose lease ends absurdly late, because the clock went back, is ignored', async t => {
      const { store, clock } = await storeWith(t, engine, 1)
      clock.advance(48 * HOUR)
      equal((await claim(store, clock, 'A')).length, 1)
      clock.advance(-48 * HOUR)
      equal((await claim(store, clock, 'B')).length, 1)
    })

    test('what is due at once stays due, however far the clock went back', async t => {
      const { store, clock } = await storeWith(t, engine, 1)
      clock.advance(-100_000 * HOUR)
      equal((await claim(store, clock, 'A')).length, 1)
    })

    test('finds something exactly while its lane is listed as due', async t => {
      const { store, clock } = await storeWith(t, engine, 1)
      const due = () => store.listDueLanes({ lanes: ['mail', 'filing'], now: clock.now() })
      deepEqual(await due(), ['filing'])
      const [first] = await claim(store, clock, 'A')
      clock.advance(LEASE - 1)
      deepEqual(await due(), [])
      clock.advance(1)
      deepEqual(await due(), ['filing'])
      clock.advance(-48 * HOUR)
      deepEqual(await due(), ['filing'], 'the lease ends absurdly late')
      clock.advance(48 * HOUR)
      const now = clock.now()
      await store.postponeTask(first as Task, { dueAt: now + HOUR, note: 'later', now })
      deepEqual(await due(), [])
      clock.advance(HOUR)
      deepEqual(await due(), ['filing'])
      await claim(store, clock, 'B')
      await store.finishTask({ id: 1, lease_token: 'B' }, { state: 'done', note: null, now })
      clock.advance(LEASE)
      deepEqual(await due(), [])
    })

    test('by several workers at once gives each task to one of them', async t => {
      const { store, clock, database } = await storeWith(t, engine, 60)
      const other = await startStore(t, { database, clock })
      const workers = [store, other.store, store, other.store, store, other.store]
      const claimed = await Promise.all(
        workers.flatMap((store, i) =>
          Array.from({ length: 3 }, () => claim(store, clock, `worker ${i}`, { limit: 7 })),
        ),
      )
      const ids = claimed.flat().map(task => task.id)
      equal(ids.length, 60)
      equal(new Set(ids).size, 60)
    })

    test('given back is free at once, and does not count as an attempt', async t => {
      const { store, clock } = await storeWith(t, engine, 2)
      const tasks = await claim(store, clock, 'A')
      await store.finishTask(tasks[0] as Task, { state: 'done', note: null, now: clock.now() })
      await store.releaseTasks([1, 2], 'somebody else')
      deepEqual(await claim(store, clock, 'B'), [])
      await store.releaseTasks([1, 2], 'A')
      const again = await claim(store, clock, 'B')
      deepEqual(
        again.map(task => [task.id, task.attempts]),
        [[2, 1]],
      )
    })
  })

  test('a fresh notification is claimed before everything that waits, and an old one only in turn with the others', async t => {
    const { store, clock } = await storeWith(t, engine, 3)
    const filing = await claim(store, clock, 'A')
    const now = clock.now()
    const file = (id: number) => store.fileSubmissions(filing, [aFiling(id)], { now, ...terms })
    for (const id of [1, 2, 3]) await file(id)
    const next = async (fresh: boolean) =>
      (await claim(store, clock, fresh ? 'B' : 'C', { lane: 'mail', limit: 1, fresh })).map(task => [
        task.kind,
        task.subject,
      ])[0]
    deepEqual(await next(true), ['notify', 3])
    deepEqual(await next(false), ['notify', 1])
    deepEqual(await next(true), ['notify', 2])
    equal(await next(true), undefined)
  })

  describe('a worker that starts', () => {
    test('takes over the claims of one that is gone', { skip: engine === 'postgres' }, async t => {
      const { store, clock, database } = await storeWith(t, engine, 2)
      await store.beginWork()
      equal((await claim(store, clock, 'A')).length, 2)
      await store.close()
      const { store: next } = await startStore(t, { database, clock })
      await next.beginWork()
      const tasks = await claim(next, clock, 'B')
      deepEqual(
        tasks.map(task => [task.id, task.attempts]),
        [
          [1, 2],
          [2, 2],
        ],
      )
    })

    test('waits for the lease of what has begun several times', { skip: engine === 'postgres' }, async t => {
      const { store: first, clock, database } = await storeWith(t, engine, 1)
      let store = first
      for (const attempts of [1, 2, 3]) {
        await store.beginWork()
        equal((await claim(store, clock, 'A'))[0]?.attempts, attempts)
        await store.close()
        store = (await startStore(t, { database, clock })).store
      }
      await store.beginWork()
      deepEqual(await claim(store, clock, 'B'), [])
      clock.advance(LEASE)
      equal((await claim(store, clock, 'B')).length, 1)
    })

    test('leaves the claims of one that is still there', async t => {
      const { store, clock, database } = await storeWith(t, engine, 2)
      await store.beginWork()
      equal((await claim(store, clock, 'A', { limit: 1 })).length, 1)
      const { store: second } = await startStore(t, { database, clock })
      await second.beginWork()
      equal((await claim(second, clock, 'B')).length, 1)
      // The first one ends; the second one still works.
      await store.close()
      const { store: third } = await startStore(t, { database, clock })
      await third.beginWork()
      deepEqual(await claim(third, clock, 'C'), [])
    })
  })

  describe('a stale holder', () => {
    /** A claimed the task and slept past its lease; B claimed it since. */
    async function overtaken(t: TestContext) {
      const started = await storeWith(t, engine, 1)
      const { store, clock } = started
      const [stale] = await claim(store, clock, 'A')
      clock.advance(LEASE)
      const [held] = await claim(store, clock, 'B')
      return { ...started, stale: stale as Task, held: held as Task }
    }

    test('cannot conclude the task or postpone it', async t => {
      const { store, clock, stale, held } = await overtaken(t)
      const now = clock.now()
      equal(await store.finishTask(stale, { state: 'dead', note: 'stale', now }), false)
      equal(await store.postponeTask(stale, { dueAt: now + HOUR, note: 'stale', now }), false)
      await store.releaseTasks([stale.id], 'A')
      deepEqual(await claim(store, clock, 'C'), [])
      equal(await store.finishTask(held, { state: 'done', note: null, now }), true)
      equal(await store.finishTask(held, { state: 'done', note: null, now }), false)
    })

    test('cannot file, and nothing of the attempt remains', async t => {
      const { store, clock, stale, held } = await overtaken(t)
      const options = { now: clock.now(), ...terms }
      const stray = aFiling(1, { person: { email: 'stale@mail.example' } })
      equal(await store.fileSubmissions([stale], [stray], options), false)
      deepEqual(await store.listLeads({ limit: 10 }), [])
      deepEqual(await store.listMail({ limit: 10 }), [])
      equal((await store.readUnfiled([held], 10)).length, 1)
      equal(await store.fileSubmissions([held], [aFiling(1)], options), true)
      deepEqual(
        (await store.listLeads({ limit: 10 })).map(lead => lead.email),
        ['student.1@mail.example'],
      )
    })

    test('cannot conclude a task that was requested again while it was at work', async t => {
      const { store, clock } = await storeWith(t, engine, 1)
      await store.finishTasks(await claim(store, clock, 'A'), clock.now())
      const again = { dueAt: 0, note: null, now: clock.now() }
      await store.refile(1, again)
      const held = await claim(store, clock, 'A')
      equal(held.length, 1)
      await store.refile(1, again)
      await store.finishTasks(held, clock.now())
      equal((await claim(store, clock, 'B')).length, 1)
    })

    test('cannot record a message as sent', async t => {
      const { store, clock, held } = await overtaken(t)
      await store.fileSubmissions([held], [aFiling(1)], { now: clock.now(), ...terms })
      const mail = { lane: 'mail', limit: 1 }
      const [stale] = await claim(store, clock, 'A', mail)
      clock.advance(LEASE)
      const [fresh] = await claim(store, clock, 'B', mail)
      equal(fresh?.id, stale?.id)
      const mailOf = (task: unknown) => ({ task: task as Task, to: 'Maria', now: clock.now() })
      const sent = async () => (await store.readLead(1))?.timeline.filter(({ kind }) => kind === 'email').length
      deepEqual(await store.recordSent([mailOf(stale)]), [false])
      equal(await sent(), 0)
      deepEqual(await store.recordSent([mailOf(stale), mailOf(fresh)]), [false, true])
      deepEqual(await store.recordSent([mailOf(fresh)]), [false])
      equal(await sent(), 1)
    })

    test('of several tasks concludes those that it still holds, and no others', async t => {
      const { store, clock } = await storeWith(t, engine, 2)
      const tasks = await claim(store, clock, 'A')
      await store.postponeTask(tasks[0] as Task, { dueAt: 0, note: 'later', now: clock.now() })
      await claim(store, clock, 'B')
      await store.finishTasks(tasks, clock.now())
      clock.advance(LEASE)
      deepEqual(
        (await claim(store, clock, 'C')).map(task => task.id),
        [1],
      )
    })

    test('of one lost task among several cannot file for the others either', async t => {
      const { store, clock } = await storeWith(t, engine, 2)
      const tasks = await claim(store, clock, 'A')
      clock.advance(LEASE)
      await claim(store, clock, 'B', { limit: 1 })
      const options = { now: clock.now(), ...terms }
      equal(await store.fileSubmissions(tasks, [aFiling(2)], options), false)
      deepEqual(await store.listLeads({ limit: 10 }), [])
    })
  })

  describe('filing', () => {
    test('a chunk renews the claim, so that a long batch is not lost in the middle', async t => {
      const { store, clock } = await storeWith(t, engine, 2)
      const tasks = await claim(store, clock, 'A')
      clock.advance(LEASE - 1)
      const file = (id: number) => store.fileSubmissions(tasks, [aFiling(id)], { now: clock.now(), ...terms })
      equal(await file(1), true)
      clock.advance(LEASE - 1)
      deepEqual(await claim(store, clock, 'B'), [])
      equal(await file(2), true)
    })

    test('the last chunk finishes the tasks, in the same transaction', async t => {
      const { store, clock } = await storeWith(t, engine, 3)
      const tasks = await claim(store, clock, 'A')
      const options = { now: clock.now(), ...terms }
      equal(await store.fileSubmissions(tasks, [aFiling(1)], options), true)
      equal((await store.countBacklog(clock.now())).unfiled, 3)
      const rest = [aFiling(2), aFiling(3)]
      equal(await store.fileSubmissions(tasks, rest, { ...options, finish: true }), true)
      equal((await store.countBacklog(clock.now())).unfiled, 0)
      clock.advance(HOUR)
      deepEqual(await claim(store, clock, 'B'), [])
    })

    test('the last chunk finishes nothing if a claim was lost', async t => {
      const { store, clock } = await storeWith(t, engine, 2)
      const tasks = await claim(store, clock, 'A')
      clock.advance(LEASE)
      await claim(store, clock, 'B', { limit: 1 })
      const options = { now: clock.now(), ...terms, finish: true }
      equal(await store.fileSubmissions(tasks, [aFiling(1), aFiling(2)], options), false)
      deepEqual(await store.listLeads({ limit: 10 }), [])
      equal((await store.countBacklog(clock.now())).unfiled, 2)
      clock.advance(LEASE)
      equal((await claim(store, clock, 'C')).length, 2)
    })

    test('the last chunk finishes nothing if it fails in the middle', async t => {
      const { store, clock } = await storeWith(t, engine, 2)
      const tasks = await claim(store, clock, 'A')
      const options = { now: clock.now(), ...terms, finish: true }
      const broken = aFiling(2, { person: { lastName: null as never } })
      await rejects(store.fileSubmissions(tasks, [aFiling(1), broken], options))
      deepEqual(await store.listLeads({ limit: 10 }), [])
      equal((await store.readUnfiled(tasks, 10)).length, 2)
      clock.advance(LEASE)
      equal((await claim(store, clock, 'B')).length, 2)
    })

    test('after a crash in the middle goes on with what is left, and files each once', async t => {
      const { store, clock } = await startStore(t, { engine })
      await Promise.all(Array.from({ length: 5 }, () => store.accept(anArrival())))
      const crashed = await claim(store, clock, 'A')
      equal(crashed.length, 1)
      const options = { now: clock.now(), ...terms }
      await store.fileSubmissions(crashed, [aFiling(1), aFiling(2)], options)
      clock.advance(LEASE)
      const tasks = await claim(store, clock, 'B')
      const left = (await store.readUnfiled(tasks, 10)).map(({ row }) => row.id)
      deepEqual(left, [3, 4, 5])
      await store.fileSubmissions(
        tasks,
        left.map(id => aFiling(id)),
        options,
      )
      deepEqual(await store.readUnfiled(tasks, 10), [])
      equal((await store.listLeads({ limit: 10 })).length, 5)
      equal((await store.listMail({ limit: 20 })).filter(({ kind }) => kind === 'notify').length, 5)
    })
  })
})
