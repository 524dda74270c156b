/** Two services side by side, one on each engine: no client can tell them apart. */
import { deepEqual, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { anyJson, anyText, siteBodies, studentBodies } from '../leads/arbitraries.ts'
import { startApp, type TestApp, type TestOptions } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { sql } from '../support/engines.ts'

type Operation = 'site' | 'student'
type Sent = { to: Operation; body: string; headers: Record<string, string>; gap: number }

const operations = fc.constantFrom<Operation[]>('site', 'student')

/** JSON text of a value that no `JSON.stringify` writes, or that a parser may stumble over. */
const valueTexts = fc.oneof(
  fc.constantFrom(
    '"\\u0000"',
    '"Ana\\u0000"',
    '"\\ud83d"',
    '"\\ude00\\ud83d"',
    '"A\\ud83d\\ude00na"',
    '"\\u0041n\\u00e1"',
    '"Ana\\/Eva"',
    '"Ana \\\\u0000"',
    '"Ana \\\\"',
    '"\\u202eAna"',
    '"\\uffff"',
    '"\\ufeffAna\\ufeff"',
    '"\\u007f"',
    '"A\\u0301na"',
    '"\\u2028Ana"',
    '"\\t"',
    '1e400',
    '-1e400',
    '-0',
    '1E-400',
    '0.1e+3',
    '123456789012345678901234567890',
    '9007199254740993',
    '9223372036854775808',
    '1795291200000.5',
    'true',
    'null',
    '[]',
    '{}',
    '"1 - \\u0000"',
    '"\'); drop table submissions; --"',
    '"$1 %s {{ x }}"',
    '"a@b.example\\u0000"',
  ),
  anyText().map(text => JSON.stringify(text)),
  fc.integer({ min: 1, max: 6000 }).map(length => JSON.stringify('é'.repeat(length))),
)

/** The same bodies again and again: retries, conflicts and the lockout. */
const known = {
  site: [aSite(), aSite({ website: 'x' }), aSite({ email: 'ana@mercy.example' })],
  student: Array.from({ length: 9 }, () => aStudent({ email: 'ben@mail.example' })),
}

const fresh = (to: Operation): Record<string, unknown> => (to === 'site' ? aSite() : aStudent())

/** Bodies that are valid except for a random change to one field. */
const touched = (to: Operation) =>
  fc
    .tuple(fc.constantFrom(...Object.keys(fresh(to))), valueTexts, fc.constantFrom('', ' ', '\n\t'))
    .chain(([field, value, space]) => {
      const { [field]: _, ...rest } = fresh(to)
      const others = JSON.stringify(rest).slice(1, -1)
      const whole = JSON.stringify(fresh(to)).slice(1, -1)
      const entry = `"${field}"${space}:${space}${value}${space}`
      return fc.constantFrom(
        `{${others},${entry}}`,
        `{${entry},${others}}`,
        `{${whole},${entry}}`,
        `{${entry},${whole}}`,
      )
    })

/** Bodies with every letter escaped, or with whitespace wherever it is allowed. */
const rewritten = (bodies: fc.Arbitrary<object>) =>
  fc.tuple(bodies, fc.constantFrom(' ', '\r\n', '\t\n ')).chain(([body, space]) =>
    fc.constantFrom(
      JSON.stringify(body, null, space),
      JSON.stringify(body).replace(/(?<!\\[u\w]*)[A-Z]/g, letter => `\\u00${letter.charCodeAt(0).toString(16)}`),
      `\ufeff ${JSON.stringify(body)} `,
    ),
  )

/** JSON with a character inserted, removed or replaced. */
const broken = (bodies: fc.Arbitrary<object>) =>
  fc
    .tuple(bodies, fc.nat(), fc.constantFrom(0, 1), fc.constantFrom('', '"', '\\', ',', '\0', '😀'))
    .map(([body, at, cut, put]) => {
      const json = JSON.stringify(body)
      const place = at % (json.length + 1)
      return json.slice(0, place) + put + json.slice(place + cut)
    })

function texts(to: Operation): fc.Arbitrary<string> {
  const bodies: fc.Arbitrary<object> = to === 'site' ? siteBodies : studentBodies
  return fc.oneof(
    { weight: 8, arbitrary: bodies.map(body => JSON.stringify(body)) },
    { weight: 5, arbitrary: touched(to) },
    { weight: 3, arbitrary: fc.constantFrom(...known[to]).map(body => JSON.stringify(body)) },
    { weight: 1, arbitrary: rewritten(bodies) },
    { weight: 1, arbitrary: broken(bodies) },
    { weight: 1, arbitrary: anyJson.map(value => JSON.stringify(value)) },
  )
}

const headers = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('Idempotency-Key', 'X-Idempotency-Key'),
        fc.constantFrom('one', '"one"', 'two', 'three', 'é', ' '),
      )
      .map(([name, value]) => ({ [name]: value })),
  },
)

