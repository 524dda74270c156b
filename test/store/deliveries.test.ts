/** Deliveries beside what else happens to their destination: other attempts, and someone who switches it on or off. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import { TIMEOUT } from '../../src/destinations/send-request.ts'
import { HOUR, SECOND } from '../../src/platform/time.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type Engine, onEachEngine, sql, urlOf } from '../support/engines.ts'
import { aFiling, anArrival, asked, noStaff, someDigest, startStore } from '../support/store.ts'

const choices: Parameters<Store['addDestination']>[0] = {
  ref: 'one',
  kind: 'webhook',
  name: 'Records',
  host: 'records.example',
  sealed: '',
  filter: { kind: null, stages: [], states: [], programs: [], tags: [] },
  events: ['report.weekly', 'lead.created'],
  fields: [],
}

const week = { last: '2026-11-22', students: 1, sites: 0, reached: 1, untried: 0, url: '' }

async function aDestination(t: TestContext, engine: Engine, events = choices.events) {
  const { store, clock, database } = await startStore(t, { engine })
  const now = clock.now()
  const added = await store.addDestination({ ...choices, events }, { most: 1, audit: [], now })
  ok(added !== 'too many')
  const { id } = added
  return {
    store,
    now,
    database,
    id,
    /** Files an inquiry of a student. */
    file: async (email: string) => {
      const arrival = anArrival({ email, receivedAt: now })
      await store.accept(arrival)
      const held = await store.claimTasks({ lane: 'filing', token: 'A', limit: 1, now })
      const terms = { quarantine: { days: 30, capacity: 9 }, digest: someDigest, staffing: noStaff }
      const filing = aFiling(held[0]?.subject ?? 0, { person: { email } })
      await store.fileSubmissions(held, [filing], { ...terms, now, finish: true })
    },
    /** Adds a test for it. */
    add: () => store.sendTest(id, { now, audit: [] }),
    claim: (limit = 1) => store.claimTasks({ lane: 'deliveries', token: 'A', limit, now }),
    retryAt: async () => (await store.readDestination(id))?.retryAt,
    /** Records what came of the attempt of a claimed task. */
    record: async (
      task: Awaited<ReturnType<typeof store.claimTasks>>[number] | undefined,
      { status, waits, at = now }: { status: number; waits?: number; at?: number },
    ) => {
      ok(task)
      const delivery = await store.findDelivery(task.subject)
      ok(delivery)
      const failed = status !== 200
      ok(
        await store.recordAttempt({
          task,
          delivery,
          attempt: { at, duration: 1, status, response: '', note: failed ? 'it failed' : '' },
          outcome: failed ? { again: at + HOUR } : { settled: 'done' },
          pause: failed ? at + SECOND : undefined,
          asked: waits,
        }),
      )
    },
  }
}

