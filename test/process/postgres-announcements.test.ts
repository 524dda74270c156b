import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { postgresRows } from '../support/postgres.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { mailFiles, notifyingOfEach, type Service, startProcess, until } from '../support/process.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { eventually, finds, makeDatabase } from './faults.ts'
import { Ledger } from './ledger.ts'
import { RawClient } from './raw-client.ts'

/** A worker that only polls takes 5 seconds for each of several submissions in a row. In milliseconds. */
const POLLED = 4000

/** Where the machine stands still, a claim may fail, and the worker polls: but not each time of so many. */
const MOST_SENT = 20

describe('a worker in a process of its own', () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgresServer()
  })
  after(() => server.remove())

  test('sends a notification without a poll, even after its listening connection had to be replaced', async t => {
    const url = await makeDatabase(server)
    const { submit } = await startBoth(t, url)
    await submit()
    const heard = await untilHeard(submit)
    const [ended] = await postgresRows(url, END_LISTENER)
    equal(ended?.ended, true)
    // Until it listens again, it polls.
    const meanwhile = await submit()
    await eventually(() => finds(url, LISTENER), 'it does not listen again')
    const again = await untilHeard(submit)
    t.diagnostic(
      `sent after ${milliseconds(heard)} ms; while it did not listen ${milliseconds([meanwhile])} ms; again ${milliseconds(again)} ms`,
    )
  })

  test('finds tasks that were not announced to it', async t => {
    const url = await makeDatabase(server)
    const proxy = await TcpProxy.start(t, url)
    proxy.swallow = 'listen frontdesk_due'
    const { submit } = await startBoth(t, url, proxy.through(url))
    const found = await submit()
    t.diagnostic(`sent after ${milliseconds([found])} ms`)
    ok(proxy.swallowed)
  })
})

const LISTENER = `select pid from pg_stat_activity
  where datname = current_database() and query like 'listen%' and state = 'idle'`

const END_LISTENER = `select pg_terminate_backend(pid) as ended from (${LISTENER}) as listener`

/** Submits until three in a row were sent without a poll. Returns how long each took, in milliseconds. */
async function untilHeard(submit: () => Promise<number>): Promise<number[]> {
  const times: number[] = []
  while (times.length < 3 || times.slice(-3).some(took => took > POLLED)) {
    ok(times.length < MOST_SENT, `sent after ${milliseconds(times)} ms`)
    times.push(await submit())
  }
  return times
}

/** Starts intake and a worker. The worker may reach the database at a different URL. */
async function startBoth(t: TestContext, url: string, workerUrl = url) {
  const intake = await startProcess(t, {
    env: { ...notifyingOfEach, DATABASE_URL: url },
    args: ['serve', '--http-only'],
  })
  const worker = await startProcess(t, { env: { ...notifyingOfEach, DATABASE_URL: workerUrl }, args: ['worker'] })
  const ledger = new Ledger()
  /** Over a connection of its own: one that is idle while the machine stands still is ended. */
  const send = async () => {
    const client = await RawClient.connect(intake.origin.learn)
    const response = await ledger.submit(client)
    client.socket.destroy()
    return response
  }
  /** Submits, and returns how long after the response the team's notification was sent, in milliseconds. */
  const submit = async () => {
    const before = notifications(worker)
    // Where the machine stood still, the database did not respond in time: a client then sends again.
    while ((await send()).status === 503) await wait(100)
    deepEqual(ledger.refused, [])
    const accepted = worker.now()
    ok(await until(() => notifications(worker) > before), 'no notification was sent')
    return worker.now() - accepted
  }
  return { submit }
}

const notifications = ({ dataDir }: Service): number =>
  mailFiles(dataDir).filter(name => name.includes('notify')).length

const milliseconds = (times: number[]): string => times.map(time => time.toFixed(0)).join(', ')
