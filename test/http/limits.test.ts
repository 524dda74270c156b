import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { limitKey } from '../../src/http/client-address.ts'
import type { HttpError } from '../../src/http/errors.ts'
import { AddressLimits, Lockout } from '../../src/http/limits.ts'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { HOUR, MINUTE, SECOND } from '../support/clock.ts'

/** The limiter goes by the clock of the system; here that one moves only when it is told to. */
function mockTime(t: TestContext): (milliseconds: number) => void {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.parse('2026-11-21T20:00:00Z') })
  return milliseconds => t.mock.timers.tick(milliseconds)
}

const ADDRESS = '203.0.113.7'

async function count(limits: AddressLimits, times: number, address = ADDRESS) {
  let headers: Record<string, string> = {}
  for (let i = 0; i < times; i++) headers = (await limits.count(address)) ?? {}
  return headers
}

/** The 429 that a further request earns. */
async function refusal(limits: AddressLimits, address = ADDRESS): Promise<HttpError> {
  let refused: HttpError | undefined
  await rejects(
    async () => limits.count(address),
    (error: HttpError) => {
      refused = error
      return error.status === 429
    },
  )
  return refused as HttpError
}

describe('the limits of an address', () => {
  test('allow ten in ten minutes, tell where one stands, and open again after them', async t => {
    const pass = mockTime(t)
    const limits = new AddressLimits()
    deepEqual(await count(limits, 1), {
      'RateLimit-Policy': '"burst";q=10;w=600, "day";q=60;w=86400',
      RateLimit: '"burst";r=9;t=600, "day";r=59;t=86400',
    })
    pass(90 * SECOND)
    equal((await count(limits, 9))['RateLimit'], '"burst";r=0;t=510, "day";r=50;t=86310')
    const { headers, message } = await refusal(limits)
    equal(headers?.['Retry-After'], 510)
    equal(headers?.['RateLimit-Policy'], '"burst";q=10;w=600, "day";q=60;w=86400')
    match(String(headers?.['RateLimit']), /^"burst";r=0;t=510, /)
    match(message, /at most 10 in 10 minutes and 60 in a day/)
    match(message, /Try again in 510 seconds\.$/)
    pass(510 * SECOND - 1)
    await refusal(limits)
    pass(1)
    await count(limits, 10)
  })

  test('allow sixty a day, however well they are spread', async t => {
    const pass = mockTime(t)
    const limits = new AddressLimits()
    for (let i = 0; i < 6; i++) {
      await count(limits, 10)
      pass(HOUR)
    }
    equal((await refusal(limits)).headers?.['Retry-After'], (18 * HOUR) / SECOND)
    pass(18 * HOUR - 1)
    await refusal(limits)
    pass(1)
    await count(limits, 1)
  })

  test('are those of one address, and of a whole /64 of IPv6', async t => {
    mockTime(t)
    const limits = new AddressLimits()
    await count(limits, 10)
    await refusal(limits)
    await refusal(limits, `::ffff:${ADDRESS}`)
    await count(limits, 10, '203.0.113.8')

    await count(limits, 5, '2001:db8:1:2::1')
    await count(limits, 5, '2001:db8:1:2:ffff:ffff:ffff:ffff')
    await refusal(limits, '2001:db8:1:2::3')
    await count(limits, 10, '2001:db8:1:3::1')
  })

  test('do not hold for loopback and private addresses, but the private are counted', async t => {
    mockTime(t)
    const limits = new AddressLimits()
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      deepEqual(await count(limits, 100, address), {})
    }
    equal(limits.unlimited, 0)
    const private_ = ['10.0.0.1', '172.16.0.1', '192.168.1.1', '::ffff:10.0.0.1', 'fd00::1']
    for (const address of private_) deepEqual(await count(limits, 61, address), {})
    equal(limits.unlimited, 61 * private_.length)
  })

  test('hold for what is no address at all', async t => {
    mockTime(t)
    const limits = new AddressLimits()
    await count(limits, 5, 'unknown')
    await count(limits, 5, '_hidden')
    await refusal(limits, 'whatever')
  })
})

describe('what an address is limited as', () => {
  const part = fc.integer({ min: 0, max: 0xffff })
  const hex = (parts: number[]) => parts.map(part => part.toString(16)).join(':')

  test('is the /64 of a public IPv6 address, whatever follows', () => {
    const four = fc.array(part, { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(part, part, four, four, (a, b, one, other) => {
        const network = [0x2600 + (a % 0xff), a, b, 7]
        const key = limitKey(`${hex(network)}:${hex(one)}`)
        equal(key, `${hex(network)}::/64`)
        equal(limitKey(`${hex(network)}:${hex(other)}`.toUpperCase()), key)
      }),
    )
  })

  test('is a public IPv4 address itself, also where it is mapped into IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), address => {
        equal(limitKey(`::ffff:${address}`), limitKey(address))
        ok([address, undefined].includes(limitKey(address)))
      }),
    )
  })

  test('is never thrown about, whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4Extended()), text => {
        const key = limitKey(text)
        ok(key === undefined || key.length > 0)
      }),
    )
  })

  const none = [
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.1.1',
    'fe80::1',
  ]
  test('is nothing for loopback, private and link-local addresses', () => {
    for (const address of none) equal(limitKey(address), undefined, address)
    for (const address of ['9.255.255.255', '172.32.0.1', '8.8.8.8', '2600::1']) {
      ok(limitKey(address), address)
    }
  })
})