const gaps = fc.constantFrom(...Array<number>(100).fill(1), MINUTE, HOUR)

const requests: fc.Arbitrary<Sent> = operations.chain(to =>
  fc.record({ to: fc.constant(to), body: texts(to), headers, gap: gaps }),
)

type Pair = [sqlite: TestApp, postgres: TestApp]

/** A service on each engine, and time that passes for both. */
async function startPair(t: TestContext, options: TestOptions = {}): Promise<Pair> {
  const clock = testClock()
  const sqlite = await startApp(t, { ...options, clock, engine: 'sqlite' })
  return [sqlite, await startApp(t, { ...options, clock, engine: 'postgres' })]
}

const compared = ['idempotent-replayed', 'retry-after', 'ratelimit', 'ratelimit-policy', 'content-type']

/** The response of each service, without what may differ. */
async function answersOf(pair: Pair, { to, body, headers }: Omit<Sent, 'gap'>) {
  return Promise.all(
    pair.map(async service => {
      const post = to === 'site' ? service.postSite : service.postStudent
      const response = await post(body, headers)
      const { status, text } = response
      return { status, text, headers: compared.map(name => response.headers.get(name)) }
    }),
  )
}

/** The submissions, newest first, without the numbers that each engine assigns in its own way. */
async function rowsOf({ database }: TestApp, limit: number) {
  const rows = await sql(
    database,
    `select kind, received_at, key, fingerprint, email, answer, body, client_address
     from submissions order by id desc limit ${limit}`,
  )
  return rows.map(row => ({ ...row }))
}

async function sameRows(pair: Pair, limit: number) {
  const [sqlite, postgres] = await Promise.all(pair.map(service => rowsOf(service, limit)))
  deepEqual(postgres, sqlite)
}

describe('whatever is sent', () => {
  test('gets the same response and is stored alike on both engines', async t => {
    const pair = await startPair(t)
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(requests, async ({ gap, ...request }) => {
        pair[0].clock.advance(gap)
        const [sqlite, postgres] = await answersOf(pair, request)
        deepEqual(postgres, sqlite)
        await sameRows(pair, 1)
        const status = sqlite?.status ?? 0
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }),
      { numRuns: 300 },
    )
    await sameRows(pair, 1000)
    ok((statuses.get(200) ?? 0) > 60)
    for (const status of [400, 422]) ok(statuses.has(status))
  })

  test('is limited alike, and becomes the same leads, quarantine and emails', async t => {
    const pair = await startPair(t, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
    const addresses = fc.constantFrom('203.0.113.7', '203.0.113.7', '2001:db8::1', '2001:db8::2', '10.0.0.1', 'é"')
    const limited = fc.record({
      request: requests,
      address: addresses,
      gap: fc.constantFrom(...Array<number>(150).fill(1000), 10 * MINUTE, DAY),
    })
    const statuses = new Set<number | undefined>()
    await fc.assert(
      fc.asyncProperty(limited, async ({ request, address, gap }) => {
        // Otherwise the engine that files later would see a receipt of a day ago as one of today.
        if (gap > 1000) await Promise.all(pair.map(service => service.settle()))
        pair[0].clock.advance(gap)
        const headers = { ...request.headers, 'X-Forwarded-For': address }
        const [sqlite, postgres] = await answersOf(pair, { ...request, headers })
        deepEqual(postgres, sqlite)
        statuses.add(sqlite?.status)
      }),
      { numRuns: 150 },
    )
    ok(statuses.has(429))
    for (const service of pair) await service.settle()
    const [sqlite, postgres] = await Promise.all(pair.map(outcomeOf))
    deepEqual(postgres, sqlite)
  })
})

/** Everything that became of the submissions, without the numbers of rows. */
async function outcomeOf({ app: { store }, sent }: TestApp) {
  const leads = await store.listLeads({ limit: 1000 })
  const quarantined = await store.listQuarantine({ state: 'held', limit: 1000 })
  return {
    leads: leads.map(({ id: _, ...lead }) => lead),
    quarantined: quarantined.map(({ submission: { id: _, ...submission }, ...entry }) => ({ ...entry, submission })),
    mail: sent.map(({ to, subject }) => `${to.address}: ${subject}`).sort(),
  }
}