onEachEngine(engine => {
  test('destinations that are added at the same moment are not more than there may be', async t => {
    const { store, clock } = await startStore(t, { engine })
    // The service makes it as it starts.
    await store.getOrCreateSecret('addresses', 'secret')
    const add = (ref: string) => store.addDestination({ ...choices, ref }, { most: 3, audit: [], now: clock.now() })
    const added = await Promise.all(Array.from({ length: 8 }, (_, n) => add(`${n}`)))
    equal(added.filter(one => one === 'too many').length, 5)
    equal((await store.listDestinations()).length, 3)
    const [first] = await store.listDestinations()
    deepEqual(await add(first?.ref ?? ''), { id: first?.id, added: false })
  })

  describe('a destination that gets two events at once', () => {
    test('waits as long as a response asked for, whether another attempt succeeds or fails', async t => {
      for (const status of [200, 500]) {
        const { add, claim, record, retryAt, now } = await aDestination(t, engine)
        for (let i = 0; i < 3; i++) await add()
        const [one, other] = await claim(2)
        await record(one, { status: 429, waits: HOUR })
        await record(other, { status })
        equal(await retryAt(), now + HOUR)
        deepEqual(await claim(), [])
      }
    })

    test('gets a third at once if one of them has failed and the other has arrived meanwhile', async t => {
      const { store, id, add, claim, record, retryAt, now } = await aDestination(t, engine)
      for (let i = 0; i < 3; i++) await add()
      const [one, other, third] = await claim(3)
      await record(one, { status: 500 })
      await record(other, { status: 200 })
      ok(third)
      // It has read before that the destination waits.
      equal(await store.waitForDestination(third, { id, now }), false)
      equal(await retryAt(), null)
    })
  })

  test('a destination that waits when the clock is set back waits no longer than planned, and neither do its events', async t => {
    const { store, add, claim, record, retryAt, now, database } = await aDestination(t, engine)
    for (let i = 0; i < 3; i++) await add()
    // They were recorded long before the clock was ahead.
    await sql(database, `update tasks set created_at = ${now - 30 * HOUR}, scheduled_at = null`)
    await record((await claim(1))[0], { status: 429, waits: HOUR })
    const setBack = now - 20 * HOUR
    // Recorded after that, before the clock is trusted.
    await store.recordWeek({ first: '2026-11-16', ...week }, setBack)
    await store.keepIntervals({ lane: 'deliveries', now: setBack })
    // The attempt itself took a millisecond of the hour.
    equal(await retryAt(), setBack + HOUR - 1)
    const dues = await sql(database, "select due_at from tasks where state = 'due' order by due_at")
    const latest = Number(dues.at(-1)?.['due_at']) - setBack
    equal(dues.length, 4)
    ok(latest < 1.2 * HOUR, `the last of them waits ${latest / HOUR} hours`)
    // What the receiver has asked for ends, too.
    const later = await store.claimTasks({ lane: 'deliveries', token: 'B', limit: 9, now: setBack + HOUR })
    ok(later.length > 0)
    await record(later[0], { status: 200, at: setBack + HOUR })
    equal(await retryAt(), null)
    await store.keepIntervals({ lane: 'deliveries', now: setBack + HOUR })
    equal(await retryAt(), null)
  })

  test('an event that was tried before, and waits for one that is held back, is due once that has arrived', async t => {
    const { store, id, claim, record, file, now, database } = await aDestination(t, engine, ['submission.received'])
    for (const email of ['first@mail.example', 'ana@mail.example', 'ana@mail.example']) await file(email)
    const [first, earlier, later] = await claim(9)
    await record(earlier, { status: 200 })
    await record(later, { status: 500 })
    await record(first, { status: 200 })
    const again = { audit: [], now }
    for (const one of [first, earlier]) await store.resendDeliveries(id, { which: { id: one?.subject ?? 0 }, ...again })
    await sql(database, `update tasks set due_at = 0 where id = ${later?.id}`)
    const [held, ahead, behind] = (await claim(9)).toSorted((one, other) => one.subject - other.subject)
    await record(held, { status: 500 })
    ok(ahead && behind)
    equal(await store.waitForDestination(ahead, { id, now }), true)
    const delivery = await store.findDelivery(behind.subject)
    ok(delivery)
    equal(await store.waitForEarlier(behind, { delivery, now }), true)
    // The destination responds again.
    await sql(database, `update tasks set due_at = 0 where id = ${held?.id}`)
    await record((await claim(1))[0], { status: 200 })
    deepEqual(
      (await claim(9)).map(({ subject }) => subject),
      [ahead.subject],
    )
    await record({ ...ahead, lease_token: 'A' }, { status: 200 })
    deepEqual(
      (await claim(9)).map(({ subject }) => subject),
      [behind.subject],
    )
  })

  test('an erasure is told after an attempt for the same lead that is under way', async t => {
    for (const underWay of [true, false]) {
      const { store, claim, database, now } = await aDestination(t, engine)
      const email = 'ana@mail.example'
      await store.accept(anArrival({ email }))
      const held = await store.claimTasks({ lane: 'filing', token: 'A', limit: 1, now })
      const terms = { quarantine: { days: 30, capacity: 9 }, digest: someDigest, staffing: noStaff }
      await store.fileSubmissions(held, [aFiling(1, { person: { email } })], { ...terms, now, finish: true })
      if (underWay) equal((await claim()).length, 1)
      await store.erasePerson(email, { ...asked, addressHash: undefined, now })
      const types = (await sql(database, 'select type from deliveries')).map(({ type }) => type)
      deepEqual(types, ['lead.erased'])
      equal((await claim()).length, underWay ? 0 : 1)
      const later = { lane: 'deliveries', token: 'B', limit: 1, now: now + 20 * SECOND } as const
      if (underWay) equal((await store.claimTasks(later)).length, 1)
    }
  })

  test('when a destination that takes long fails, what was recorded meanwhile need not be moved, except for one event', async t => {
    const { store, id, now, add, claim, record, file, database } = await aDestination(t, engine)
    await add()
    const [slow] = await claim()
    await store.holdDestination(id, { now, until: now + TIMEOUT })
    for (const name of ['ana', 'bea', 'cleo', 'dora']) await file(`${name}@mail.example`)
    const waiting = () => sql(database, "select subject, due_at from tasks where kind = 'deliver' order by subject")
    const before = await waiting()
    await record(slow, { status: 500, at: now + TIMEOUT })
    const after = await waiting()
    const moved = after.filter((one, index) => one['due_at'] !== before[index]?.['due_at'])
    deepEqual(
      moved.map(({ subject }) => subject),
      [slow?.subject, after[1]?.['subject']],
    )
  })

  test('an event whose destination is switched off and on while a worker looks at it does not count as settled', async t => {
    const { store, id, now, add, claim, database } = await aDestination(t, engine)
    await add()
    const [before] = await claim()
    ok(before)
    await store.switchOff(id, { reason: 'switched off', now, audit: [] })
    equal(await store.findDelivery(before.subject), undefined)
    await store.switchOn(id, { missed: true, now, audit: [] })
    equal((await claim()).length, 1, 'this process claims it again')
    equal(await store.skipSettled(before, now), false)
    equal((await sql(database, "select state from tasks where kind = 'deliver'"))[0]?.['state'], 'due')
    await store.switchOff(id, { reason: 'switched off', now, audit: [] })
    equal(await store.skipSettled(before, now), true)
  })

  test('an event that is read while its destination is switched off is settled, or behind the earlier one of its lead', async t => {
    const { store, id, now, file, database } = await aDestination(t, engine, ['lead.created', 'submission.received'])
    await file('ana@mail.example')
    const other = await openStore(database, { clock: store.clock })
    t.after(() => other.close())
    const [, second] = (await store.listDeliveries(id, { limit: 2 })).map(one => one.id).toSorted()
    for (let round = 0; round < 30; round++) {
      await store.switchOn(id, { missed: true, now, audit: [] })
      const readings = () => Array.from({ length: 5 }, () => store.findDelivery(second ?? 0))
      const before = readings()
      const off = other.switchOff(id, { reason: 'switched off', now, audit: [] })
      for (const read of await Promise.all([...before, ...readings()]))
        ok(read === undefined || read.after !== undefined)
      await off
    }
  })

  test('a destination that goes off while someone looks at its page is sent neither a test nor an event again', async t => {
    const { store, id, now, add, claim, record } = await aDestination(t, engine)
    await add()
    await record((await claim())[0], { status: 200 })
    await store.switchOff(id, { reason: 'gone', now, audit: [] })
    equal(await store.sendTest(id, { now, audit: [] }), false)
    equal(await store.resendDeliveries(id, { which: { id: 1 }, audit: [] }), 0)
    equal(await store.resendDeliveries(id, { which: { since: 0, undelivered: false }, audit: [] }), 0)
    deepEqual(await claim(9), [])
  })

  test('a destination that is switched on without what it missed does not get that later either', async t => {
    const { store, id, now } = await aDestination(t, engine)
    const about = { now, audit: [] }
    await store.switchOff(id, { reason: 'switched off', ...about })
    await store.recordWeek({ first: '2026-11-16', ...week }, now)
    equal(await store.countMissed(id), 1)
    equal(await store.switchOn(id, { missed: false, ...about }), 0)
    await store.switchOff(id, { reason: 'switched off', ...about })
    equal(await store.countMissed(id), 0)
  })
})

