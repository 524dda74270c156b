import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { postgresRows } from '../support/postgres.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { spawnProcess, startProcess } from '../support/process.ts'
import { startSmtp } from '../support/smtp.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import {
  ANSWERED_WITHIN,
  assertAllStored,
  assertAllTold,
  endWaiting,
  eventually,
  finds,
  Load,
  makeDatabase,
  stored,
  Watch,
  WELL_WITHIN,
  workOf,
} from './faults.ts'
import { Ledger } from './ledger.ts'
import { RawClient } from './raw-client.ts'

/** The server undoes the transaction of a replica that it does not hear from, in milliseconds. */
const LOCKS_HELD = 12_000

let server: PostgresServer
before(async () => {
  server = await startPostgresServer()
})
after(() => server.remove())

// Both wait for the server most of the time.
describe('a replica that loses its network', { concurrency: true }, () => {
  test('in the middle of work turns clients away, holds up the other for seconds only, and comes back by itself', async t => {
    const url = await makeDatabase(server)
    const proxy = await TcpProxy.start(t, url)
    const lost = await startProcess(t, { env: { DATABASE_URL: proxy.through(url) } })
    const ledger = new Ledger()
    const taking = ['serve', '--http-only']
    const other = await startProcess(t, { env: { DATABASE_URL: url }, args: taking })
    const client = await RawClient.connect(other.origin.learn)
    equal((await ledger.submit(client)).status, 200)
    const load = new Load(lost, { ledger })
    await load.until(200, 10)

    // It is in the middle of filing when its network goes, and what it has locked stays locked.
    const blocker = new pg.Client(url)
    await blocker.connect()
    await blocker.query('begin; lock table timeline in share mode')
    const waits = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into "timeline"%'`
    await eventually(() => finds(url, waits), 'it did not begin to file')
    const watch = new Watch(lost)
    await load.until(200, 10)
    proxy.hold()
    const gone = performance.now()
    await blocker.end()

    // Others go on: with what comes in, at once; with what was claimed, once they may.
    const worker = await startProcess(t, { env: { DATABASE_URL: url }, args: ['worker'] })
    const fresh = performance.now()
    equal((await ledger.submit(client)).status, 200)
    const id = `select max(id) as id from submissions`
    const [newest] = await postgresRows(url, id)
    const filed = `select 1 from timeline where submission_id = $1`
    await eventually(() => finds(url, filed, [newest.id]), 'the other filed nothing new')
    const freshFiled = performance.now() - fresh
    await endWaiting(url)
    const allDone = async () => (await workOf(url)).open === 0
    await eventually(allDone, 'not all that was claimed was done')
    const takenOver = performance.now() - gone
    client.socket.destroy()

    // What it was connected by is dead for good.
    proxy.abandon()
    proxy.pass()
    const back = performance.now()
    await load.until(200, 10)
    await eventually(() => Number.isFinite(watch.allSaid(200, back)), 'not ready again')
    await Promise.all([load.stop(), watch.stop()])

    equal(lost.child.exitCode, null)
    await stored(ledger, url)
    await assertAllStored(ledger, lost, url)
    await assertAllTold(url, ledger.attempted.size, [lost.dataDir, worker.dataDir])
    const well = load.wellAfter(back)
    const [notReady, ready] = [watch.allSaid(503, gone), watch.allSaid(200, back)]
    t.diagnostic(
      `answered within ${load.slowest().toFixed(0)} ms, ${load.count(503)} times 503, not ready after ${notReady.toFixed(0)} ms, /healthz within ${watch.usualHealth().toFixed(0)} ms; another filed something new after ${freshFiled.toFixed(0)} ms and had taken over after ${takenOver.toFixed(0)} ms; back: last 503 after ${well.toFixed(0)} ms, ready after ${ready.toFixed(0)} ms`,
    )
    ok(load.slowest() < ANSWERED_WITHIN, `an answer took ${load.slowest()} ms`)
    ok(notReady < 1600, `not ready after ${notReady} ms only`)
    ok(watch.usualHealth() < 250)
    ok(takenOver < LOCKS_HELD + 5000, `taken over after ${takenOver} ms`)
    ok(well < WELL_WITHIN, `still 503 after ${well} ms`)
    ok(ready < WELL_WITHIN, `ready after ${ready} ms only`)
  })

  test('while it makes the tables holds up the start of another for seconds only', async t => {
    const url = await makeDatabase(server)
    const proxy = await TcpProxy.start(t, url)
    proxy.swallow = 'create table "leads"'
    await spawnProcess(t, { env: { DATABASE_URL: proxy.through(url) } })
    await eventually(() => proxy.swallowed, 'it did not begin')
    const begun = performance.now()

    const other = await spawnProcess(t, { env: { DATABASE_URL: url } })
    const isReady = () => other.stdout().includes('"msg":"ready"')
    await eventually(isReady, 'the other was not ready')
    const ready = performance.now() - begun
    equal((await postgresRows(url, 'select 1 from schema_versions')).length, 3)
    t.diagnostic(`the other was ready after ${ready.toFixed(0)} ms`)
    ok(ready < LOCKS_HELD + 5000)
  })
})

