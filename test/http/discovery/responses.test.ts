/** Every answer that the documents name is provoked, and is what they say it is. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { addressHash } from '../../../src/leads/email.ts'
import { type PublicApp, startPublicApp } from '../../support/public-app.ts'
import { bodyIn, type Row, section, tablesIn } from './reading.ts'

const operations = {
  'Submit site interest': (app: PublicApp) => `${app.base}/api/site-interest`,
  'Submit student interest': (app: PublicApp) => `${app.learn}/api/admissions/interest`,
}

/** Takes ten seconds to come: it has a test of its own, with a slow client. */
const SLOW = '408'

/** A client that comes from outside, so that it is limited and told where it stands. */
const startWithLimits = (t: TestContext) =>
  startPublicApp(t, { env: { TRUSTED_PROXIES: '127.0.0.1' } })

type Send = (init?: RequestInit & { address?: string; path?: string }) => Promise<Response>

/** How each status comes about. Each from a network address of its own, apart from the limits. */
const provoked: Record<string, (send: Send, app: PublicApp, body: object) => Promise<Response>> = {
  '200': send => send(),
  '400': send => send({ body: '{}' }),
  '404': send => send({ path: '/api' }),
  '405': send => send({ method: 'PUT' }),
  '413': send => send({ body: JSON.stringify({ firstName: 'x'.repeat(33 * 1024) }) }),
  '415': send =>
    send({ headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=b' }),
  '422': async (send, _, body) => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'a' }
    const { idempotencyKey: _key, ...other } = body as Record<string, unknown>
    const first = await send({ headers, body: JSON.stringify(other) })
    assert.equal(first.status, 200)
    return send({ headers, body: JSON.stringify({ ...other, firstName: 'Another' }) })
  },
  '429': async send => {
    for (let i = 0; i < 10; i++) await send({ body: '{}', address: '203.0.113.99' })
    return send({ address: '203.0.113.99' })
  },
  '431': send => send({ headers: { 'X-Long': 'x'.repeat(17_000) } }),
  '500': async (send, { app }) => {
    const { accept } = app.store
    app.store.accept = async () => {
      throw new Error('Something that nobody has thought of')
    }
    return send().finally(() => {
      app.store.accept = accept
    })
  },
  '503': async (send, { app }) => {
    const { load: pressure } = app.store
    app.store.load = () => ({ waiting: 5000, stalledFor: 0 })
    return send().finally(() => {
      app.store.load = pressure
    })
  },
}

function sender(url: string, body: object): Send {
  let clients = 0
  return ({ address, path, headers, ...init } = {}) =>
    fetch(path === undefined ? url : new URL(path, url), {
      method: 'POST',
      body: JSON.stringify(body),
      ...init,
      headers: {
        'Content-Type': 'application/json',
        'X-Forwarded-For': address ?? `198.51.100.${++clients}`,
        ...(headers as Record<string, string>),
      },
    })
}

/** Numbers of seconds and references differ from time to time. */
const steady = (text: string): string =>
  text.replace(/\d+ seconds/, 'N seconds').replace(/Reference: \w+/, 'Reference: R')

