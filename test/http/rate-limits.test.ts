import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { HttpError } from '../../src/http/errors.ts'
import { AddressLimits, limitKey } from '../../src/http/rate-limits.ts'
import { HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import { type Hit, Windows } from '../../src/store/acceptance/counting-windows.ts'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { onEachEngine } from '../support/engines.ts'

/** Limits over counts in memory. */
function startLimits() {
  const clock = testClock()
  const windows = new Windows()
  const counter = { count: async (key: string, hit: Hit) => windows.count(key, hit) }
  return { clock, limits: new AddressLimits(counter, clock) }
}

const ADDRESS = '203.0.113.7'

async function count(limits: AddressLimits, times: number, address = ADDRESS) {
  let headers: Record<string, string> = {}
  for (let i = 0; i < times; i++) headers = await limits.count(address)
  return headers
}

/** The 429 that one more request gets. */
async function refusal(limits: AddressLimits, address = ADDRESS): Promise<HttpError> {
  let rejected: HttpError | undefined
  await rejects(
    async () => limits.count(address),
    (error: HttpError) => {
      rejected = error
      return error.status === 429
    },
  )
  return rejected as HttpError
}

describe('the limits of an address', () => {
  test('allow ten requests in ten minutes, say how many are left, and open again afterwards', async () => {
    const { clock, limits } = startLimits()
    deepEqual(await count(limits, 1), {
      'RateLimit-Policy': '"burst";q=10;w=600, "day";q=60;w=86400',
      RateLimit: '"burst";r=9;t=600, "day";r=59;t=86400',
    })
    clock.advance(90 * SECOND)
    equal((await count(limits, 9))['RateLimit'], '"burst";r=0;t=510, "day";r=50;t=86310')
    const { headers, message } = await refusal(limits)
    equal(headers?.['Retry-After'], 510)
    equal(headers?.['RateLimit-Policy'], '"burst";q=10;w=600, "day";q=60;w=86400')
    match(String(headers?.['RateLimit']), /^"burst";r=0;t=510, /)
    match(message, /at most 10 in 10 minutes and 60 in a day/)
    match(message, /Try again in 9 minutes\.$/)
    clock.advance(510 * SECOND - 1)
    await refusal(limits)
    clock.advance(1)
    await count(limits, 10)
  })

  test('allow sixty requests a day, however evenly they are spread', async () => {
    const { clock, limits } = startLimits()
    for (let i = 0; i < 6; i++) {
      await count(limits, 10)
      clock.advance(HOUR)
    }
    equal((await refusal(limits)).headers?.['Retry-After'], (18 * HOUR) / SECOND)
    clock.advance(18 * HOUR - 1)
    await refusal(limits)
    clock.advance(1)
    await count(limits, 1)
  })

  test('are counted for each IPv4 address, and for each /64 of IPv6', async () => {
    const { limits } = startLimits()
    await count(limits, 10)
    await refusal(limits)
    await refusal(limits, `::ffff:${ADDRESS}`)
    await count(limits, 10, '203.0.113.8')

    await count(limits, 5, '2001:db8:1:2::1')
    await count(limits, 5, '2001:db8:1:2:ffff:ffff:ffff:ffff')
    await refusal(limits, '2001:db8:1:2::3')
    await count(limits, 10, '2001:db8:1:3::1')
  })

  test('are counted for the /56 and the /48 of IPv6, too, with more room', async () => {
    const { clock, limits } = startLimits()
    for (const [prefix, networks, allowed] of [
      // One /56 has 256 networks that count as one address each, one /48 has 256 of those.
      ['2001:db8:1:a', 10, 30],
      ['2001:db8:2:', 30, 100],
    ] as const) {
      let accepted = 0
      for (let i = 0; i < networks; i++) {
        const part = prefix.endsWith(':') ? `${(i + 1).toString(16)}00` : `0${i}`
        for (let j = 0; j < 10; j++)
          await limits.count(`${prefix}${part}::${j}`).then(
            () => accepted++,
            (error: HttpError) => match(error.message, /network around this address/),
          )
      }
      equal(accepted, allowed)
    }
    clock.advance(10 * MINUTE)
    await count(limits, 10, '2001:db8:1:a00::1')
  })

  test('of a network do not count what the limits of one address have rejected', async () => {
    const { limits } = startLimits()
    await count(limits, 10, '2001:db8:1:a01::1')
    for (let i = 0; i < 50; i++) await refusal(limits, '2001:db8:1:a01::1')
    await count(limits, 10, '2001:db8:1:a02::1')
  })

  test('do not apply to loopback and private addresses, but requests from private ones are counted', async () => {
    const { limits } = startLimits()
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      deepEqual(await count(limits, 100, address), {})
    }
    equal(limits.unlimited, 0)
    const private_ = ['10.0.0.1', '172.16.0.1', '192.168.1.1', '::ffff:10.0.0.1', 'fd00::1']
    for (const address of private_) deepEqual(await count(limits, 61, address), {})
    equal(limits.unlimited, 61 * private_.length)
  })

  test('apply to text that is not an address', async () => {
    const { limits } = startLimits()
    await count(limits, 5, 'unknown')
    await count(limits, 5, '_hidden')
    await refusal(limits, 'whatever')
  })
})

