/**
 * The OpenAPI description against the service, with random requests: every response is one that the
 * description names, the service accepts what it allows, and rejects what it forbids.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { testClock } from '../../support/clock.ts'
import { startPublicApp } from '../../support/public-app.ts'

type Property = {
  type: string
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  const?: string
}
type OperationDescription = {
  url: string
  properties: Record<string, Property>
  required: string[]
  statuses: number[]
}

const app = await startPublicApp({ after } as TestContext)

async function readDescription(): Promise<OperationDescription> {
  const response = await fetch(`${app.base}/openapi/site-interest.json`)
  const { servers, paths, components } = (await response.json()) as {
    servers: [{ url: string }]
    paths: Record<string, { post: { responses: object } }>
    components: { schemas: { SiteInterest: { properties: Record<string, Property>; required: string[] } } }
  }
  const [[path, { post }]] = Object.entries(paths) as [[string, { post: { responses: object } }]]
  const { properties, required } = components.schemas.SiteInterest
  const statuses = Object.keys(post.responses).map(Number)
  return { url: servers[0].url + path, properties, required, statuses }
}

/** The clock in tests is stopped at this time, which the description cannot know. */
const NOW = testClock().now()

const letters = fc.constantFrom(...'abcXYZ0189 éßñ中文🙂Ω-.,\'"&<>/\\{}')

/** A text that the description allows. */
function allowedText(name: string, { minLength = 0, maxLength = 0 }: Property) {
  if (name === 'email') {
    return fc
      .tuple(fc.stringMatching(/^[a-zäß0-9]{1,40}$/), fc.stringMatching(/^[a-z]{1,30}$/))
      .map(([local, domain]) => `${local}@${domain}.example`)
  }
  if (name === 'phone') {
    return fc
      .tuple(fc.stringMatching(/^[0-9]{10,15}$/), fc.constantFrom('', '+', '(', ' / ', 'tel. '))
      .map(([digits, before]) => before + digits)
  }
  return fc
    .array(letters, { minLength, maxLength: Math.min(maxLength, minLength + 60) })
    .map(parts => parts.join(''))
    .filter(text => text === text.trim() || name === 'message')
}

function allowedBody({ properties, required }: OperationDescription): fc.Arbitrary<Record<string, unknown>> {
  const values = Object.entries(properties).map(([name, property]) => {
    if (property.const !== undefined) return [name, fc.constant(property.const)]
    if (property.type === 'integer') return [name, fc.integer({ min: 1e11, max: NOW })]
    return [name, allowedText(name, property)]
  })
  return fc.record(Object.fromEntries(values), { requiredKeys: required })
}

/** A body with one thing in it that the description forbids. */
const forbiddenBody = (described: OperationDescription) =>
  fc
    .tuple(allowedBody(described), fc.constantFrom(...Object.keys(described.properties)), fc.nat(4))
    .map(([body, name, way]) => {
      const { minLength = 0, maxLength = 0, type } = described.properties[name] as Property
      switch (way) {
        case 0:
          return { ...body, [`${name}_`]: 'x' }
        case 1:
          return { ...body, [name]: type === 'string' ? 1 : '1' }
        case 2:
          return { ...body, [name]: type === 'string' ? 'x'.repeat(maxLength + 1) : 1.5 }
        case 3:
          return { ...body, [name]: minLength > 1 ? 'x'.repeat(minLength - 1) : null }
        default:
          return described.required.includes(name)
            ? Object.fromEntries(Object.entries(body).filter(([field]) => field !== name))
            : { ...body, [name]: [] }
      }
    })

const described = await readDescription()

describe('the OpenAPI description', () => {
  test('allows no body that the service rejects', async () => {
    await fc.assert(
      fc.asyncProperty(allowedBody(described), async body => {
        const { status, text } = await post(described, JSON.stringify(body))
        deepEqual([status, text], [200, '{"success":true}'])
      }),
      { numRuns: 300 },
    )
  })

  test('forbids no body that the service accepts', async () => {
    await fc.assert(
      fc.asyncProperty(forbiddenBody(described), async body => {
        equal((await post(described, JSON.stringify(body))).status, 400)
      }),
      { numRuns: 300 },
    )
  })

  test('names every response', async () => {
    const bodies = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.string({ unit: 'binary' }),
      allowedBody(described).map(body => JSON.stringify(body)),
      forbiddenBody(described).map(body => JSON.stringify(body)),
      fc.tuple(allowedBody(described), fc.nat()).map(([body, end]) => JSON.stringify(body).slice(0, end)),
      fc.integer({ min: 32_000, max: 33_000 }).map(length => `"${'x'.repeat(length)}"`),
    )
    const requests = fc.record(
      {
        method: fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'GET', 'DELETE', 'PATCH'),
        type: fc.oneof(
          fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain'),
          fc.stringMatching(/^[a-z/+; =-]{0,20}$/),
        ),
        key: fc.stringMatching(/^[ -~]{0,300}$/),
        encoding: fc.constantFrom('gzip', 'identity'),
        body: bodies,
        query: fc.constantFrom('', '?', '?validateOnly=true', '?validateOnly=x', '?utm_source=x'),
      },
      { requiredKeys: ['method', 'body', 'query'] },
    )
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, type, key, encoding, body, query }) => {
        const headers = {
          ...(type === undefined ? {} : { 'Content-Type': type }),
          ...(key === undefined ? {} : { 'Idempotency-Key': key }),
          ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
        }
        const sent = method === 'GET' ? {} : { body }
        const response = await fetch(described.url + query, { method, headers, ...sent })
        ok(described.statuses.includes(response.status), String(response.status))
        equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
        const answer = (await response.json()) as Record<string, unknown>
        if (response.status !== 200) {
          deepEqual(Object.keys(answer), ['error'])
          ok(typeof answer['error'] === 'string' && answer['error'].length > 0)
        } else {
          const dry = query === '?validateOnly=true'
          deepEqual(answer, dry ? { valid: true } : { success: true })
        }
      }),
      { numRuns: 1000 },
    )
  })
})

async function post({ url }: OperationDescription, body: string) {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}
