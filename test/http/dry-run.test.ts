import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addressHash } from '../../src/leads/body/email.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { wholeDatabase } from '../store/whole-database.ts'
import { startApp, type TestApp, type TestResponse } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { onEachEngine, sql } from '../support/engines.ts'

const PATHS = { site: '/api/site-interest', learn: '/api/admissions/interest' }

type Request = { to: keyof typeof PATHS; body: unknown; headers?: Record<string, string> | undefined }

const site = (body: unknown, headers?: Record<string, string>): Request => ({ to: 'site', body, headers })
const student = (body: unknown, headers?: Record<string, string>): Request => ({ to: 'learn', body, headers })

const send = ({ origin, request }: TestApp, { to, body, headers }: Request, query = '') =>
  request(`${origin[to]}${PATHS[to]}${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const tryOut = (service: TestApp, request: Request) => send(service, request, '?validateOnly=true')

/** A whole response except the time when it was sent. */
const whole = ({ status, headers, text }: TestResponse) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => name !== 'date'),
})

const isValid = (response: TestResponse) => {
  equal(response.status, 200)
  equal(response.text, '{"valid":true}')
  equal(response.headers.get('idempotent-replayed'), null)
}

/** Sends a dry run, which must change nothing, then the request itself, which must get the same response. */
async function respondsAlike(service: TestApp, request: Request, status: number): Promise<TestResponse> {
  const before = await wholeDatabase(service.database)
  const dryRun = await tryOut(service, request)
  deepEqual(await wholeDatabase(service.database), before)
  const response = await send(service, request)
  equal(response.status, status)
  deepEqual(whole(dryRun), whole(response))
  return dryRun
}

async function submitFive(service: TestApp, email: string) {
  for (let i = 0; i < 5; i++) {
    equal((await service.postStudent(aStudent({ email }))).status, 200)
  }
}

onEachEngine(engine => {
  describe('a dry run', () => {
    test('of a valid request says so, and nothing is stored or sent', async t => {
      const service = await startApp(t, { engine })
      const before = await wholeDatabase(service.database)
      isValid(await tryOut(service, site(aSite())))
      isValid(await tryOut(service, site(aSite(), { 'Idempotency-Key': 'once' })))
      isValid(await tryOut(service, student(aStudent())))
      deepEqual(await wholeDatabase(service.database), before)
      await service.settle()
      deepEqual(service.sent, [])
      deepEqual(await service.app.store.listLeads({ limit: 10 }), [])
    })

    test('leaves the key free: the same request is then new, and stored once', async t => {
      const service = await startApp(t, { engine })
      for (const request of [student(aStudent()), site(aSite())]) {
        isValid(await tryOut(service, request))
        const first = await send(service, request)
        deepEqual([first.text, first.headers.get('idempotent-replayed')], [SUCCESS, null])
        const repeated = await tryOut(service, request)
        deepEqual(repeated.body, { valid: true, alreadySubmitted: true })
        const again = await send(service, request)
        deepEqual([again.text, again.headers.get('idempotent-replayed')], [SUCCESS, 'true'])
      }
      await service.settle()
      equal((await service.app.store.listLeads({ limit: 10 })).length, 2)
    })

    test('names the properties that operation B would ignore, so that no words are lost unseen', async t => {
      const service = await startApp(t, { engine })
      const extra = { comments: 'Call after 5', Message: 'Hi', 'a\u202eb': 1 }
      const tried = await tryOut(service, student(aStudent(extra)))
      deepEqual(tried.body, { valid: true, ignored: ['comments', 'Message', '"a?b"'] })
      const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`p${i}`, 1]))
      const { ignored } = (await tryOut(service, student(aStudent(many)))).body as never
      equal((ignored as string[]).length, 20)
      equal((await send(service, student(aStudent(extra)))).text, SUCCESS)
    })

    const keys = { 'Idempotency-Key': 'one', 'X-Idempotency-Key': 'two' }
    const { idempotencyKey: _, ...keyless } = aStudent()
    const rejected: [what: string, status: number, request: Request][] = [
      ['empty body', 400, site('')],
      ['body that is no JSON', 400, student('{"firstName": "Ben",}')],
      ['body that is no object', 400, student([])],
      ['body with many problems', 400, site({ email: 'ana', website: 'x', colour: 'red' })],
      ['body without a key where one is needed', 400, student(keyless)],
      ['two keys that differ', 400, site(aSite(), keys)],
      ['wrong body with two keys that differ', 400, student(aStudent({ phone: '1' }), keys)],
      ['filled trap', 400, site(aSite({ website: 'https://spam.example' }))],
      ['filled trap with two keys that differ', 400, site(aSite({ website: 'x' }), keys)],
      ['body that is too large', 413, site(aSite({ message: 'x'.repeat(40_000) }))],
      ['form', 415, site('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' })],
      ['compressed body', 415, student(aStudent(), { 'Content-Encoding': 'gzip' })],
    ]
    test('of a request that is rejected is rejected in the same words, and nothing is stored', async t => {
      const service = await startApp(t, { engine })
      for (const [what, status, request] of rejected) {
        await t.test(`a ${what}`, async () => {
          await respondsAlike(service, request, status)
        })
      }
    })

    test('of a key that was used with another body is 422', async t => {
      const service = await startApp(t, { engine })
      const body = aStudent()
      await service.postStudent(body)
      await respondsAlike(service, student({ ...body, city: 'Waco' }), 422)
      const key = { 'Idempotency-Key': 'once' }
      await service.postSite(aSite(), key)
      await respondsAlike(service, site(aSite(), key), 422)
    })

    test('never locks an address, and reports a lockout that would begin or has begun', async t => {
      const service = await startApp(t, { engine })
      const email = 'ben@mail.example'
      const one = () => student(aStudent({ email }))
      for (let i = 0; i < 10; i++) isValid(await tryOut(service, one()))
      await submitFive(service, email)
      const before = await wholeDatabase(service.database)
      for (let i = 0; i < 2; i++) {
        const locked = await tryOut(service, one())
        deepEqual([locked.status, locked.headers.get('retry-after')], [429, '900'])
        service.clock.advance(MINUTE)
      }
      deepEqual(await wholeDatabase(service.database), before)
      const began = await respondsAlike(service, one(), 429)
      equal(began.headers.get('retry-after'), '900')
      service.clock.advance(5 * MINUTE)
      const goesOn = await respondsAlike(service, one(), 429)
      equal(goesOn.headers.get('retry-after'), '600')
      service.clock.advance(10 * MINUTE)
      isValid(await tryOut(service, one()))
      equal((await send(service, one())).status, 200)
    })

    test('reveals an account where the response does, even if it would be a replay', async t => {
      const service = await startApp(t, { engine, settings: { accounts: { directory: 'table', feedback: 'reveal' } } })
      await setAccounts(service, ['known@mail.example'])
      isValid(await tryOut(service, student(aStudent({ email: 'unknown@mail.example' }))))
      const request = student(aStudent({ email: 'known@mail.example' }))
      const first = await respondsAlike(service, request, 409)
      equal(first.headers.get('idempotent-replayed'), null)
      await setAccounts(service, [])
      const replay = await respondsAlike(service, request, 409)
      equal(replay.headers.get('idempotent-replayed'), 'true')
      isValid(await tryOut(service, student(aStudent({ email: 'known@mail.example' }))))
    })

    test('conceals an account where the response does', async t => {
      const service = await startApp(t, { engine, settings: { accounts: { directory: 'table', feedback: 'conceal' } } })
      await setAccounts(service, ['known@mail.example'])
      isValid(await tryOut(service, student(aStudent({ email: 'known@mail.example' }))))
    })

    test('with a filled honeypot is valid where that is accepted, and nothing is quarantined', async t => {
      const settings = { siteInterest: { honeypot: 'accept' } } as const
      const service = await startApp(t, { engine, settings })
      const request = site(aSite({ website: 'https://spam.example' }))
      const before = await wholeDatabase(service.database)
      isValid(await tryOut(service, request))
      deepEqual(await wholeDatabase(service.database), before)
      equal((await send(service, request)).text, SUCCESS)
    })

    test('with a filled honeypot that was rejected before is still rejected', async t => {
      const service = await startApp(t, { engine })
      const request = site(aSite({ website: 'https://spam.example' }))
      await send(service, request)
      await respondsAlike(service, request, 400)
    })

    test('while nothing can be stored is 503, with the time after which to try again', async t => {
      const service = await startApp(t, { engine })
      await sql(service.database, 'alter table idempotency_keys rename to gone')
      for (const request of [site(aSite()), site(aSite({ website: 'https://spam.example' })), student(aStudent())]) {
        const response = await tryOut(service, request)
        const submitted = await send(service, request)
        for (const { status, headers } of [response, submitted]) {
          deepEqual([status, headers.get('retry-after')], [503, '5'])
        }
        match(response.text, /is temporarily unavailable\. Try again in 5 seconds\./)
        match(submitted.text, /could not be stored\. Send the same request again in 5 seconds;/)
      }
    })

    test('has a limit of its own: trying keeps no one from submitting, and is limited, too', async t => {
      const service = await startApp(t, { engine, env: { TRUSTED_PROXIES: '127.0.0.1' } })
      const from = { 'X-Forwarded-For': '203.0.113.7' }
      for (let i = 0; i < 30; i++) {
        const response = await tryOut(service, site(aSite(i % 2 ? {} : { phone: 'x' }), from))
        equal(response.status, i % 2 ? 200 : 400)
        const { headers } = response
        match(headers.get('ratelimit') ?? '', new RegExp(`^"dry-run-burst";r=${29 - i};t=600, `))
        equal(headers.get('ratelimit-policy'), '"dry-run-burst";q=30;w=600, "dry-run-day";q=120;w=86400')
      }
      const more = await tryOut(service, site(aSite(), from))
      deepEqual([more.status, more.headers.get('retry-after')], [429, '600'])
      match(more.text, /Too many dry runs from this network address \(at most 30 in 10 minutes/)
      const url = `${service.origin.site}/api/site-interest?validate_only=true`
      const nearMiss = await service.request(url, { method: 'POST', headers: from })
      equal(nearMiss.status, 429)
      for (let i = 0; i < 10; i++) {
        const response = await send(service, site(aSite(), from))
        equal(response.status, 200)
        match(response.headers.get('ratelimit') ?? '', new RegExp(`^"burst";r=${9 - i};t=600, `))
      }
      equal((await send(service, site(aSite(), from))).status, 429)
    })
  })
})

const SUCCESS = '{"success":true}'

async function setAccounts({ app: { store } }: TestApp, emails: string[]) {
  const secret = await store.getOrCreateSecret('addresses', 'kept by the service')
  const hashes = emails.map(email => addressHash(secret, email))
  await store.importAccounts(hashes, { replace: true })
}

describe('the parameter validateOnly', () => {
  test('in a wrong form stores nothing, and is reported before the body', async t => {
    const service = await startApp(t)
    const before = await wholeDatabase(service.database)
    for (const query of ['?validate_only=true', '?dryRun=true', '?validateOnly=1']) {
      for (const request of [site(aSite()), student(aStudent()), site('no JSON')]) {
        const { status, body } = await send(service, request, query)
        equal(status, 400)
        match((body as { error: string }).error, /validateOnly=true/)
      }
    }
    deepEqual(await wholeDatabase(service.database), before)
  })

  test('with false is a submission as usual', async t => {
    const service = await startApp(t)
    equal((await send(service, site(aSite()), '?validateOnly=false')).text, SUCCESS)
    await service.settle()
    equal((await service.app.store.listLeads({ limit: 10 })).length, 1)
  })

  test('means nothing anywhere else', async t => {
    const { origin, request } = await startApp(t)
    const health = await request(`${origin.site}/healthz?validateOnly=perhaps`)
    equal(health.status, 200)
    const got = await request(`${origin.site}${PATHS.site}?validateOnly=perhaps`)
    equal(got.status, 405)
    ok(got.headers.get('allow'))
  })
})
