import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../src/platform/time.ts'
import { shutdown } from '../../src/shutdown.ts'
import { openDatabase, startProcess } from '../support/process.ts'
import { unlessStoodStill } from '../support/standstill.ts'
import { Ledger } from './ledger.ts'
import { post, RawClient } from './raw-client.ts'

const CONNECTIONS = 20

/** How often a machine that stands still for seconds may spoil a run. */
const MOST_RUNS = 8

describe('SIGTERM under load', () => {
  test('resets no request, releases all claimed tasks, and exits with 0 in time', async t => {
    let inTime = false
    // On a machine that stands still meanwhile, requests come too late to say anything about late ones.
    for (let runs = 0; runs < MOST_RUNS && !inTime; runs++) inTime = await stopsUnderLoad(t)
    ok(inTime, 'each time, the machine stood still, or the late requests came when the connections were to end anyway')
  })

  /** Returns whether the late requests came in time. */
  async function stopsUnderLoad(t: TestContext): Promise<boolean> {
    const { origin, dataDir, child, exit, stdout, now } = await startProcess(t)
    const connect = (count: number) => Promise.all(Array.from({ length: count }, () => RawClient.connect(origin.learn)))
    const [busy, parked, idle] = await Promise.all([connect(CONNECTIONS), connect(10), connect(10)])
    const ledger = new Ledger()
    // Parked connections have been used, and a proxy keeps them for the next request.
    for (const client of [...parked, ...idle]) {
      const how = await ledger.send(client, 1)
      // On a machine that stood still, the service sheds load.
      if (how === 'asked to close') return false
      equal(how, 'done')
    }

    let [asked, closed] = [false, false]
    const loads = busy.map(client => ledger.send(client, Number.POSITIVE_INFINITY))
    const first = Promise.race(loads).then(() => {
      asked = true
    })
    for (const client of parked) {
      client.ended.then(() => {
        closed = true
      })
    }
    await wait(300)
    // The service has shed load.
    if (asked) return false
    const begun = now()
    child.kill('SIGTERM')
    // It is stopping from the first response that says so.
    await first
    const lateOnes = idle.map(client => ledger.send(client, 1))
    // Long enough to learn that connections have ended: if others are open, these requests came before it closes any.
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    const inTime = !closed

    deepEqual(new Set(await Promise.all(loads)), new Set(['asked to close']))
    const late = new Set(await Promise.all(lateOnes))
    // On a machine that stood still, a connection may have ended before its request came.
    if (inTime) deepEqual(late, new Set(['asked to close']))
    const ends = await Promise.all([...busy, ...parked, ...(inTime ? idle : [])].map(client => client.ended))
    deepEqual(new Set(ends), new Set(['closed']))
    deepEqual(await exit, { code: 0, signal: null })
    const seconds = (now() - begun) / 1000
    ok(seconds * SECOND < shutdown.total + 5 * SECOND, `it took ${seconds} s`)
    if (inTime) ledger.assertAnswered()

    const database = openDatabase(t, dataDir)
    ledger.check(database)
    const claimed = `select count(*) as n from tasks where state = 'due' and lease_until is not null`
    equal(database.prepare(claimed).get()?.['n'], 0)
    equal(stdout().includes('"level":50'), false, 'something was logged as an error')
    t.diagnostic(`${ledger.acknowledged.size} acknowledged, ended after ${seconds.toFixed(2)} s`)
    return inTime
  }

  test('resets no new connection either, although many wait to be accepted', t =>
    // The kernel gives up what waits for long to be accepted.
    unlessStoodStill(async () => {
      const { origin, child, exit } = await startProcess(t)
      const ledger = new Ledger()
      /** Sends requests again and again, each over a new connection, until no one listens anymore. */
      const visit = async () => {
        for (;;) {
          const client = await RawClient.connect(origin.learn).catch(() => undefined)
          if (client === undefined) return 'turned away'
          const response = await ledger.submit(client).catch(() => undefined)
          client.socket.destroy()
          if (response === undefined) return 'reset'
        }
      }
      const visits = Array.from({ length: 100 }, visit)
      while (ledger.acknowledged.size < 100) await wait(1)
      child.kill('SIGTERM')
      deepEqual(new Set(await Promise.all(visits)), new Set(['turned away']))
      equal((await exit).code, 0)
    }))

  test('a request that is being sent when the signal comes still gets its response', t =>
    unlessStoodStill(async () => {
      const { origin, child, exit } = await startProcess(t)
      const [client, idle] = await Promise.all([RawClient.connect(origin.learn), RawClient.connect(origin.learn)])
      const request = post('/api/admissions/interest', '{}')
      client.write(request.slice(0, -1))
      await wait(100)
      child.kill('SIGTERM')
      await idle.ended
      const response = await client.write(request.slice(-1)).response()
      equal(response.status, 400)
      equal(response.headers['connection'], 'close')
      equal((await exit).code, 0)
    }))
})