describe('the lockout of an e-mail address', () => {
  test('begins with the sixth in an hour and ends after a quarter of an hour', async t => {
    const pass = mockTime(t)
    const lockout = new Lockout()
    for (let i = 0; i < 5; i++) equal(await lockout.count('ben@mail.example'), 0)
    equal(await lockout.count('Ben@Mail.example'), (15 * MINUTE) / SECOND)
    equal(await lockout.count('ana@mail.example'), 0)
    pass(10 * MINUTE)
    equal(await lockout.count('ben@mail.example'), (5 * MINUTE) / SECOND)
    pass(5 * MINUTE - 1)
    equal(await lockout.count('ben@mail.example'), 1)
    pass(1)
    equal(await lockout.count('ben@mail.example'), 0)
  })

  test('never begins at five an hour', async t => {
    const pass = mockTime(t)
    const lockout = new Lockout()
    for (let hour = 0; hour < 5; hour++) {
      for (let i = 0; i < 5; i++) equal(await lockout.count('ben@mail.example'), 0)
      pass(HOUR)
    }
  })

  test('knows when one more would lock an address', async t => {
    mockTime(t)
    const lockout = new Lockout()
    for (let i = 0; i < 4; i++) await lockout.count('ben@mail.example')
    equal(await lockout.isFull('BEN@mail.example'), false)
    await lockout.count('ben@mail.example')
    equal(await lockout.isFull('BEN@mail.example'), true)
    equal(await lockout.isFull('other@mail.example'), false)
  })

  test('lets requests of one address come one after the other, also after a failed one', async () => {
    const lockout = new Lockout()
    const order: string[] = []
    const step = (name: string, email: string) =>
      lockout.inTurn(email, async () => {
        order.push(`${name} begins`)
        await Promise.resolve()
        order.push(`${name} ends`)
        if (name === 'a') throw new Error('refused')
      })
    await Promise.allSettled([step('a', 'ben@x.example'), step('b', 'BEN@x.example')])
    deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends'])
  })

  test('is brought back after a restart from the submissions of the last hour', async t => {
    mockTime(t)
    const lockout = new Lockout()
    const now = Date.now()
    const email = 'ben@mail.example'
    await lockout.restore([{ email, at: [5, 4, 3, 2, 1].map(n => now - n * MINUTE) }], now)
    await lockout.restore([{ email: 'old@mail.example', at: [now - HOUR - 1] }], now)
    ok((await lockout.count(email)) > 0)
    for (let i = 0; i < 5; i++) equal(await lockout.count('old@mail.example'), 0)
  })
})

describe('limits behind a proxy', () => {
  const behind = { env: { TRUSTED_PROXIES: '127.0.0.1, 198.51.100.0/24' } }
  const from = (forwarded: string) => ({ 'X-Forwarded-For': forwarded })

  test('the eleventh request of an address is 429, over both operations together', async t => {
    const service = await startApp(t, behind)
    for (let i = 0; i < 5; i++) {
      const site = await service.postSite(aSite(), from(ADDRESS))
      equal(site.status, 200)
      equal((await service.postStudent(aStudent(), from(ADDRESS))).status, 200)
      match(
        site.headers.get('ratelimit') ?? '',
        new RegExp(`^"burst";r=${9 - 2 * i};t=\\d+, "day"`),
      )
    }
    for (const answer of [
      await service.postSite(aSite(), from(ADDRESS)),
      await service.postStudent(aStudent(), from(ADDRESS)),
    ]) {
      equal(answer.status, 429)
      deepEqual(Object.keys(answer.body as object), ['error'])
      match(answer.text, /Too many submissions from this network address/)
      const wait = Number(answer.headers.get('retry-after'))
      ok(wait > 590 && wait <= 600)
      equal(answer.headers.get('ratelimit-policy'), '"burst";q=10;w=600, "day";q=60;w=86400')
      match(answer.headers.get('ratelimit') ?? '', /^"burst";r=0;t=\d+, "day";r=\d+;t=\d+$/)
      equal(answer.headers.get('access-control-allow-origin'), '*')
    }
    equal((await service.postSite(aSite(), from('203.0.113.8'))).status, 200)
    await service.settle()
    equal((await service.app.store.listLeads({ limit: 100 })).length, 11)
  })

  test('the address is counted from the right: what a client writes first is not believed', async t => {
    const service = await startApp(t, behind)
    const statuses: number[] = []
    for (let i = 0; i < 11; i++) {
      const claimed = from(`192.0.2.${i}, ${ADDRESS}, 198.51.100.${i}`)
      statuses.push((await service.postSite(aSite(), claimed)).status)
    }
    deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429])
  })

  test('a hop that nobody trusts is the client, whatever it says of others', async t => {
    const service = await startApp(t, { env: { TRUSTED_PROXIES: '198.51.100.1' } })
    for (let i = 0; i < 11; i++) {
      const answer = await service.postSite(aSite(), from(ADDRESS))
      equal(answer.status, 200)
      equal(answer.headers.get('ratelimit'), null)
    }
  })

  test('without trusted proxies the header is not read', async t => {
    const service = await startApp(t)
    for (let i = 0; i < 11; i++) {
      equal((await service.postSite(aSite(), from(ADDRESS))).status, 200)
    }
  })

  test('an invalid body counts as well', async t => {
    const service = await startApp(t, behind)
    for (let i = 0; i < 10; i++) equal((await service.postSite({}, from(ADDRESS))).status, 400)
    equal((await service.postSite(aSite(), from(ADDRESS))).status, 429)
  })
})
