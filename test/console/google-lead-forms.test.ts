/**
 * Every response that Google can get for a lead form, to the letter: 200 and an empty object if it need not send the
 * lead again, and otherwise a status with a `message`. Google repeats what it got no 200 for, under the same `lead_id`.
 */
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { sourceLimit } from '../../src/http/rate-limits.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { StoreUnavailable } from '../../src/store/acceptance/store-unavailable.ts'
import { startConsole } from '../support/console.ts'
import { countRows, onEachEngine } from '../support/engines.ts'
import { aGoogleLead } from '../support/google-lead.ts'

const json = { 'content-type': 'application/json' }

onEachEngine(engine => {
  test('each response to a lead form of Google is as Google expects it, and each lead is stored once', async t => {
    const service = await startConsole(t, { engine })
    const { app, clock, database, origin } = service
    const admin = await service.client('admin')
    const { text } = await admin.post('/sources/new/google', { name: 'Ads', leadKind: 'student' })
    const google_key = /src_[\w-]{43}/.exec(text)?.[0] ?? ''
    const send = async (body: unknown, headers: Record<string, string> = json) => {
      const init = { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
      const response = await fetch(`${origin.console}/sources/${google_key}`, init)
      match(response.headers.get('content-type') ?? '', /^application\/json/)
      return response
    }
    const lead = (more: object = {}) => aGoogleLead({ google_key, ...more })
    let stored = 0
    const gets = async (status: number, expected: object | RegExp, ...sent: Parameters<typeof send>) => {
      const response = await send(...sent)
      const body = (await response.json()) as Record<string, unknown>
      const what = JSON.stringify([sent[0], body]).slice(0, 300)
      equal(response.status, status, what)
      if (expected instanceof RegExp) {
        deepEqual(Object.keys(body), ['message'], what)
        match(String(body['message']), expected)
      } else deepEqual(body, expected, what)
      equal(await countRows(database, 'submissions'), stored, what)
      return response.headers
    }

    // Test leads, whatever is in them.
    await gets(200, {}, lead({ is_test: true }))
    await gets(200, {}, lead({ is_test: true, lead_id: undefined, user_column_data: [] }))
    const wrong = 'google_key is not the key of this source'
    await gets(403, { message: wrong }, lead({ is_test: true, google_key: 'other' }))

    stored = 1
    equal((await gets(200, {}, lead())).get('idempotent-replayed'), null)
    // The response was lost, so it comes again; what else it says does not count.
    equal((await gets(200, {}, lead())).get('idempotent-replayed'), 'true')
    await gets(200, {}, lead({ campaign_id: 5, gcl_id: 'another' }))
    await gets(200, {}, lead({ is_test: true }))

    await gets(403, { message: wrong }, lead({ google_key: 'other', lead_id: 'lead-2' }))
    await gets(403, { message: wrong }, lead({ google_key: undefined, lead_id: 'lead-2' }))
    await gets(400, { message: 'lead_id is required' }, lead({ lead_id: undefined }))
    await gets(400, { message: 'lead_id is required' }, lead({ lead_id: '' }))
    await gets(400, /./, lead({ lead_id: 'lead-2', user_column_data: [] }))
    await gets(400, /not valid JSON/, '{')
    await gets(415, /Content-Type/, JSON.stringify(lead({ lead_id: 'lead-2' })), { 'content-type': 'text/plain' })
    await gets(413, /32/, JSON.stringify(lead({ lead_id: 'lead-2', more: 'x'.repeat(33 * 1024) })))

    await admin.post('/sources/1/off')
    await gets(403, { message: 'This source is switched off' }, lead({ lead_id: 'lead-2' }))
    await admin.post('/sources/1/on')

    // What it may send again later counts once.
    const failing = t.mock.method(app.store, 'accept', () => Promise.reject(new StoreUnavailable('away')))
    await gets(503, /./, lead({ lead_id: 'lead-2' }))
    failing.mock.restore()
    const { points, duration } = sourceLimit
    await app.store.count('source 1', { add: points, duration, now: clock.now() })
    const limited = await gets(429, /Too many posts of this source/, lead({ lead_id: 'lead-2' }))
    equal(Number(limited.get('retry-after')) > 0, true)
    clock.advance(duration + MINUTE)
    stored = 2
    equal((await gets(200, {}, lead({ lead_id: 'lead-2' }))).get('idempotent-replayed'), null)
    equal((await gets(200, {}, lead({ lead_id: 'lead-2' }))).get('idempotent-replayed'), 'true')
  })
})
