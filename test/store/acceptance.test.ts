import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import type { LockedOut, Outcome } from '../../src/store/acceptance/arrival.ts'
import { LOCKOUT } from '../../src/store/acceptance/inquiry-lockout.ts'
import { StoreUnavailable } from '../../src/store/acceptance/store-unavailable.ts'
import { countRows, onEachEngine, sql } from '../support/engines.ts'
import { anArrival, startStore } from '../support/store.ts'

const REPLAYED = { replayed: 200 }
const isReplayed = (outcome: Outcome) => typeof outcome === 'object' && 'replayed' in outcome

onEachEngine(engine => {
  describe('acceptance', () => {
    test('stores the submission and its task together', async t => {
      const { store, database } = await startStore(t, { engine })
      equal(await store.accept(anArrival()), 'accepted')
      equal(await countRows(database, 'submissions'), 1)
      equal(await countRows(database, 'tasks'), 1)
    })

    test('stores what a form adds beside the body', async t => {
      const { store, database } = await startStore(t, { engine })
      const form = JSON.stringify({ language: 'es', placement: 'hosted' })
      await Promise.all([anArrival({ form }), anArrival()].map(store.accept))
      const rows = await sql(database, 'select form from submissions order by id')
      deepEqual(
        rows.map(row => row['form']),
        [form, null],
      )
    })

    test('of duplicates in one batch, stores the first', async t => {
      const { store, database } = await startStore(t, { engine })
      const arrival = anArrival()
      const outcomes = await Promise.all([
        store.accept(arrival),
        store.accept(arrival),
        store.accept({ ...arrival, fingerprint: 'another'.padEnd(22, '.') }),
        store.accept(anArrival()),
      ])
      deepEqual(outcomes, ['accepted', REPLAYED, 'conflict', 'accepted'])
      equal(await countRows(database, 'submissions'), 2)
    })

    test('finds a submission by its key as soon as it is accepted, however many come after it', async t => {
      const { store } = await startStore(t, { engine })
      const [first, ...others] = Array.from({ length: 10_500 }, () => anArrival())
      // In a rush, which this is for SQLite, keys get into the index later.
      const accepted = Promise.all([first, ...others].map(one => one && store.accept(one)))
      await store.accept(anArrival())
      equal(await store.findAccepted(first?.key ?? ''), 1)
      await accepted
      equal(await store.findAccepted(first?.key ?? ''), 1)
      equal(await store.findAccepted(anArrival().key), undefined)
    })

    test('tells a replay from another body under the same key', async t => {
      const { store } = await startStore(t, { engine })
      const arrival = anArrival()
      equal(await store.accept(arrival), 'accepted')
      const other = { ...arrival, fingerprint: 'another'.padEnd(22, '.') }
      const outcomes = await Promise.all([arrival, other, arrival, other].map(store.accept))
      deepEqual(outcomes, [REPLAYED, 'conflict', REPLAYED, 'conflict'])
    })

    test('gives a replay the first response, whatever the replay says itself', async t => {
      const { store } = await startStore(t, { engine })
      const known = anArrival({ answer: 409 })
      const unknown = anArrival()
      const together = [known, { ...known, answer: 200 as const }, unknown]
      deepEqual(await Promise.all(together.map(store.accept)), ['accepted', { replayed: 409 }, 'accepted'])
      deepEqual(await store.accept({ ...known, answer: 200 }), { replayed: 409 })
      deepEqual(await store.accept({ ...unknown, answer: 409 }), { replayed: 200 })
    })

    test('keeps a key for good, even after a restart', async t => {
      const { store, database, clock } = await startStore(t, { engine })
      const arrivals = [anArrival(), anArrival()]
      for (const arrival of arrivals) await store.accept(arrival)
      deepEqual(await Promise.all(arrivals.map(store.accept)), [REPLAYED, REPLAYED])
      await store.close()
      const again = await startStore(t, { database, clock })
      deepEqual(await Promise.all(arrivals.map(again.store.accept)), [REPLAYED, REPLAYED])
    })

    test('lets a key that lives a day be used again after it', async t => {
      const { store } = await startStore(t, { engine })
      const arrival = anArrival({ keyLifetime: DAY })
      await store.accept(arrival)
      const receivedAt = arrival.receivedAt + DAY
      deepEqual(await store.accept({ ...arrival, receivedAt: receivedAt - 1 }), REPLAYED)
      equal(await store.accept({ ...arrival, receivedAt }), 'accepted')
      deepEqual(await store.accept({ ...arrival, receivedAt: receivedAt + 1 }), REPLAYED)
    })

    test('also holds between processes: two stores on one database never both accept a key', async t => {
      const one = await startStore(t, { engine })
      const other = await startStore(t, { database: one.database })
      const arrivals = Array.from({ length: 200 }, () => anArrival())
      const outcomes = await Promise.all(
        arrivals.flatMap(arrival => [one.store.accept(arrival), other.store.accept(arrival)]),
      )
      equal(outcomes.filter(outcome => outcome === 'accepted').length, 200)
      equal(outcomes.filter(isReplayed).length, 200)
      equal(await countRows(one.database, 'submissions'), 200)
    })

    test('across processes lets one of them use a key again after its day', async t => {
      const one = await startStore(t, { engine })
      const other = await startStore(t, { database: one.database })
      const arrivals = Array.from({ length: 50 }, () => anArrival({ keyLifetime: DAY }))
      await Promise.all(arrivals.map(one.store.accept))
      const outcomes = await Promise.all(
        arrivals.flatMap(arrival => {
          const again = { ...arrival, receivedAt: arrival.receivedAt + DAY }
          return [one.store.accept(again), other.store.accept(again)]
        }),
      )
      equal(outcomes.filter(outcome => outcome === 'accepted').length, 50)
      equal(await countRows(one.database, 'submissions'), 100)
    })

    test('gives each of its commits one task, over exactly what it has stored', async t => {
      const one = await startStore(t, { engine })
      const other = await startStore(t, { database: one.database })
      await Promise.all(Array.from({ length: 300 }, (_, i) => (i % 2 ? one : other).store.accept(anArrival())))
      const claim = { lane: 'filing', now: one.clock.now(), token: 'A', limit: 1000 } as const
      const tasks = await one.store.claimTasks(claim)
      const rows = await Promise.all(tasks.map(task => one.store.readUnfiled([task], 1000)))
      const ids = rows.flat().map(({ row }) => row.id)
      equal(ids.length, 300)
      equal(new Set(ids).size, 300)
      equal((await one.store.readUnfiled(tasks, 1000)).length, 300)
    })

    test('rejects a whole batch that cannot be stored, and recovers', async t => {
      const { store, database } = await startStore(t, { engine })
      const broken = anArrival({ kind: 'neither' as never })
      await rejects(store.accept(broken), StoreUnavailable)
      equal(await countRows(database, 'submissions'), 0)
      equal(await store.accept(anArrival()), 'accepted')
    })
  })

  describe('the lockout of an address', () => {
    const from = (email: string) => anArrival({ email, lockout: true })
    const waits = (outcome: unknown) => (outcome as LockedOut).lockedFor

    test('begins with the sixth in an hour, and ends after a quarter of an hour', async t => {
      const { store, database } = await startStore(t, { engine })
      const at = (minutes: number) => {
        const arrival = from('ben@mail.example')
        return { ...arrival, receivedAt: arrival.receivedAt + minutes * MINUTE }
      }
      for (let i = 0; i < LOCKOUT.points; i++) equal(await store.accept(at(i)), 'accepted')
      equal(waits(await store.accept(at(10))), LOCKOUT.block)
      equal(waits(await store.accept(at(20))), LOCKOUT.block - 10 * MINUTE)
      equal(await store.accept(from('ana@mail.example')), 'accepted')
      equal(await store.accept(at(25)), 'accepted')
      equal(await countRows(database, 'submissions'), 7)
    })

    test('never begins at five an hour', async t => {
      const { store } = await startStore(t, { engine })
      for (let hour = 0; hour < 3; hour++) {
        for (let i = 0; i < LOCKOUT.points; i++) {
          const arrival = from('ben@mail.example')
          const receivedAt = arrival.receivedAt + hour * HOUR
          equal(await store.accept({ ...arrival, receivedAt }), 'accepted')
        }
      }
    })

    test('does not count what is not new, and gives it the same response as before', async t => {
      const { store } = await startStore(t, { engine })
      const first = from('ben@mail.example')
      const other = { ...first, fingerprint: 'another'.padEnd(22, '.') }
      await store.accept(first)
      for (let i = 0; i < 10; i++) deepEqual(await store.accept(first), REPLAYED)
      for (let i = 0; i < 10; i++) equal(await store.accept(other), 'conflict')
      for (let i = 1; i < LOCKOUT.points; i++) {
        equal(await store.accept(from('ben@mail.example')), 'accepted')
      }
      equal(waits(await store.accept(from('ben@mail.example'))), LOCKOUT.block)
      deepEqual(await store.accept(first), REPLAYED)
      equal(await store.accept(other), 'conflict')
    })

    test('lets exactly five of a burst through, however many processes it reaches', async t => {
      const one = await startStore(t, { engine })
      // On SQLite the lockout lives in the one process that accepts submissions.
      const other = engine === 'sqlite' ? one : await startStore(t, { database: one.database })
      const burst = Array.from({ length: 40 }, () => from('ben@mail.example'))
      const outcomes = await Promise.all(burst.map((arrival, i) => (i % 2 ? one : other).store.accept(arrival)))
      equal(outcomes.filter(outcome => outcome === 'accepted').length, LOCKOUT.points)
      equal(outcomes.filter(outcome => waits(outcome) > 0).length, 40 - LOCKOUT.points)
      equal(await countRows(one.database, 'submissions'), LOCKOUT.points)
    })

    test('counts on when clocks differ by seconds', async t => {
      const { store } = await startStore(t, { engine })
      const outcomes: unknown[] = []
      for (const late of [0, 20, 4000, 0, 20, 4000]) {
        const arrival = from('ben@mail.example')
        const receivedAt = arrival.receivedAt - late
        outcomes.push(await store.accept({ ...arrival, receivedAt }))
      }
      equal(outcomes.filter(outcome => outcome === 'accepted').length, LOCKOUT.points)
    })

    test('leaves the keys of rejected submissions free', async t => {
      const { store, database } = await startStore(t, { engine })
      const burst = Array.from({ length: 10 }, () => from('ben@mail.example'))
      await Promise.all(burst.map(store.accept))
      if (engine === 'postgres') {
        equal(await countRows(database, 'idempotency_keys'), LOCKOUT.points)
      }
      const later = burst.map(arrival => ({
        ...arrival,
        receivedAt: arrival.receivedAt + LOCKOUT.block,
        lockout: false,
      }))
      const outcomes = await Promise.all(later.map(store.accept))
      equal(outcomes.filter(isReplayed).length, LOCKOUT.points)
      equal(outcomes.filter(outcome => outcome === 'accepted').length, 10 - LOCKOUT.points)
    })

    test('is remembered over a restart', async t => {
      const { store, database, clock } = await startStore(t, { engine })
      for (let i = 0; i < LOCKOUT.points; i++) await store.accept(from('Ben@Mail.example'))
      await store.close()
      const again = await startStore(t, { database, clock })
      equal(waits(await again.store.accept(from('ben@mail.example'))), LOCKOUT.block)
    })
  })

  describe('counting for limits', () => {
    const hit = (now: number, add = 1) => ({ add, duration: MINUTE, now })

    test('goes on until the end of the window, then starts again', async t => {
      const { store } = await startStore(t, { engine })
      deepEqual(await store.count('a', hit(1000)), { points: 1, until: 1000 + MINUTE })
      deepEqual(await store.count('a', hit(2000)), { points: 2, until: 1000 + MINUTE })
      deepEqual(await store.count('a', hit(2000, 0)), { points: 2, until: 1000 + MINUTE })
      deepEqual(await store.count('b', hit(2000)), { points: 1, until: 2000 + MINUTE })
      const end = 1000 + MINUTE
      deepEqual(await store.count('a', hit(end)), { points: 1, until: end + MINUTE })
    })

    test('goes on when clocks differ by seconds', async t => {
      const { store } = await startStore(t, { engine })
      await store.count('a', hit(10_000))
      deepEqual(await store.count('a', hit(9_980)), { points: 2, until: 10_000 + MINUTE })
      deepEqual(await store.count('a', hit(5_000)), { points: 3, until: 10_000 + MINUTE })
    })

    test('does not wait for years because a clock was set back', async t => {
      const { store } = await startStore(t, { engine })
      await store.count('a', hit(100 * DAY))
      deepEqual(await store.count('a', hit(1000)), { points: 1, until: 1000 + MINUTE })
    })

    test('misses none of many at once', async t => {
      const { store, database } = await startStore(t, { engine })
      const other = engine === 'sqlite' ? { store } : await startStore(t, { database })
      const windows = await Promise.all(
        Array.from({ length: 100 }, (_, i) => (i % 2 ? store : other.store).count(`key ${i % 3}`, hit(1000))),
      )
      const points = windows.map((window, i) => `${i % 3} ${window.points}`)
      equal(new Set(points).size, 100)
    })
  })
})
