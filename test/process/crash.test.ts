import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { mailFiles, notifyingOfEach, openDatabase, startProcess, until } from '../support/process.ts'
import { Ledger } from './ledger.ts'
import { RawClient } from './raw-client.ts'

const ROUNDS = 3
const CONNECTIONS = 20
const REQUESTS = 20

describe('kill -9 in the middle of a burst', () => {
  test('loses no acknowledged submission, stores none twice, and a notification follows for each', async t => {
    const ledger = new Ledger()
    let service = await startProcess(t, { env: notifyingOfEach })
    const { dataDir } = service
    for (let round = 1; round <= ROUNDS; round++) {
      const clients = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => RawClient.connect(service.origin.learn)),
      )
      const before = ledger.acknowledged.size
      const bursts = clients.map(client => ledger.send(client, REQUESTS))
      // After a random number of responses, not after a random time: machines differ in speed.
      const moment = before + CONNECTIONS * REQUESTS * (0.1 + 0.6 * Math.random())
      while (ledger.acknowledged.size < moment) await wait(1)
      await service.kill('SIGKILL')
      ok((await Promise.all(bursts)).includes('ended'), 'the burst was over before the kill')
      const { acknowledged, attempted } = ledger
      const responses = `${acknowledged.size} acknowledged of ${attempted.size} sent`

      const started = performance.now()
      service = await startProcess(t, { dataDir, env: notifyingOfEach })
      const seconds = ((performance.now() - started) / 1000).toFixed(2)
      const stored = ledger.check(openDatabase(t, dataDir))
      t.diagnostic(`round ${round}: ${responses}, ${stored} stored, up again after ${seconds} s`)
    }
    deepEqual(ledger.refused, [])

    deepEqual(await ledger.retryAll(service.origin.learn, CONNECTIONS), new Set([200]))
    equal(ledger.acknowledged.size, ledger.attempted.size)
    const database = openDatabase(t, dataDir)
    equal(ledger.check(database), ledger.attempted.size)

    // The service has taken over what the killed processes had claimed, long before those leases end.
    const count = (query: string) => Number(database.prepare(query).get()?.['n'])
    const notified = `select count(distinct subject) as n from tasks where kind = 'notify' and state = 'done'`
    const open = `select count(*) as n from tasks where state = 'due' and due_at <= ${Date.now()}`
    const begun = performance.now()
    await until(() => count(notified) === ledger.attempted.size && count(open) === 0)
    t.diagnostic(`all notifications sent ${((performance.now() - begun) / 1000).toFixed(1)} s later`)
    equal(count(notified), ledger.attempted.size)
    equal(count(open), 0)
    equal(count(`select count(*) as n from tasks where kind = 'notify'`), ledger.attempted.size)
    const sent = `select count(*) as n from tasks where kind in ('notify', 'receipt') and state = 'done'`
    equal(mailFiles(dataDir).length, count(sent))
  })
})
