import { deepEqual, equal, notDeepEqual, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import type { Arrival } from '../../src/store/acceptance/arrival.ts'
import { LOCKOUT } from '../../src/store/acceptance/inquiry-lockout.ts'
import { StoreUnavailable } from '../../src/store/acceptance/store-unavailable.ts'
import { asText } from '../../src/store/sqlite/batch-text.ts'
import { INDEX_EVERY } from '../../src/store/sqlite/keys-to-index.ts'
import { CLOCK_SKEW } from '../../src/store/tasks/clock-skew.ts'
import { testClock } from '../support/clock.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { anArrival, startStore } from '../support/store.ts'
import { wholeDatabase } from './whole-database.ts'

const REPLAYED = { replayed: 200 }

const from = (email: string, over: Partial<Arrival> = {}) => anArrival({ email, lockout: true, ...over })

const later = (arrival: Arrival, milliseconds: number): Arrival => ({
  ...arrival,
  receivedAt: arrival.receivedAt + milliseconds,
})

const withAnotherBody = (arrival: Arrival): Arrival => ({ ...arrival, fingerprint: 'another'.padEnd(22, '.') })

onEachEngine(engine => {
  describe('the outcome of a dry run', () => {
    test('stores nothing, and the key stays free', async t => {
      const { store, database } = await startStore(t, { engine })
      await store.accept(from('ben@mail.example'))
      const before = await wholeDatabase(database)
      const arrival = from('ben@mail.example')
      equal(await store.dryRun(arrival), 'accepted')
      equal(await store.dryRun(withAnotherBody(arrival)), 'accepted')
      deepEqual(await wholeDatabase(database), before)
      equal(await store.accept(arrival), 'accepted')
      notDeepEqual(await wholeDatabase(database), before)
    })

    test('is a replay, with what was answered, or a conflict, for a key that is taken', async t => {
      const { store } = await startStore(t, { engine })
      const arrival = anArrival({ answer: 409 })
      await store.accept(arrival)
      deepEqual(await store.dryRun({ ...arrival, answer: 200 }), { replayed: 409 })
      equal(await store.dryRun(withAnotherBody(arrival)), 'conflict')
    })

    test('is new again for a key that lives a day, when the day is over', async t => {
      const { store } = await startStore(t, { engine })
      const arrival = anArrival({ keyLifetime: DAY })
      await store.accept(arrival)
      deepEqual(await store.dryRun(later(arrival, DAY - 1)), REPLAYED)
      equal(await store.dryRun(later(arrival, DAY)), 'accepted')
      equal(await store.accept(later(arrival, DAY)), 'accepted')
    })

    test('is a lockout for the sixth within an hour, but a dry run does not begin one', async t => {
      const { store, database } = await startStore(t, { engine })
      const first = from('ben@mail.example')
      await store.accept(first)
      for (let i = 1; i < LOCKOUT.points; i++) await store.accept(from('ben@mail.example'))
      const before = await wholeDatabase(database)
      const sixth = from('ben@mail.example')
      for (const minutes of [0, 1, 30]) {
        deepEqual(await store.dryRun(later(sixth, minutes * MINUTE)), { lockedFor: LOCKOUT.block })
      }
      deepEqual(await wholeDatabase(database), before)
      deepEqual(await store.dryRun(first), REPLAYED)
      equal(await store.dryRun(withAnotherBody(first)), 'conflict')
      equal(await store.dryRun(from('ana@mail.example')), 'accepted')
      equal(await store.dryRun(later(sixth, HOUR)), 'accepted')
      deepEqual(await store.accept(later(sixth, 30 * MINUTE)), { lockedFor: LOCKOUT.block })
    })

    test('says how much of a lockout is left, and nothing once it has ended', async t => {
      const { store } = await startStore(t, { engine })
      for (let i = 0; i <= LOCKOUT.points; i++) await store.accept(from('ben@mail.example'))
      const next = from('ben@mail.example')
      deepEqual(await store.dryRun(later(next, MINUTE)), { lockedFor: LOCKOUT.block - MINUTE })
      deepEqual(await store.dryRun(later(next, LOCKOUT.block - 1)), { lockedFor: 1 })
      equal(await store.dryRun(later(next, LOCKOUT.block)), 'accepted')
    })

    test('counts no dry run for a lockout, however many there are', async t => {
      const { store } = await startStore(t, { engine })
      const burst = Array.from({ length: 40 }, () => from('ben@mail.example'))
      deepEqual(new Set(await Promise.all(burst.map(store.dryRun))), new Set(['accepted']))
      for (let i = 0; i < LOCKOUT.points; i++) {
        equal(await store.accept(from('ben@mail.example')), 'accepted')
      }
    })

    test('is the one that each has alone, even if several come together', async t => {
      const { store } = await startStore(t, { engine })
      const known = anArrival()
      await store.accept(known)
      const arrival = anArrival()
      const together = [arrival, arrival, withAnotherBody(arrival), known, withAnotherBody(known)]
      deepEqual(await Promise.all(together.map(store.dryRun)), [
        'accepted',
        'accepted',
        'accepted',
        REPLAYED,
        'conflict',
      ])
    })

    test('takes into account what another process has just written', async t => {
      const one = await startStore(t, { engine })
      const other = await startStore(t, { database: one.database })
      for (let i = 0; i < 20; i++) {
        const arrival = anArrival()
        equal(await one.store.dryRun(arrival), 'accepted')
        await other.store.accept(arrival)
        deepEqual(await one.store.dryRun(arrival), REPLAYED)
      }
    })

    test('is StoreUnavailable while it cannot be known, and known again after', async t => {
      const { store, database } = await startStore(t, { engine })
      await sql(database, 'alter table idempotency_keys rename to gone')
      await rejects(store.dryRun(from('ben@mail.example')), StoreUnavailable)
      await sql(database, 'alter table gone rename to idempotency_keys')
      equal(await store.dryRun(from('ben@mail.example')), 'accepted')
    })
  })
})

test('a file that another process is writing to keeps no dry run waiting', async t => {
  const { store, database } = await startStore(t)
  if (database.engine !== 'sqlite') throw new Error('This is about SQLite')
  const arrival = anArrival()
  await store.accept(arrival)
  const other = new DatabaseSync(database.file)
  t.after(() => other.close())
  other.exec('begin immediate')
  deepEqual(await store.dryRun(arrival), REPLAYED)
  // Long enough for the key to be indexed, which would write.
  for (const end = performance.now() + 3 * INDEX_EVERY; performance.now() < end; )
    equal(await store.dryRun(anArrival()), 'accepted')
  other.exec('rollback')
})

test('in the thread of SQLite a dry run overtakes work in the background', async t => {
  const file = join(temporaryFolder(t), 'frontdesk.db')
  const thread = new Worker(new URL('../../src/store/sqlite/thread.ts', import.meta.url), {
    workerData: { file, now: 0 },
  })
  t.after(() => thread.terminate())
  await once(thread, 'message')
  const done: number[] = []
  const all = Promise.withResolvers<void>()
  thread.on('message', ({ id, error }) => {
    if (error) all.reject(error)
    if (done.push(id) === 100) all.resolve()
  })
  // The first call waits for the lock to write, so that the others queue, however slowly they are posted.
  const other = new DatabaseSync(file)
  t.after(() => other.close())
  other.exec('begin immediate')
  thread.postMessage({ id: 1, name: 'probe', args: [] })
  for (let id = 2; id < 100; id++) thread.postMessage({ id, name: 'countBacklog', args: [0] })
  thread.postMessage({ id: 100, name: 'dryRun', args: [asText([anArrival()])] })
  other.exec('rollback')
  await all.promise
  ok(done.indexOf(100) < 50, `it came as number ${done.indexOf(100)}`)
})

/** Few keys, bodies and addresses, so that they meet again and again. */
const chances = fc
  .record({
    key: fc.oneof(
      fc.constantFrom(...'abcde').map(key => ({ key, keyLifetime: null })),
      fc.constantFrom(...'ABCDEFGHIJKLMNOPQRST').map(key => ({ key, keyLifetime: null })),
      fc.constantFrom('f', 'g').map(key => ({ key, keyLifetime: MINUTE })),
    ),
    fingerprint: fc.constantFrom('one', 'one', 'one', 'two'),
    sender: fc.constantFrom(null, 'ben', 'ben', 'ben', 'Ána 😀'),
    answer: fc.constantFrom<Arrival['answer']>(200, 400, 409),
  })
  // As in reality, a key that lives for a time has no lockout.
  .map(({ key, sender, ...rest }) => ({ ...rest, ...key, sender: key.keyLifetime === null ? sender : null }))

/** Also back in time: by as much as clocks may differ, and by so much that a window is over. */
const gaps = fc.oneof(
  { weight: 24, arbitrary: fc.nat(2 * MINUTE) },
  { weight: 8, arbitrary: fc.constantFrom(0, 1, MINUTE, LOCKOUT.block - 1, LOCKOUT.block, HOUR - 1, HOUR) },
  { weight: 1, arbitrary: fc.constantFrom(-SECOND, -CLOCK_SKEW, -CLOCK_SKEW - 1, -HOUR) },
)

/** At each moment there are dry runs of several together, and the first of them is then accepted. */
const steps = fc.array(fc.record({ gap: gaps, together: fc.array(chances, { minLength: 1, maxLength: 4 }) }), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
})