describe('a worker that sleeps longer than its claims last', () => {
  test('changes nothing any more, and sends at most what it had begun, as the same message', async t => {
    const url = await makeDatabase(server)
    const smtp = await startSmtp(t)
    const toDatabase = await TcpProxy.start(t, url)
    const toMail = await TcpProxy.start(t, smtp.url)
    const taking = await startProcess(t, {
      env: { DATABASE_URL: url },
      args: ['serve', '--http-only'],
    })
    const sleeper = await startProcess(t, {
      env: { DATABASE_URL: toDatabase.through(url), SMTP_URL: toMail.through(smtp.url) },
      args: ['worker'],
    })
    const ledger = new Ledger()
    const client = await RawClient.connect(taking.origin.learn)
    const submit = async (count: number) => {
      for (let i = 0; i < count; i++) equal((await ledger.submit(client)).status, 200)
    }
    const claims = async (lane: string, count: number) => {
      const held = `select 1 from tasks where lane = $1 and lease_until is not null offset $2 - 1`
      await eventually(() => finds(url, held, [lane, count]), `${lane} was not claimed`)
    }

    // It has begun to send, but the mail server's word does not reach it.
    toMail.hold()
    await submit(4)
    await claims('mail', 5)
    await eventually(() => toMail.connections > 0, 'it did not begin to send')
    const unfiled = `select 1 from tasks where lane = 'filing' and state = 'due'`
    await eventually(async () => !(await finds(url, unfiled)), 'it did not file')
    await wait(200)
    // It has claimed what is to be filed next, and has not heard so.
    toDatabase.hold('to client')
    await submit(4)
    await claims('filing', 1)
    sleeper.child.kill('SIGSTOP')
    const asleep = performance.now()

    await endWaiting(url)
    const worker = await startProcess(t, {
      env: { DATABASE_URL: url, SMTP_URL: smtp.url },
      args: ['worker'],
    })
    const allDone = async () => (await workOf(url)).open === 0
    await eventually(allDone, 'not all that was claimed was done')
    const done = performance.now() - asleep
    const before = await outcome(url)
    equal(smtp.messages.length, 16)

    sleeper.child.kill('SIGCONT')
    await Promise.all([toDatabase.pass(), toMail.pass()])
    // It is well again, and does what is new.
    equal((await worker.kill('SIGTERM')).code, 0)
    await submit(1)
    const allTold = async () => (await workOf(url)).told === 9 && (await allDone())
    await eventually(allTold, 'the sleeper did not work again')
    const after = await outcome(url)
    deepEqual(after.slice(0, before.length), before)
    const ids = smtp.messages.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1])
    const again = ids.length - new Set(ids).size
    await stored(ledger, url)
    const { leads, noted, sent } = await workOf(url)
    deepEqual({ leads, noted, sent }, { leads: 9, noted: sent, sent: new Set(ids).size })
    t.diagnostic(
      `the other had done all ${done.toFixed(0)} ms after it fell asleep; ${again} messages came again, under the same Message-ID`,
    )
    ok(again <= 5)
  })
})

/** What has become of each task, oldest first. */
const outcome = (url: string) =>
  postgresRows(url, 'select id, state, attempts, note, finished_at from tasks order by id')
