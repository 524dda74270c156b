import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { schemaVersion } from '../../src/store/migrations/migrate.ts'
import { postgresRows } from '../support/postgres.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { notifyingOfEach, spawnProcess, startProcess } from '../support/process.ts'
import { startSmtp } from '../support/smtp.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import {
  assertAllNotified,
  assertAllStored,
  countStored,
  endWaiting,
  eventually,
  finds,
  Load,
  makeDatabase,
  NOTICES_WITHIN,
  RECOVERS_WITHIN,
  RESPONDS_WITHIN,
  Watch,
  workOf,
} from './faults.ts'
import { Ledger } from './ledger.ts'
import { RawClient } from './raw-client.ts'

/** The server rolls back the transaction of a replica that has been silent for this long, in milliseconds. */
const LOCKS_HELD = 12_000

let server: PostgresServer
before(async () => {
  server = await startPostgresServer()
})
after(() => server.remove())

// Both wait for the server most of the time.
describe('a replica that loses its network', { concurrency: true }, () => {
  test('in the middle of its work returns 503, delays the other only for seconds, and recovers by itself', async t => {
    const url = await makeDatabase(server)
    const proxy = await TcpProxy.start(t, url)
    const lost = await startProcess(t, { env: { ...notifyingOfEach, DATABASE_URL: proxy.through(url) } })
    const ledger = new Ledger()
    const args = ['serve', '--http-only']
    const other = await startProcess(t, { env: { ...notifyingOfEach, DATABASE_URL: url }, args })
    const client = await RawClient.connect(other.origin.learn)
    equal((await ledger.submit(client)).status, 200)
    const load = new Load(lost, { ledger })
    await load.until(200, 10)

    // It is in the middle of filing when its network fails, and it keeps its locks.
    const blocker = new pg.Client(url)
    await blocker.connect()
    await blocker.query('begin; lock table timeline in share mode')
    const waits = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into "timeline"%'`
    await eventually(() => finds(url, waits), 'it did not start to file')
    const watch = new Watch(lost)
    await load.until(200, 10)
    proxy.hold()
    const gone = lost.now()
    await blocker.end()

    // Others continue: at once with new submissions, and with claimed tasks when the leases have ended.
    const worker = await startProcess(t, { env: { ...notifyingOfEach, DATABASE_URL: url }, args: ['worker'] })
    const fresh = performance.now()
    equal((await ledger.submit(client)).status, 200)
    const id = `select max(id) as id from submissions`
    const [newest] = await postgresRows(url, id)
    const filed = `select 1 from timeline where submission_id = $1`
    await eventually(() => finds(url, filed, [newest.id]), 'the other did not file the new submission')
    const freshFiled = performance.now() - fresh
    await endWaiting(url)
    const allDone = async () => (await workOf(url)).open === 0
    await eventually(allDone, 'not all claimed tasks were done')
    const takenOver = lost.now() - gone
    client.socket.destroy()

    // Its old connections never work again.
    proxy.abandon()
    proxy.pass()
    const back = lost.now()
    await load.until(200, 10)
    await eventually(() => Number.isFinite(watch.allReturned(200, back)), 'not ready again')
    await Promise.all([load.stop(), watch.stop()])

    equal(lost.child.exitCode, null)
    await countStored(ledger, url)
    await assertAllStored(ledger, lost, url)
    await assertAllNotified(url, ledger.attempted.size, [lost.dataDir, worker.dataDir])
    const recovered = load.recoveredAfter(back)
    const [notReady, ready] = [watch.allReturned(503, gone), watch.allReturned(200, back)]
    t.diagnostic(
      `responses within ${load.slowest().toFixed(0)} ms, ${load.count(503)} times 503, not ready after ${notReady.toFixed(0)} ms, /healthz within ${watch.usualHealth().toFixed(0)} ms; another filed a new submission after ${freshFiled.toFixed(0)} ms and had taken over after ${takenOver.toFixed(0)} ms; back: last 503 after ${recovered.toFixed(0)} ms, ready after ${ready.toFixed(0)} ms`,
    )
    ok(load.slowest() < RESPONDS_WITHIN, `a response took ${load.slowest()} ms`)
    ok(notReady < NOTICES_WITHIN, `not ready only after ${notReady} ms`)
    ok(watch.usualHealth() < 250)
    ok(takenOver < LOCKS_HELD + RECOVERS_WITHIN, `taken over after ${takenOver} ms`)
    ok(recovered < RECOVERS_WITHIN, `still 503 after ${recovered} ms`)
    ok(ready < RECOVERS_WITHIN, `ready only after ${ready} ms`)
  })

  test('while it creates the tables delays the start of another only for seconds', async t => {
    const url = await makeDatabase(server)
    const proxy = await TcpProxy.start(t, url)
    proxy.swallow = 'create table leads'
    await spawnProcess(t, { env: { ...notifyingOfEach, DATABASE_URL: proxy.through(url) } })
    await eventually(() => proxy.swallowed, 'it did not create the table')

    const other = await spawnProcess(t, { env: { ...notifyingOfEach, DATABASE_URL: url } })
    const begun = other.now()
    const isReady = () => other.stdout().includes('"msg":"ready"')
    await eventually(isReady, 'the other was not ready')
    const ready = other.now() - begun
    deepEqual(await postgresRows(url, 'select version from schema_versions'), [{ version: schemaVersion }])
    t.diagnostic(`the other was ready after ${ready.toFixed(0)} ms`)
    ok(ready < LOCKS_HELD + RECOVERS_WITHIN, `ready only after ${ready} ms`)
  })
})