async function startBoth(t: TestContext) {
  const sqlite = await startStore(t, { engine: 'sqlite' })
  const postgres = await startStore(t, { engine: 'postgres' })
  return [sqlite.store, postgres.store] as const
}

test('on both engines the dry run has the outcome of the real request, whatever came before', async t => {
  const both = await startBoth(t)
  const clock = testClock()
  const seen = new Set<string>()
  let run = 0
  await fc.assert(
    fc.asyncProperty(steps, async steps => {
      run++
      clock.advance(2 * DAY)
      let setBack = false
      for (const { gap, together } of steps) {
        clock.advance(gap)
        setBack ||= gap < 0
        const arrivals = together.map(({ sender, ...chance }) =>
          anArrival({
            ...chance,
            key: `run ${run} ${chance.key}`,
            email: `run ${run} ${sender}`,
            lockout: sender !== null,
            receivedAt: clock.now(),
          }),
        )
        const [sqlite, postgres] = await Promise.all(
          both.map(async ({ dryRun, accept }) => {
            const expected = await Promise.all(arrivals.map(dryRun))
            const outcome = await accept(arrivals[0] as Arrival)
            deepEqual(outcome, expected[0])
            return expected
          }),
        )
        // What was over before the clock was set back, each engine forgets in a time of its own.
        if (!setBack) deepEqual(postgres, sqlite)
        for (const outcome of sqlite ?? []) {
          seen.add(typeof outcome === 'string' ? outcome : Object.keys(outcome).join())
        }
      }
    }),
    { numRuns: 60 },
  )
  deepEqual([...seen].sort(), ['accepted', 'conflict', 'lockedFor', 'replayed'])
})
