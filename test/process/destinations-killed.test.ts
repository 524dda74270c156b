/** What destinations are told, while the service is killed again and again. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { sealSettings } from '../../src/destinations/sealed-settings.ts'
import { type Sent, startReceiver } from '../destinations/receiver.ts'
import { migratedDatabase, onEachEngine, sql, urlOf } from '../support/engines.ts'
import { startProcess } from '../support/process.ts'
import { eventually } from './faults.ts'
import { Ledger } from './ledger.ts'
import { RawClient } from './raw-client.ts'

const ROUNDS = 3
const CONNECTIONS = 5
const REQUESTS = 4

const SECRET_KEY = 'a secret key that is long enough for everyone'
const BODY = '{"type": {{ event.type | json }}, "data": {"lead": {{ lead.id }}, "of": {{ submission | json }}}}'

const leadIn = ({ event }: Sent) => Number(event.data['lead'])
const idOf = ({ headers }: Sent) => headers['idempotency-key'] ?? ''

onEachEngine(engine => {
  test('a destination hears of everything in order for each lead, and twice of what was under way, under the same id, while the service is killed', async t => {
    // Some fail, so that others of their leads wait for them.
    let isWell = false
    const receiver = await startReceiver(t, () => ({ status: receiver.received.length % 7 > 0 || isWell ? 200 : 500 }))
    const database = await migratedDatabase(t, engine)
    const values = { url: receiver.url, verb: 'POST', type: 'application/json', headers: '', body: BODY }
    const sealed = sealSettings(SECRET_KEY, 'one', { values })
    await sql(
      database,
      `insert into destinations (ref, kind, name, host, sealed, filter, events, fields, created_at)
        values ('one', 'request', 'Records', '127.0.0.1', '${sealed}', '{"kind": null, "stages": [], "states": [], "programs": [], "tags": []}',
          '["lead.created", "submission.received"]', '[]', 1)`,
    )
    const env = { DATABASE_URL: urlOf(database), SECRET_KEY, DESTINATION_NETWORKS: '127.0.0.0/8' }
    // Otherwise each kill would cost a lease, and each failure minutes.
    const afterAllWaits = async () => {
      await sql(database, 'update tasks set lease_until = null')
      await sql(database, `update tasks set due_at = 0 where kind = 'deliver' and note is not null and state = 'due'`)
      await sql(database, 'update destinations set retry_at = null')
    }
    const ledger = new Ledger()
    let service = await startProcess(t, { env })
    for (let round = 1; round <= ROUNDS; round++) {
      const heard = receiver.received.length
      const clients = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => RawClient.connect(service.origin.learn)),
      )
      const bursts = Promise.all(clients.map(client => ledger.send(client, REQUESTS)))
      const moment = heard + 1 + Math.floor(CONNECTIONS * REQUESTS * 0.6 * Math.random())
      await eventually(() => receiver.received.length >= moment, 'the destination hears too little')
      await service.kill('SIGKILL')
      await bursts
      isWell = round === ROUNDS
      await afterAllWaits()
      service = await startProcess(t, { env })
    }
    deepEqual(ledger.refused, [])
    deepEqual(await ledger.retryAll(service.origin.learn, CONNECTIONS), new Set([200]))
    const count = async (query: string) => Number((await sql(database, query))[0]?.['n'])
    const waiting = `select count(*) as n from tasks where kind in ('file', 'deliver') and state = 'due'`
    const stored = ledger.attempted.size
    await eventually(
      async () => (await count('select count(*) as n from leads')) === stored && (await count(waiting)) === 0,
      'something still waits',
    )
    const deliveries = await sql(database, 'select id, event_id, lead_id, type from deliveries order by id')
    equal(deliveries.length, 2 * stored)
    equal(new Set(deliveries.map(one => one['event_id'])).size, 2 * stored)
    const { received } = receiver
    const first = received.filter((one, index) => received.findIndex(other => idOf(other) === idOf(one)) === index)
    const heardOf = Map.groupBy(first, leadIn)
    for (const [lead, its] of Map.groupBy(deliveries, one => Number(one['lead_id'])))
      deepEqual(
        heardOf.get(lead)?.map(idOf),
        its.map(one => one['event_id']),
        `lead ${lead}`,
      )
    for (const same of Map.groupBy(received, idOf).values())
      equal(new Set(same.map(({ body }) => body)).size, 1, 'one id stands for one event')
    ok(first.length === 2 * stored, 'nothing else came')
    t.diagnostic(`${stored} leads, ${received.length - first.length} attempts more than events`)
  })
})
