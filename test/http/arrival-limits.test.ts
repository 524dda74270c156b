/** How long requests may take to arrive on a port where some may take longer. */
import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Arrivals, allowTime } from '../../src/http/arrival-limits.ts'
import { RawClient } from '../process/raw-client.ts'

const WITHIN = 10_000
const TEN_BYTES = 'POST / HTTP/1.1\r\nHost: school.example\r\nContent-Length: 10\r\n\r\n'

/** A server that waits for bodies; `half` sends half of one and returns the request. */
async function aServer(t: TestContext) {
  const late: IncomingMessage[] = []
  const arrivals = new Arrivals(WITHIN, request => late.push(request))
  const server = createServer((request, response) => {
    arrivals.begin(request)
    request.on('end', () => response.end()).resume()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const half = async () => {
    const client = await RawClient.connect(`http://127.0.0.1:${port}`)
    t.after(() => client.socket.destroy())
    const [[request]] = await Promise.all([
      once(server, 'request') as Promise<[IncomingMessage]>,
      client.write(`${TEN_BYTES}12345`),
    ])
    return { client, request }
  }
  return { arrivals, late, half }
}

test('a request that has not arrived in time is late, once', async t => {
  const { arrivals, late, half } = await aServer(t)
  const { request } = await half()
  arrivals.check(performance.now() + WITHIN - 1000)
  deepEqual(late, [])
  arrivals.check(performance.now() + WITHIN)
  arrivals.check(performance.now() + WITHIN)
  equal(late.length, 1)
  equal(late[0], request)
})

test('a request that has arrived, or whose client has left, is not late', async t => {
  const { arrivals, late, half } = await aServer(t)
  const whole = await half()
  equal((await whole.client.write('67890').response()).status, 200)
  const left = await half()
  const gone = new Promise(resolve => left.request.once('close', resolve))
  left.request.on('error', () => {})
  left.client.socket.destroy()
  await gone
  arrivals.check(performance.now() + WITHIN)
  deepEqual(late, [])
})

test('a request that gets more time may take it, and other requests may not', async t => {
  const { arrivals, late, half } = await aServer(t)
  const [slow, other] = [await half(), await half()]
  allowTime(slow.request, 3 * WITHIN)
  arrivals.check(performance.now() + 2 * WITHIN)
  deepEqual(late.length, 1)
  equal(late[0], other.request)
  arrivals.check(performance.now() + 3 * WITHIN)
  equal(late[1], slow.request)
})
