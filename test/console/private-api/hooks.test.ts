/** Subscriptions by the private API: REST hooks, as Zapier, Make and n8n use them. */
import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startWithReceiver } from '../../destinations/add-destination.ts'
import type { Sent } from '../../destinations/receiver.ts'
import { aStudent } from '../../support/bodies.ts'
import { type Engine, onEachEngine, sql } from '../../support/engines.ts'
import { type ApiResponse, apiClient, detailOf, makeToken } from './api-client.ts'

async function aDesk(t: TestContext, engine: Engine, answer?: Parameters<typeof startWithReceiver>[1]['answer']) {
  const service = await startWithReceiver(t, { engine, answer })
  const api = apiClient(service, await makeToken(service.admin))
  const { store } = service.app
  const subscribe = (event = 'lead.created', targetUrl = service.url) => api.post('/hooks', { targetUrl, event })
  const writes = async (name: string) => {
    await service.postStudent(aStudent({ email: `${name}@mail.example`, idempotencyKey: name }))
    await service.settle()
  }
  return { ...service, api, store, subscribe, writes }
}

const hooksIn = ({ body }: ApiResponse) => body['hooks'] as Record<string, unknown>[]

const leadIn = (sent: Sent | undefined) => sent?.event.data['lead'] as Record<string, unknown>

onEachEngine(engine => {
  describe('a subscription', () => {
    test('hears of its event, in full and signed with its secret, and stands among the destinations', async t => {
      const { api, admin, subscribe, writes, received, store } = await aDesk(t, engine)
      const { status, body } = await subscribe()
      equal(status, 201)
      deepEqual(hooksIn(await api.get('/hooks')), [
        { id: body['id'], event: 'lead.created', host: body['host'], on: true },
      ])
      await writes('ada')
      deepEqual(
        received.map(({ event }) => event.type),
        ['lead.created'],
      )
      new Webhook(String(body['secret'])).verify(received[0]?.body ?? '', received[0]?.headers ?? {})
      equal(leadIn(received[0])['email'], 'ada@mail.example')
      match((await admin.get('/destinations')).text, /Records \(token\): lead\.created/)
      const [entry] = await store.listAudit({ limit: 1 })
      deepEqual([entry?.actor, entry?.action], ['Records (token)', 'added a destination'])
    })

    test('is made once, even by several requests at the same time; its secret is shown once', async t => {
      const { api, subscribe } = await aDesk(t, engine)
      const both = await Promise.all([subscribe(), subscribe()])
      deepEqual(
        both.map(({ status }) => status),
        [201, 201],
      )
      equal(new Set(both.map(({ body }) => body['id'])).size, 1)
      equal(both.filter(({ body }) => body['secret'] !== null).length, 1)
      notEqual((await subscribe('lead.assigned')).body['id'], both[0]?.body['id'])
      equal(hooksIn(await api.get('/hooks')).length, 2)
    })

    test('is told ids alone if the token may not read leads', async t => {
      const { admin, writes, received, url, ...service } = await aDesk(t, engine)
      const api = apiClient(service, await makeToken(admin, { name: 'Other', scopes: ['hooks'] }))
      await api.post('/hooks', { targetUrl: url, event: 'lead.created' })
      await writes('ada')
      equal(leadIn(received[0])['id'], 1)
      doesNotMatch(received[0]?.body ?? '', /ada@mail/)
    })

    test('ends when its program ends it, and no program ends what is not its own', async t => {
      const { api, admin, subscribe, writes, received, ...service } = await aDesk(t, engine)
      const { id } = (await subscribe()).body
      const other = apiClient(service, await makeToken(admin, { name: 'Other' }))
      equal((await other.fetch(`/hooks/${id}`, { method: 'DELETE' })).status, 404)
      deepEqual(hooksIn(await other.get('/hooks')), [])
      equal((await api.fetch(`/hooks/${id}`, { method: 'DELETE' })).status, 200)
      const again = await api.fetch(`/hooks/${id}`, { method: 'DELETE' })
      equal(again.status, 404)
      match(detailOf(again), /has no subscription with this number/)
      await writes('ada')
      deepEqual(received, [])
    })

    test('ends when its receiver responds 410, without an alarm, and when its token is revoked', async t => {
      let gone = false
      const desk = await aDesk(t, engine, () => ({ status: gone ? 410 : 204 }))
      const { api, admin, subscribe, writes, store, sent } = desk
      await subscribe()
      gone = true
      await writes('ada')
      deepEqual(hooksIn(await api.get('/hooks')), [])
      deepEqual(await store.listAlarms(), [])
      ok(!sent.some(({ subject }) => /no longer receives/.test(subject)))
      match((await admin.get('/audit')).text, /the receiver<\/td><td>ended a subscription/)

      gone = false
      await subscribe()
      const { text } = await admin.post('/tokens/1/revoke')
      match(text, /no longer works\. 1 subscription of its program ended, too/)
      deepEqual(await store.listDestinations(), [])
    })

    test('ends together with its token, or not at all', async t => {
      const { api, admin, subscribe, database, store } = await aDesk(t, engine)
      await subscribe()
      await sql(database, 'create table holds (destination_id bigint references destinations (id))')
      await sql(database, 'insert into holds select id from destinations')
      equal((await admin.post('/tokens/1/revoke')).status, 500)
      equal((await api.get('/hooks')).status, 200)
      await sql(database, 'drop table holds')
      match((await admin.post('/tokens/1/revoke')).text, /1 subscription of its program ended, too/)
      deepEqual(await store.listDestinations(), [])
      equal((await api.get('/hooks')).status, 401)
    })

    test('that an admin has switched off stays so, and one that failed for days is on again', async t => {
      const { admin, subscribe, store, clock } = await aDesk(t, engine)
      const id = Number((await subscribe()).body['id'])
      await admin.post(`/destinations/${id}/off`)
      equal((await subscribe()).body['on'], false)
      await admin.post(`/destinations/${id}/on`)
      await store.switchOff(id, { reason: 'given up', now: clock.now(), audit: [] })
      equal((await subscribe()).body['on'], true)
      equal((await store.readDestination(id))?.off, undefined)
    })

    test('goes to no private address, and to no event that there is not', async t => {
      const { subscribe, api } = await aDesk(t, engine)
      for (const url of [
        'http://10.0.0.1/',
        'https://[::ffff:169.254.169.254]/',
        'ftp://hooks.example/',
        'https://a:b@hooks.example/',
      ]) {
        const { status, body } = await subscribe('lead.created', url)
        equal(status, 400, url)
        match(String(body['detail']), /^targetUrl cannot be used: /)
      }
      match(detailOf(await subscribe('lead.deleted')), /^event must be one of lead\.created/)
      match(detailOf(await api.get('/hooks/sample?event=x')), /^event must be one of lead\.created/)
      deepEqual(hooksIn(await api.get('/hooks')), [])
    })
  })

  test('a sample has the fields of the event', async t => {
    const { api } = await aDesk(t, engine)
    const { body } = await api.get('/hooks/sample?event=lead.assigned')
    const [sample] = body as unknown as { type: string; data: { lead: Record<string, unknown> } }[]
    equal(sample?.type, 'lead.assigned')
    equal(sample?.data.lead['email'], 'sam@mail.example')
  })
})
