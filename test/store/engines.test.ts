/** The two engines side by side: the same calls in the same order have the same outcome. */
import { deepEqual, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import type { Arrival, Outcome } from '../../src/store/acceptance/arrival.ts'
import { LOCKOUT } from '../../src/store/acceptance/inquiry-lockout.ts'
import type { Store } from '../../src/store/store.ts'
import { testClock } from '../support/clock.ts'
import { sql } from '../support/engines.ts'
import { anArrival, startStore, type TestStore } from '../support/store.ts'

type Chance = Pick<Arrival, 'key' | 'keyLifetime' | 'fingerprint' | 'kind' | 'answer'> & {
  /** The address that is locked out if it sends too much; null for one without a lockout. */
  sender: string | null
}

/** Its lifetime is part of a key. */
const keys = fc.oneof(
  fc.constantFrom(...'abcde').map(key => ({ key, keyLifetime: null })),
  fc.constantFrom(...'ABCDEFGHIJKLMNOPQRST').map(key => ({ key, keyLifetime: null })),
  fc.constantFrom('f', 'g').map(key => ({ key, keyLifetime: MINUTE })),
  fc.constantFrom('h', 'i').map(key => ({ key, keyLifetime: HOUR })),
)

/** Few keys, bodies and addresses, so that they meet again and again. */
const chances: fc.Arbitrary<Chance> = fc
  .record({
    key: keys,
    fingerprint: fc.constantFrom('one', 'one', 'one', 'two'),
    sender: fc.constantFrom(null, 'ben', 'ben', 'ben', 'Ána 😀'),
    kind: fc.constantFrom('site', 'student'),
    answer: fc.constantFrom(200, 400, 409),
  })
  .map(({ key, ...rest }) => ({ ...rest, ...key }))

const gaps = fc.oneof(
  { weight: 4, arbitrary: fc.nat(2 * MINUTE) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, MINUTE - 1, MINUTE, LOCKOUT.block - 1, LOCKOUT.block, HOUR - 1, HOUR) },
)

/** What comes at one moment, and how long after the moment before. */
type Step = { gap: number; arrivals: Chance[] }

const step = (arrivals: fc.Arbitrary<Chance[]>): fc.Arbitrary<Step> => fc.record({ gap: gaps, arrivals })

const steps = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: step(chances.map(chance => [chance])) },
    // Only the keys order those that come together, so the engines may lock different ones.
    {
      weight: 1,
      arbitrary: step(
        fc.array(
          chances.map(chance => ({ ...chance, sender: null })),
          { minLength: 2, maxLength: 8 },
        ),
      ),
    },
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
)

/** A store on each engine. Each run has its own names and a later day, as if it were the first. */
async function startBoth(t: TestContext) {
  const sqlite = await startStore(t, { engine: 'sqlite' })
  const postgres = await startStore(t, { engine: 'postgres' })
  const clock = testClock()
  let runs = 0
  const newRun = () => {
    clock.advance(2 * DAY)
    return `run ${++runs}`
  }
  return { both: [sqlite, postgres] as const, clock, newRun }
}

/** The submissions of a run, without what each engine numbers in its own way. */
async function rowsOf({ database }: TestStore, run: string) {
  const rows = await sql(
    database,
    `select kind, received_at, key, fingerprint, email, answer, body, client_address
     from submissions where key like '${run} %' order by received_at, email, key`,
  )
  return rows.map(row => ({ ...row }))
}

describe('both engines', () => {
  test('have the same outcomes and rows, whatever comes in whatever order', async t => {
    const { both, clock, newRun } = await startBoth(t)
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(steps, async steps => {
        const run = newRun()
        const outcomes: Outcome[][] = [[], []]
        for (const { gap, arrivals } of steps) {
          clock.advance(gap)
          const batch = arrivals.map(({ sender, ...chance }) =>
            anArrival({
              ...chance,
              key: `${run} ${chance.key}`,
              email: `${run} ${sender}`,
              lockout: sender !== null,
              receivedAt: clock.now(),
            }),
          )
          for (const [i, { store }] of both.entries()) {
            outcomes[i]?.push(...(await Promise.all(batch.map(store.accept))))
          }
        }
        deepEqual(outcomes[1], outcomes[0])
        for (const outcome of outcomes[0] ?? []) {
          seen.add(typeof outcome === 'string' ? outcome : Object.keys(outcome).join())
        }
        const [sqlite, postgres] = await Promise.all(both.map(store => rowsOf(store, run)))
        deepEqual(postgres, sqlite)
      }),
      { numRuns: 50 },
    )
    deepEqual([...seen].sort(), ['accepted', 'conflict', 'lockedFor', 'replayed'])
  })

  test('have tasks over the same submissions', async t => {
    const { both, clock, newRun } = await startBoth(t)
    await fc.assert(
      fc.asyncProperty(steps, async steps => {
        const run = newRun()
        for (const { gap, arrivals } of steps) {
          clock.advance(gap)
          const batch = arrivals.map(chance =>
            anArrival({ ...chance, key: `${run} ${chance.key}`, receivedAt: clock.now() }),
          )
          for (const { store } of both) await Promise.all(batch.map(store.accept))
        }
        const now = clock.now()
        const [sqlite, postgres] = await Promise.all(both.map(({ store }) => takeUnfiled(store, now)))
        deepEqual(postgres, sqlite)
      }),
      { numRuns: 15 },
    )
  })

  test('count hits for limits alike', async t => {
    const { both, clock, newRun } = await startBoth(t)
    const durations = { short: MINUTE, long: HOUR }
    const hit = fc.record({
      gap: fc.oneof(fc.nat(20 * SECOND), fc.constantFrom(0, MINUTE - 1, MINUTE, HOUR)),
      key: fc.constantFrom('short', 'long'),
      add: fc.constantFrom(0, 1, 1, 1),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(hit, { minLength: 1, maxLength: 40 }), async hits => {
        const run = newRun()
        for (const { gap, key, add } of hits) {
          clock.advance(gap)
          const count = { add, duration: durations[key as 'short' | 'long'], now: clock.now() }
          const [sqlite, postgres] = await Promise.all(both.map(({ store }) => store.count(`${run} ${key}`, count)))
          deepEqual(postgres, sqlite)
        }
      }),
      { numRuns: 40 },
    )
  })
})

/** The bodies of what waits to be filed, by task. Then concludes the tasks. */
async function takeUnfiled(store: Store, now: number): Promise<string[]> {
  const tasks = await store.claimTasks({ lane: 'filing', now, token: 'test', limit: 1000 })
  const unfiled = await Promise.all(tasks.map(task => store.readUnfiled([task], 1000)))
  if (tasks.length > 0) await store.finishTasks(tasks, now)
  ok(unfiled.every(rows => rows.length > 0))
  return unfiled.flatMap(rows => rows.map(({ row }) => row.body)).sort()
}
