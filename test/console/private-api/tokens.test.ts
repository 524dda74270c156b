/** The tokens of the private API: admins make and revoke them in the console, and nothing else lets a program in. */
import { deepEqual, doesNotMatch, equal, match, notEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tokenLimits } from '../../../src/console/private-api/private-api.ts'
import { DAY, MINUTE } from '../../../src/platform/time.ts'
import { currentTestClock } from '../../support/clock.ts'
import { startConsole } from '../../support/console.ts'
import { onEachEngine, sql } from '../../support/engines.ts'
import { apiClient, detailOf, makeToken, programOf, tokenForm } from './api-client.ts'

onEachEngine(engine => {
  describe('a token', () => {
    test('is shown once, and the database has only its hash', async t => {
      const service = await startConsole(t, { engine })
      const admin = await service.client('admin', { name: 'Dana Kim' })
      const token = await makeToken(admin, { name: 'Student records' })
      const { text } = await admin.get('/tokens')
      match(text, /Student records/)
      match(text, new RegExp(`ends in <code>${token.slice(-4)}</code>; made by Dana Kim`))
      doesNotMatch(text, new RegExp(token))
      const rows = await sql(service.database, 'select * from api_tokens')
      equal(rows.length, 1)
      doesNotMatch(JSON.stringify(rows), new RegExp(token.slice('frontdesk_'.length)))
    })

    test('is made once, even if the page that shows it is loaded again', async t => {
      const service = await startConsole(t, { engine })
      const admin = await service.client('admin')
      await makeToken(admin)
      const again = await admin.post('/tokens', tokenForm(admin, { name: 'records' }))
      equal(again.status, 422)
      match(again.text, /There is a token with this name\. If you did not save it, revoke it and make another\./)
      equal((await service.app.store.listApiTokens()).length, 1)
      await admin.post('/tokens/1/revoke')
      await makeToken(admin)
      equal((await service.app.store.listApiTokens()).length, 2)
    })

    test('says what it may do, who it acts for, and when it expires', async t => {
      const service = await startConsole(t, { engine })
      const admin = await service.client('admin')
      const { operator } = await service.client('manager', { name: 'Tom Reed' })
      const token = await makeToken(admin, { actsFor: operator, scopes: ['leads:read'], days: '30' })
      const { status, headers, body } = await apiClient(service, token).get('/token')
      equal(status, 200)
      match(headers.get('ratelimit') ?? '', /"token-burst";r=599/)
      deepEqual(body, {
        name: 'Records',
        actsFor: 'Tom Reed',
        role: 'manager',
        scopes: ['leads:read'],
        expiresAt: new Date(service.clock.now() + 30 * DAY).toISOString(),
      })
    })

    test('that was revoked lets no one in, and the audit log says who made and who revoked it', async t => {
      const service = await startConsole(t, { engine })
      const admin = await service.client('admin', { name: 'Dana Kim' })
      const api = apiClient(service, await makeToken(admin, { scopes: ['leads:read'] }))
      equal((await api.get('/token')).status, 200)
      match((await admin.post('/tokens/1/revoke')).text, /The token Records no longer works/)
      equal((await api.get('/token')).status, 401)
      match((await admin.post('/tokens/1/revoke')).text, /Nothing changed/)
      equal((await admin.post('/tokens/9/revoke')).status, 404)
      const entries = await service.app.store.listAudit({ limit: 10 })
      deepEqual(
        entries.map(({ actor, action, detail }) => [actor, action, detail]),
        [
          ['Dana Kim', 'revoked a token', 'Records'],
          ['Dana Kim', 'made a token', 'Records, for Dana Kim: leads:read'],
        ],
      )
      match((await admin.get('/tokens')).text, /Tokens that no longer work[\s\S]*revoked/)
    })

    test('expires when it should, and not before; one that never expires does not', async t => {
      const clock = currentTestClock()
      const service = await startConsole(t, { engine, clock })
      const admin = await service.client('admin')
      const short = apiClient(service, await makeToken(admin, { days: '30' }))
      const endless = apiClient(service, await makeToken(admin, { name: 'Endless', days: '' }))
      clock.advance(30 * DAY - MINUTE)
      equal((await short.get('/token')).status, 200)
      clock.advance(MINUTE)
      equal((await short.get('/token')).status, 401)
      equal((await endless.get('/token')).status, 200)
    })

    test('ends with the access of the person that it acts for, and reaches as far as their role at that moment', async t => {
      const service = await startConsole(t, { engine })
      const admin = await service.client('admin')
      const api = await programOf(service, admin, 'manager', {
        person: { name: 'Tom Reed', email: 'tom@school.example' },
      })
      const { id } = (await service.app.store.findOperator('tom@school.example'))?.operator ?? {}
      await admin.post(`/operators/${id}/role`, { role: 'viewer' })
      equal((await api.get('/token')).body['role'], 'viewer')
      equal((await api.post('/leads/1/notes', { text: 'Hello' })).status, 403)
      match(
        (await admin.get(`/operators/${id}/disable`)).text,
        /One token acts for them.*Subscriptions that were made with a token continue/,
      )
      await admin.post(`/operators/${id}/disable`)
      equal((await api.get('/token')).status, 401)
      match((await admin.get('/tokens')).text, /the person is disabled/)
    })

    test('shows when it was last used', async t => {
      const clock = currentTestClock()
      const service = await startConsole(t, { engine, clock })
      const admin = await service.client('admin')
      const api = apiClient(service, await makeToken(admin))
      const used = async () => (await service.app.store.listApiTokens())[0]?.usedAt
      equal(await used(), null)
      await api.get('/token')
      const first = await used()
      equal(first, clock.now())
      clock.advance(2 * MINUTE)
      await api.get('/token')
      notEqual(await used(), first)
    })

    test('is made only from a complete form, by an admin', async t => {
      const service = await startConsole(t, { engine })
      const admin = await service.client('admin')
      const manager = await service.client('manager')
      const wrong = await admin.post('/tokens', tokenForm(admin, { name: ' ', scopes: [], actsFor: 99, days: '9999' }))
      equal(wrong.status, 422)
      match(wrong.text, /The name must not be empty\.[\s\S]*Choose who[\s\S]*Choose what[\s\S]*Choose when/)
      equal((await manager.get('/tokens')).status, 403)
      equal((await manager.post('/tokens', tokenForm(manager))).status, 403)
      deepEqual(await service.app.store.listApiTokens(), [])
    })
  })

  describe('a request without a valid token', () => {
    test('gets 401 as a problem, also with the cookie of an admin', async t => {
      const service = await startConsole(t, { engine })
      const admin = await service.client('admin')
      const token = await makeToken(admin)
      const none = await admin.fetch('/api/v1/leads')
      equal(none.status, 401)
      equal(none.headers.get('content-type'), 'application/problem+json')
      equal(none.headers.get('www-authenticate'), 'Bearer realm="Frontdesk"')
      const { type, title, status, detail } = (await none.json()) as Record<string, unknown>
      deepEqual([type, title, status], ['about:blank', 'Unauthorized', 401])
      match(String(detail), /a cookie does not count/)
      const api = apiClient(service, token)
      const others = [
        `Bearer ${token.slice(0, -1)}`,
        `Bearer ${token}x`,
        `Basic ${token}`,
        token,
        'Bearer ',
        `Bearer frontdesk_${'a'.repeat(43)}`,
        `Bearer ${token}, Bearer ${token}`,
      ]
      for (const authorization of others) {
        const response = await api.fetch('/leads', { headers: { authorization } })
        equal(response.status, 401, authorization)
        match(response.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
        match(detailOf(response), /not valid/)
      }
      equal((await fetch(`${service.origin.console}/api/v1/leads?access_token=${token}`)).status, 401)
    })
  })

  test('a token that sends too much must wait, and another need not', async t => {
    const clock = currentTestClock()
    const service = await startConsole(t, { engine, clock })
    const admin = await service.client('admin')
    const api = apiClient(service, await makeToken(admin))
    const other = apiClient(service, await makeToken(admin, { name: 'Other' }))
    const { points, duration } = tokenLimits.burst
    for (const name of ['token-burst', 'token-day'])
      await service.app.store.count(`${name} 1`, { add: points, duration, now: clock.now() })
    const refused = await api.get('/token')
    equal(refused.status, 429)
    equal(refused.headers.get('retry-after'), String(duration / 1000))
    match(detailOf(refused), /Too many requests with this token \(at most 600 in 10 minutes/)
    equal((await other.get('/token')).status, 200)
    clock.advance(duration)
    equal((await api.get('/token')).status, 200)
  })
})
