/** Every documented response is provoked, and is what the page and the description say it is. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { studentResponses } from '../../../src/http/discovery/responses.ts'
import { addressHash } from '../../../src/leads/body/email.ts'
import { startPublicApp } from '../../support/public-app.ts'
import { configWith, type Document, operationOf } from './openapi.ts'
import { bodyIn, errorsIn, fetchText, ownErrorsIn, section } from './reading.ts'

/** Takes ten seconds to come: it has a test of its own, with a slow client. */
const SLOW = '408'

/** Clients come from outside, so that they are limited and get the headers that say so. */
const app = await startPublicApp({ after } as TestContext, {
  env: { TRUSTED_PROXIES: '127.0.0.1' },
  settings: { accounts: { directory: 'table' } },
})
const reference = await fetchText(`${app.base}/docs/api.md`)
const errors = errorsIn(reference)
const description: Document = JSON.parse(await fetchText(`${app.base}/openapi/site-interest.json`))

type Send = (init?: RequestInit & { address?: string; path?: string }) => Promise<Response>
type Provoke = (send: Send, body: Record<string, unknown>) => Promise<Response>

/** How to get each status. Each request has an IP address of its own, apart from those for 429. */
const common: Record<string, Provoke> = {
  '200': send => send(),
  '400': send => send({ body: '{}' }),
  '404': send => send({ path: '/api' }),
  '405': send => send({ method: 'PUT' }),
  '413': send => send({ body: JSON.stringify({ firstName: 'x'.repeat(33 * 1024) }) }),
  '415': send => send({ headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=b' }),
  '422': async (send, { idempotencyKey: _, ...body }) => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'a' }
    const first = await send({ headers, body: JSON.stringify(body) })
    equal(first.status, 200)
    return send({ headers, body: JSON.stringify({ ...body, firstName: 'Another' }) })
  },
  '429': async send => {
    for (let i = 0; i < 10; i++) await send({ body: '{}', address: '203.0.113.99' })
    return send({ address: '203.0.113.99' })
  },
  '431': send => send({ headers: { 'X-Long': 'x'.repeat(17_000) } }),
  '500': async send => {
    const { accept, acceptWith } = app.app.store
    const error = new Error('Something unexpected')
    app.app.store.accept = () => Promise.reject(error)
    app.app.store.acceptWith = (_arrival, _done, failed) => failed(error)
    return send().finally(() => Object.assign(app.app.store, { accept, acceptWith }))
  },
  '503': async send => {
    const { load } = app.app.store
    app.app.store.load = () => ({ waiting: 5000, waitedFor: 1000, stalledFor: 0 })
    return send().finally(() => {
      app.app.store.load = load
    })
  },
}

const accountExists: Provoke = async (send, body) => {
  const email = 'has.account@mail.example'
  const secret = await app.app.store.getOrCreateSecret('addresses', '')
  await app.app.store.importAccounts([addressHash(secret, email)], { replace: true })
  return send({ body: JSON.stringify({ ...body, email, idempotencyKey: 'account' }) })
}

const operations = {
  'Submit site interest': { url: `${app.base}/api/site-interest`, provoked: common },
  'Submit student interest': {
    url: `${app.learn}/api/admissions/interest`,
    provoked: { ...common, '409': accountExists },
  },
}

let clients = 0
const sender =
  (url: string, body: object): Send =>
  ({ address, path, headers, ...init } = {}) =>
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

/** Waiting times and references differ from time to time. */
const steady = (text: string): string =>
  text.replace(/\d+ (?:seconds|minutes?)\./, 'N.').replace(/Reference: \w+/, 'Reference: R')

for (const [heading, { url, provoked }] of Object.entries(operations)) {
  describe(heading, () => {
    const text = section(reference, heading)
    const body = { ...bodyIn(text, 'minimal'), ...(url.startsWith(app.learn) && { idempotencyKey: 'a key' }) }
    const send = sender(url, body)
    for (const [status, provoke] of Object.entries(provoked)) {
      test(`responds with ${status} as documented`, async () => {
        const response = await provoke(send, body)
        equal(String(response.status), status)
        const answer = steady(await response.text())
        const described = url.startsWith(app.base) ? [describedBodies(status)] : []
        if (described.length > 0) assertDescribedHeaders(status, response.headers)
        for (const shown of [documentedBodies(text, status).map(steady), ...described]) {
          // There are as many examples of 400 as there are mistakes.
          if (status === '400') match(answer, /^\{"error":"[^"]+"\}$/)
          else ok(shown.includes(answer), `${answer} is not among ${shown.join(', ')}`)
        }
      })
    }

    test('documents no status that does not come, and an example of each', () => {
      const statuses = [...new Set(['200', ...errors.keys(), ...ownErrorsIn(text).keys()])].sort()
      deepEqual(statuses, [...Object.keys(provoked), SLOW].sort())
      for (const status of statuses) ok(documentedBodies(text, status).length > 0, status)
      if (url.startsWith(app.base)) {
        deepEqual(Object.keys(operationOf(description).responses), statuses)
      }
    })
  })
}

test('the lockout of an email address is answered as documented', async () => {
  const text = section(reference, 'Submit student interest')
  const body = { ...bodyIn(text, 'minimal'), email: 'often@mail.example' }
  const send = sender(operations['Submit student interest'].url, body)
  const submit = (n: number) => send({ body: JSON.stringify({ ...body, idempotencyKey: `key ${n}` }) })
  for (let n = 1; n <= 5; n++) equal((await submit(n)).status, 200)
  const locked = await submit(6)
  equal(locked.status, 429)
  equal(locked.headers.get('retry-after'), '900')
  ok(documentedBodies(text, '429').includes(await locked.text()))
})

test('accounts are not mentioned unless the settings reveal them', () => {
  for (const accounts of [{}, { directory: 'table', feedback: 'conceal' }] as const) {
    ok(studentResponses(configWith({ accounts })).every(({ status }) => status !== 409))
  }
})

const describedBodies = (status: string): string[] => {
  const { examples = {} } = operationOf(description).responses[status]?.content['application/json'] ?? {}
  return Object.values(examples).map(({ value }) => steady(JSON.stringify(value)))
}

/** A response has the headers that the description names for its status, and no others of them. */
function assertDescribedHeaders(status: string, given: Headers): void {
  const described = Object.keys(operationOf(description).responses[status]?.headers ?? {})
  // Some come in one of several cases: a replay, a compressed body, a 503 that was counted.
  const rate = ['RateLimit-Policy', 'RateLimit']
  const sometimes = ['Idempotent-Replayed', 'Accept-Encoding', ...(status === '503' ? rate : [])]
  deepEqual(
    described.filter(name => given.has(name)),
    described.filter(name => !sometimes.includes(name)),
  )
  for (const name of ['retry-after', 'ratelimit', 'ratelimit-policy', 'allow', 'accept']) {
    const isDescribed = described.some(header => header.toLowerCase() === name)
    if (given.has(name)) ok(isDescribed, `${status} ${name}`)
  }
}

/** Those of both operations, and those of the operation that `text` is about. */
const documentedBodies = (text: string, status: string): string[] =>
  status === '200'
    ? Array.from(reference.matchAll(/^200 `(\{"success".*?\})` means/gm), ([, code = '']) => code.replaceAll(' ', ''))
    : [...(errors.get(status) ?? []), ...(ownErrorsIn(text).get(status) ?? [])]