describe('on PostgreSQL, an event that is recorded while someone', () => {
  const waits = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"

  async function beside(t: TestContext) {
    const destination = await aDestination(t, 'postgres')
    const { database } = destination
    const other = new pg.Client(urlOf(database))
    await other.connect()
    t.after(() => other.end())
    return {
      ...destination,
      other,
      /** Until the work waits for a lock, or has ended. */
      untilWaiting: async (work: Promise<unknown>) => {
        let ended = false
        void work.finally(() => {
          ended = true
        })
        while (!ended && (await sql(database, waits)).length === 0);
      },
      notes: () => sql(database, "select state, note from tasks where kind = 'deliver'"),
    }
  }
  const OFF = [{ state: 'skipped', note: 'the destination is off' }]

  test('switches the destination off is not sent, and is among what it missed', async t => {
    const { store, id, now, other, untilWaiting, notes } = await beside(t)
    await other.query(`begin;
      insert into deliveries (destination_id, event_id, type, at, facts) values (${id}, 'one', 'test', 1, '{}');
      insert into tasks (lane, kind, subject, due_at, state, attempts, created_at)
        select 'deliveries', 'deliver', id, 0, 'due', 0, 1 from deliveries`)
    const off = store.switchOff(id, { reason: 'switched off', now, audit: [] })
    await untilWaiting(off)
    await other.query('commit')
    await off
    deepEqual(await notes(), OFF)
    equal(await store.countMissed(id), 1)
  })

  test('learns that the destination responds again is due at once', async t => {
    const { add, claim, record, id, now, database, other, untilWaiting } = await beside(t)
    await add()
    await record((await claim())[0], { status: 500 })
    await sql(database, 'update tasks set due_at = 0')
    const [again] = await claim()
    await other.query(`begin; select 1 from destinations for key share;
      insert into deliveries (destination_id, event_id, type, at, facts) values (${id}, 'one', 'test', 1, '{}');
      insert into tasks (lane, kind, subject, due_at, note, state, attempts, created_at)
        select 'deliveries', 'deliver', id, ${now + HOUR}, 'the destination keeps failing', 'due', 0, 1
          from deliveries where event_id = 'one'`)
    const recorded = record(again, { status: 200 })
    await untilWaiting(recorded)
    await other.query('commit')
    await recorded
    equal((await claim()).length, 1)
  })

  test('has switched it off, too', async t => {
    const { store, id, now, other, untilWaiting, notes } = await beside(t)
    await other.query(`begin; select 1 from destinations for update;
      update destinations set off_at = 1, off_reason = 'switched off'`)
    const recorded = store.recordWeek({ first: '2026-11-16', ...week }, now)
    await untilWaiting(recorded)
    await other.query('commit')
    await recorded
    deepEqual(await notes(), OFF)
    equal(await store.countMissed(id), 1)
  })
})
