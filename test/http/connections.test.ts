import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, Server } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connectedClient } from '../../src/http/client-address.ts'
import type { ConnectionLimits } from '../../src/http/connections.ts'
import { listen } from '../../src/http/listeners.ts'
import type { Handler, Host } from '../../src/http/router.ts'
import { createLog } from '../../src/platform/log.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { RawClient } from '../process/raw-client.ts'

const GET = 'GET / HTTP/1.1\r\nHost: school.example\r\n\r\n'
const LIMITS = { total: 10, perClient: 4, unanswered: 16 }

type Options = { clientOf?: () => string | undefined; limits?: Partial<ConnectionLimits>; drainDelay?: number }

/** A server with one page, from which all clients are one, unless `clientOf` says otherwise. */
const serverWith = async (t: TestContext, handler: Handler, options?: Options): Promise<string> =>
  (await startServer(t, handler, options)).origin

async function startServer(t: TestContext, handler: Handler, options: Options = {}) {
  const host: Host = {
    routes: { '/': { GET: handler } },
    headers: {},
    preflight: () => ({}),
    otherwise: () => ({ status: 404, body: '' }),
    docs: undefined,
    errorPage: ({ status, message }) => ({ status, body: message }),
    failed: () => {},
    log: createLog('silent'),
  }
  const { addresses, close } = await listen(
    [{ name: 'site', url: 'http://school.example', port: 0, host }],
    '127.0.0.1',
    {
      clientOf: options.clientOf ?? (() => undefined),
      drainDelay: options.drainDelay ?? 0,
      connectionLimits: { ...LIMITS, ...options.limits },
    },
  )
  t.after(() => close(100))
  return { origin: `http://127.0.0.1:${addresses['site']?.port}`, close }
}

const page = async () => ({ status: 200, body: 'a page' })

describe('a client that sends many requests at once over one connection', () => {
  test('gets every response, in order, while it waits for few', async t => {
    let served = 0
    const origin = await serverWith(t, async () => ({ status: 200, body: `${++served}` }))
    const client = await RawClient.connect(origin)
    client.write(GET.repeat(16))
    const texts: string[] = []
    for (let i = 0; i < 16; i++) texts.push((await client.response()).text)
    deepEqual(
      texts,
      Array.from({ length: 16 }, (_, i) => `${i + 1}`),
    )
    client.write(GET.repeat(16))
    equal((await client.response()).text, '17')
  })

  test('is cut off when it waits for more, and no more are begun', async t => {
    let begun = 0
    const origin = await serverWith(t, () => {
      begun++
      return new Promise(() => {})
    })
    const client = await RawClient.connect(origin)
    client.write(GET.repeat(1900))
    await client.ended
    equal(begun, 16)
  })
})

describe('connections', () => {
  test('of one client are limited, and of others are not', async t => {
    const owners = ['one', 'one', 'one', 'one', 'one', 'other']
    const origin = await serverWith(t, page, { clientOf: () => owners.shift() })
    const kept = await Promise.all([1, 2, 3, 4].map(() => RawClient.connect(origin)))
    const fifth = await RawClient.connect(origin)
    await fifth.ended
    const other = await RawClient.connect(origin)
    for (const client of [...kept, other]) equal((await client.write(GET).response()).status, 200)
  })

  test('count no longer once they have ended', async t => {
    const origin = await serverWith(t, page, { clientOf: () => 'one' })
    for (let i = 0; i < 6; i++) {
      const client = await RawClient.connect(origin)
      client.write(GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
      equal((await client.response()).status, 200)
      await client.ended
    }
  })

  test('of a proxy that is trusted or has a private address are not limited', () => {
    const clientOf = connectedClient(['203.0.113.0/24'])
    deepEqual(['203.0.113.9', '10.0.0.1', '127.0.0.1', '::1'].map(clientOf), Array(4).fill(undefined))
    equal(clientOf('198.51.100.7'), '198.51.100.7')
    equal(clientOf('2001:db8:1:2::3'), clientOf('2001:db8:1:2:ffff::4'))
  })

  test('that have been idle for the longest give way before the server is full', async t => {
    const origin = await serverWith(t, page)
    const idle: RawClient[] = []
    for (let i = 0; i < 9; i++) {
      const client = await RawClient.connect(origin)
      equal((await client.write(GET).response()).status, 200)
      idle.push(client)
    }
    for (let i = 0; i < 9; i++) {
      const late = await RawClient.connect(origin)
      equal((await late.write(GET).response()).status, 200)
      equal(await idle[i]?.ended, 'closed')
    }
  })

  test('with a request under way do not give way', async t => {
    const responses: (() => void)[] = []
    const origin = await serverWith(t, async () => {
      await new Promise<void>(resolve => responses.push(resolve))
      return { status: 200, body: 'a page' }
    })
    const busy: RawClient[] = []
    for (let i = 0; i < 10; i++) {
      busy.push((await RawClient.connect(origin)).write(GET))
      while (responses.length <= i) await new Promise(setImmediate)
    }
    const { hostname, port } = new URL(origin)
    const late = connect(Number(port), hostname)
    late.on('error', () => {})
    await once(late, 'close')
    for (const respond of responses) respond()
    for (const client of busy) equal((await client.response()).status, 200)
  })
})

describe('a server that closes after the machine stood still', () => {
  test('accepts the connections that wait', async t => {
    const { origin, close } = await startServer(t, page, { drainDelay: 200 })
    const closed = close(5000)
    const now = performance.now.bind(performance)
    t.mock.method(performance, 'now', () => now() + MINUTE)
    const connecting = RawClient.connect(origin)
    // After it has asked to connect.
    process.nextTick(standStill, 20)
    const client = await connecting
    equal((await client.write(GET).response()).status, 200)
    await closed
  })

  test('responds to the requests that have arrived', async t => {
    const slow = async () => {
      await wait(20)
      return page()
    }
    const { origin, close } = await startServer(t, slow, { drainDelay: 100 })
    const client = await RawClient.connect(origin)
    equal((await client.write(GET).response()).status, 200)
    const closeListener = Server.prototype.close
    // From then on no one connects any more, and idle connections get the drain delay.
    const closing = function (this: Server) {
      queueMicrotask(() => {
        client.write(GET)
        standStill(200)
      })
      return closeListener.call(this)
    }
    t.mock.method(Server.prototype, 'close', closing, { times: 1 })
    const closed = close(150)
    const { status, headers } = await client.response()
    deepEqual([status, headers['connection']], [200, 'close'])
    await closed
  })
})

/** Nothing in this process goes on for so many milliseconds. */
function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