describe('a worker that sleeps longer than its claims last', () => {
  test('changes nothing when it wakes up, and sends at most what it had begun, as the same message', async t => {
    const url = await makeDatabase(server)
    const smtp = await startSmtp(t)
    const toDatabase = await TcpProxy.start(t, url)
    const toMail = await TcpProxy.start(t, smtp.url)
    const intake = await startProcess(t, {
      env: { ...notifyingOfEach, DATABASE_URL: url },
      args: ['serve', '--http-only'],
    })
    const sleeper = await startProcess(t, {
      env: { ...notifyingOfEach, DATABASE_URL: toDatabase.through(url), SMTP_URL: toMail.through(smtp.url) },
      args: ['worker'],
    })
    const ledger = new Ledger()
    const submit = async (count: number) => {
      const client = await RawClient.connect(intake.origin.learn)
      for (let i = 0; i < count; i++) equal((await ledger.submit(client)).status, 200)
    }
    const claims = async (lane: string, count: number) => {
      const held = `select 1 from tasks where lane = $1 and lease_until is not null offset $2 - 1`
      await eventually(() => finds(url, held, [lane, count]), `${lane} was not claimed`)
    }

    // It has started to send, but the mail server's replies do not reach it.
    toMail.hold()
    await submit(4)
    await claims('mail', 5)
    await eventually(() => toMail.connections > 0, 'it did not start to send')
    const unfiled = `select 1 from tasks where lane = 'filing' and state = 'due'`
    await eventually(async () => !(await finds(url, unfiled)), 'it did not file')
    // It has claimed the next tasks of filing, but the confirmation does not reach it.
    toDatabase.holdAt = 'filing'
    await submit(4)
    await claims('filing', 1)
    sleeper.child.kill('SIGSTOP')
    const asleep = performance.now()

    await endWaiting(url)
    const worker = await startProcess(t, {
      env: { ...notifyingOfEach, DATABASE_URL: url, SMTP_URL: smtp.url },
      args: ['worker'],
    })
    const allDone = async () => (await workOf(url)).open === 0
    await eventually(allDone, 'not all claimed tasks were done')
    const done = performance.now() - asleep
    const before = await outcomes(url)
    equal(smtp.messages.length, 16)

    sleeper.child.kill('SIGCONT')
    await Promise.all([toDatabase.pass(), toMail.pass()])
    // It works again, on new submissions.
    equal((await worker.kill('SIGTERM')).code, 0)
    await submit(1)
    const allNotified = async () => (await workOf(url)).notified === 9 && (await allDone())
    await eventually(allNotified, 'the sleeper did not work again')
    const after = await outcomes(url)
    deepEqual(after.slice(0, before.length), before)
    const ids = smtp.messages.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1])
    const again = ids.length - new Set(ids).size
    await countStored(ledger, url)
    const { leads, recorded, sent } = await workOf(url)
    deepEqual({ leads, recorded, sent }, { leads: 9, recorded: sent, sent: new Set(ids).size })
    t.diagnostic(
      `the other had done everything ${done.toFixed(0)} ms after it fell asleep; ${again} messages arrived again, with the same Message-ID`,
    )
    // Those of the first four submissions, two each: the outbox has slots for all of them, and had begun no others.
    ok(again <= 8, `${again} again`)
  })
})

/** The outcome of each task, oldest first. */
const outcomes = (url: string) =>
  postgresRows(url, 'select id, state, attempts, note, finished_at from tasks order by id')