describe('the key under which an address is limited', () => {
  const part = fc.integer({ min: 0, max: 0xffff })
  const hex = (parts: number[]) => parts.map(part => part.toString(16)).join(':')

  test('is the /64 of a public IPv6 address, whatever the rest of it is', () => {
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

  test('is a public IPv4 address itself, even if it is mapped into IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), address => {
        equal(limitKey(`::ffff:${address}`), limitKey(address))
        ok([address, undefined].includes(limitKey(address)))
      }),
    )
  })

  test('is found for any text, without an error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4Extended()), text => {
        const key = limitKey(text)
        ok(key === undefined || key.length > 0)
      }),
    )
  })

  const none = ['127.0.0.1', '127.9.9.9', '::1', '10.1.2.3', '192.168.0.1', '169.254.1.1', 'fe80::1']
  test('does not exist for loopback, private and link-local addresses', () => {
    for (const address of none) equal(limitKey(address), undefined, address)
    for (const address of ['9.255.255.255', '172.32.0.1', '8.8.8.8', '2600::1']) {
      ok(limitKey(address), address)
    }
  })
})

const behind = { env: { TRUSTED_PROXIES: '127.0.0.1, 198.51.100.0/24' } }
const from = (forwarded: string) => ({ 'X-Forwarded-For': forwarded })

onEachEngine(engine => {
  describe('limits behind a proxy', () => {
    test('the eleventh request of an address is 429, over both operations together', async t => {
      const service = await startApp(t, { engine, ...behind })
      for (let i = 0; i < 5; i++) {
        const site = await service.postSite(aSite(), from(ADDRESS))
        equal(site.status, 200)
        equal((await service.postStudent(aStudent(), from(ADDRESS))).status, 200)
        match(site.headers.get('ratelimit') ?? '', new RegExp(`^"burst";r=${9 - 2 * i};t=600, "day"`))
      }
      for (const response of [
        await service.postSite(aSite(), from(ADDRESS)),
        await service.postStudent(aStudent(), from(ADDRESS)),
      ]) {
        equal(response.status, 429)
        deepEqual(Object.keys(response.body as object), ['error'])
        match(response.text, /Too many submissions from this network address/)
        equal(response.headers.get('retry-after'), '600')
        equal(response.headers.get('ratelimit-policy'), '"burst";q=10;w=600, "day";q=60;w=86400')
        match(response.headers.get('ratelimit') ?? '', /^"burst";r=0;t=600, "day";r=\d+;t=86400$/)
        equal(response.headers.get('access-control-allow-origin'), '*')
      }
      equal((await service.postSite(aSite(), from('203.0.113.8'))).status, 200)
      await service.settle()
      equal((await service.app.store.listLeads({ limit: 100 })).length, 11)
    })

    test('the address is counted from the right: entries that the client wrote itself are not trusted', async t => {
      const service = await startApp(t, { engine, ...behind })
      const statuses: number[] = []
      for (let i = 0; i < 11; i++) {
        const claimed = from(`192.0.2.${i}, ${ADDRESS}, 198.51.100.${i}`)
        statuses.push((await service.postSite(aSite(), claimed)).status)
      }
      deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429])
    })

    test('a network of the school is not limited, and its neighbors are', async t => {
      const env = { TRUSTED_PROXIES: '127.0.0.1', UNLIMITED_NETWORKS: '203.0.113.8/29, 2001:db8::1' }
      const { postStudent } = await startApp(t, { engine, env })
      const statuses = async (address: string) => {
        const found: number[] = []
        for (let i = 0; i < 12; i++) {
          const { status } = await postStudent({}, { 'X-Forwarded-For': address })
          found.push(status)
        }
        return [...new Set(found)]
      }
      deepEqual(await statuses('203.0.113.9'), [400])
      deepEqual(await statuses('2001:db8::1'), [400])
      deepEqual(await statuses('203.0.113.16'), [400, 429])
    })

    test('a hop that is not trusted is the client, whatever it says about others', async t => {
      const service = await startApp(t, { engine, env: { TRUSTED_PROXIES: '198.51.100.1' } })
      for (let i = 0; i < 11; i++) {
        const response = await service.postSite(aSite(), from(ADDRESS))
        equal(response.status, 200)
        equal(response.headers.get('ratelimit'), null)
      }
    })

    test('without trusted proxies the header is not read', async t => {
      const service = await startApp(t, { engine })
      for (let i = 0; i < 11; i++) {
        equal((await service.postSite(aSite(), from(ADDRESS))).status, 200)
      }
    })

    test('an invalid body counts as well', async t => {
      const service = await startApp(t, { engine, ...behind })
      for (let i = 0; i < 10; i++) equal((await service.postSite({}, from(ADDRESS))).status, 400)
      equal((await service.postSite(aSite(), from(ADDRESS))).status, 429)
    })
  })
})

test('all processes on one PostgreSQL database share their limits', async t => {
  const one = await startApp(t, { engine: 'postgres', ...behind })
  const { database, clock } = one
  const other = await startApp(t, { database, clock, ...behind })
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).postSite(aSite(), from(ADDRESS))),
  )
  const statuses = responses.map(response => response.status).sort()
  deepEqual(statuses, [...Array(10).fill(200), ...Array(10).fill(429)])
  clock.advance(10 * MINUTE)
  for (const { postSite } of [one, other]) {
    equal((await postSite(aSite(), from(ADDRESS))).status, 200)
  }
})