for (const [heading, urlIn] of Object.entries(operations)) {
  test(heading, async t => {
    const app = await startWithLimits(t)
    const text = await documented(app, heading)
    const body = bodyIn(text, 'minimal')
    const send = sender(urlIn(app), body)
    for (const [status, provoke] of Object.entries(provoked)) {
      await t.test(`answers ${status} as documented`, async () => {
        const response = await provoke(send, app, body)
        assert.equal(String(response.status), status)
        const answer = steady(await response.text())
        const shown = bodiesOf(text, status).map(steady)
        // What exactly is wrong with a body has as many examples as there are mistakes.
        if (status === '400') assert.match(answer, /^\{"error":"[^"]+"\}$/)
        else assert.ok(shown.includes(answer), `${answer} is not among ${shown.join(', ')}`)
      })
    }

    await t.test('documents no status that does not come, and an example of each', () => {
      const statuses = tableOf(text, 'When').map(({ Status = '' }) => Status.slice(0, 3))
      assert.deepEqual(statuses, [...Object.keys(provoked), SLOW].sort())
      for (const status of statuses) assert.ok(bodiesOf(text, status).length > 0, status)
    })
  })
}

test('the lockout of an address is answered as documented', async t => {
  const app = await startWithLimits(t)
  const text = await documented(app, 'Submit student interest')
  const body = bodyIn(text, 'minimal')
  const send = sender(operations['Submit student interest'](app), body)
  const submit = (n: number) =>
    send({ body: JSON.stringify({ ...body, idempotencyKey: `key ${n}` }) })
  for (let n = 1; n <= 5; n++) assert.equal((await submit(n)).status, 200)
  const locked = await submit(6)
  assert.equal(locked.status, 429)
  assert.equal(locked.headers.get('retry-after'), '900')
  assert.ok(bodiesOf(text, '429').includes(await locked.text()))
})

test('an account is told of as documented, where the settings say so', async t => {
  const app = await startPublicApp(t, { settings: { accounts: { directory: 'table' } } })
  const text = await documented(app, 'Submit student interest')
  const body = bodyIn(text, 'minimal')
  const secret = await app.app.store.getOrCreateSecret('addresses', '')
  const hash = addressHash(secret, String(body['email']))
  await app.app.store.importAccounts([hash], { replace: true })
  const response = await sender(operations['Submit student interest'](app), body)()
  assert.equal(response.status, 409)
  assert.ok(bodiesOf(text, '409').includes(await response.text()))
})

test('the OpenAPI description', async t => {
  const app = await startWithLimits(t)
  const text = await documented(app, 'Submit site interest')
  const body = bodyIn(text, 'minimal')
  const send = sender(operations['Submit site interest'](app), body)
  const described = await (await fetch(`${app.base}/openapi/site-interest.json`)).json()
  const { responses } = (described as Described).paths['/api/site-interest'].post

  for (const [status, provoke] of Object.entries(provoked)) {
    await t.test(`names the headers and the body of ${status}`, async () => {
      const response = await provoke(send, app, body)
      const { headers = {}, content } = responses[status] as Responses[string]
      const sent = Object.keys(headers).filter(name => response.headers.has(name))
      // Some are there in one case of several: a replay, a compressed body, a 503 that has counted.
      const rate = ['RateLimit-Policy', 'RateLimit']
      const sometimes = [
        'Idempotent-Replayed',
        'Accept-Encoding',
        ...(status === '503' ? rate : []),
      ]
      const always = Object.keys(headers).filter(name => !sometimes.includes(name))
      assert.deepEqual(sent, always)
      for (const name of ['retry-after', 'ratelimit', 'ratelimit-policy', 'allow', 'accept']) {
        const named = Object.keys(headers).some(header => header.toLowerCase() === name)
        if (response.headers.has(name)) assert.ok(named, `${status} ${name}`)
      }
      const answer = await response.json()
      const examples = Object.values(content['application/json'].examples).map(({ value }) =>
        steady(JSON.stringify(value)),
      )
      if (status !== '400') assert.ok(examples.includes(steady(JSON.stringify(answer))))
    })
  }

  await t.test('has the same statuses as the page', () => {
    const statuses = tableOf(text, 'When').map(({ Status = '' }) => Status.slice(0, 3))
    assert.deepEqual(Object.keys(responses), statuses)
  })
})

type Responses = Record<
  string,
  {
    headers?: Record<string, object>
    content: { 'application/json': { examples: Record<string, { value: object }> } }
  }
>
type Described = { paths: { '/api/site-interest': { post: { responses: Responses } } } }

async function documented(app: PublicApp, heading: string): Promise<string> {
  return section(await (await fetch(`${app.base}/docs/api.md`)).text(), heading)
}

/** The table of statuses that has this column. */
const tableOf = (text: string, column: string): Row[] =>
  tablesIn(text).find(([row]) => row?.['Status'] !== undefined && column in row) ?? []

const bodiesOf = (text: string, status: string): string[] =>
  tableOf(text, 'Body')
    .filter(({ Status }) => Status === status)
    .map(({ Body = '' }) => Body.slice(1, -1))
