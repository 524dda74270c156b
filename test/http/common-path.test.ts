import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { exchange, post, RawClient } from '../process/raw-client.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { countRows, onEachEngine } from '../support/engines.ts'

const SITE = '/api/site-interest'
const STUDENT = '/api/admissions/interest'

/** A type that means the same, and that only the long path reads. */
const LONG = { 'Content-Type': 'application/json; charset=utf-8' }

type Sent = { host: 'site' | 'learn'; body: unknown; headers?: Record<string, string> }

const from = (address: string) => ({ 'X-Forwarded-For': address })

/** One after the other, to one service. */
const sent: Record<string, Sent> = {
  'a valid body': { host: 'site', body: aSite({ email: 'first@clinic.example' }) },
  'the same again': { host: 'site', body: aSite({ email: 'first@clinic.example' }) },
  'a student': { host: 'learn', body: aStudent({ idempotencyKey: 'one' }) },
  'the same student again': { host: 'learn', body: aStudent({ idempotencyKey: 'one' }) },
  'another body under that key': { host: 'learn', body: aStudent({ idempotencyKey: 'one', city: 'Peoria' }) },
  'a student without a key': { host: 'learn', body: aStudent({ idempotencyKey: undefined }) },
  'two keys': { host: 'learn', body: aStudent({ idempotencyKey: 'a' }), headers: { 'X-Idempotency-Key': 'b' } },
  'a wrong field': { host: 'site', body: aSite({ email: 'nothing' }) },
  'the honeypot': { host: 'site', body: aSite({ website: 'https://spam.example' }) },
  'what was meant for the other operation': { host: 'learn', body: aSite() },
  'an array': { host: 'site', body: [] },
  'broken JSON': { host: 'site', body: '{"firstName": "Ann",}' },
  'a header that asks for a dry run': { host: 'site', body: aSite({ company: 'Dry' }), headers: { 'X-Dry-Run': '1' } },
  'a counted address': { host: 'site', body: aSite({ company: 'Counted' }), headers: from('203.0.113.7') },
  'an error of a counted address': { host: 'site', body: {}, headers: from('203.0.113.7') },
  'an address over its limit': { host: 'site', body: aSite(), headers: from('203.0.113.8') },
}

onEachEngine(engine => {
  test('what nearly every program sends gets the same response as on the long path, byte for byte', async t => {
    const options = { engine, env: { TRUSTED_PROXIES: '127.0.0.1' } }
    const [common, long] = [await startApp(t, options), await startApp(t, options)]
    let taken = 0
    const { acceptWith } = common.app.store
    common.app.store.acceptWith = (...args) => {
      taken++
      acceptWith(...args)
    }
    long.app.store.acceptWith = () => {
      throw new Error('This is the long path')
    }
    for (const service of [common, long]) {
      for (let i = 0; i < 10; i++) await service.postSite({}, from('203.0.113.8'))
    }
    for (const [what, one] of Object.entries(sent)) {
      equal(await bytesOf(common, one, {}), await bytesOf(long, one, LONG), what)
    }
    ok(taken >= 5, `${taken} took the common path`)
    equal(await countRows(common.database, 'submissions'), await countRows(long.database, 'submissions'))
  })

  test('an address is counted once for each request, whichever path that takes', async t => {
    const service = await startApp(t, { engine, env: { TRUSTED_PROXIES: '127.0.0.1' } })
    for (const [left, type] of [
      [9, {}],
      [8, LONG],
      [7, {}],
    ] as const) {
      const { headers } = await service.postSite(aSite({ company: `Left ${left}` }), {
        ...from('203.0.113.9'),
        ...type,
      })
      ok(headers.get('RateLimit')?.startsWith(`"burst";r=${left};`), String(headers.get('RateLimit')))
    }
  })

  test('a request that arrives in pieces is stored once', async t => {
    const service = await startApp(t, { engine })
    const client = await RawClient.connect(service.origin.site)
    const bytes = post(SITE, aSite())
    for (const piece of [bytes.slice(0, 20), bytes.slice(20, -30), bytes.slice(-30, -1), bytes.slice(-1)]) {
      client.write(piece)
      await new Promise(resolve => setImmediate(resolve))
    }
    equal((await client.response()).status, 200)
    client.socket.destroy()
    equal(await countRows(service.database, 'submissions'), 1)
  })

  test('a client that leaves before its response harms no other in its batch', async t => {
    const service = await startApp(t, { engine })
    const [leaving, staying] = [
      await RawClient.connect(service.origin.site),
      await RawClient.connect(service.origin.site),
    ]
    const { acceptWith } = service.app.store
    const waiting: (() => void)[] = []
    const both = Promise.withResolvers<void>()
    service.app.store.acceptWith = (...args) => {
      waiting.push(() => acceptWith(...args))
      if (waiting.length === 2) both.resolve()
    }
    leaving.write(post(SITE, aSite({ email: 'gone@clinic.example' })))
    staying.write(post(SITE, aSite({ email: 'here@clinic.example' })))
    await both.promise
    leaving.socket.resetAndDestroy()
    await leaving.ended
    for (const goOn of waiting) goOn()
    equal((await staying.response()).status, 200)
    staying.socket.destroy()
    equal(await countRows(service.database, 'submissions'), 2)
  })
})

/** A response as it came, but for its date. */
async function bytesOf(service: TestApp, { host, body, headers }: Sent, others: Record<string, string>) {
  const path = host === 'site' ? SITE : STUDENT
  const {
    status,
    headers: got,
    text,
  } = await exchange(service.origin[host], post(path, body, { ...headers, ...others }))
  const { date: _, ...steady } = got
  return JSON.stringify([status, Object.entries(steady), text])
}
