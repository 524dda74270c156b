/** Where requests of destinations may go: not into our own network. */
import { deepEqual, doesNotThrow, equal, ok, rejects, throws } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkAddress, checkedUrl, ForbiddenUrl, guardedSender, TIMEOUT } from '../../src/destinations/send-request.ts'
import { newPushKey, wakeBrowser } from '../../src/push/web-push.ts'
import { PROBED_FOR } from '../../src/store/events/record-events.ts'

const isForbidden = { name: ForbiddenUrl.name }
const byName = new URL('https://receiver.example/')

const octet = fc.integer({ min: 0, max: 255 })

test('an address of a private network is refused, however it is written', () => {
  const privates = fc.oneof(
    fc.tuple(fc.constant(10), octet, octet, octet),
    fc.tuple(fc.constant(127), octet, octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
    fc.tuple(fc.constant(0), octet, octet, octet),
  )
  fc.assert(
    fc.property(privates, ([a, b, c, d]) => {
      const number = ((a * 256 + b) * 256 + c) * 256 + d
      const hex = (high: number, low: number) => (high * 256 + low).toString(16)
      const forms = [
        `${a}.${b}.${c}.${d}`,
        String(number),
        `0x${number.toString(16)}`,
        [a, b, c, d].map(part => `0${part.toString(8)}`).join('.'),
        `[::ffff:${a}.${b}.${c}.${d}]`,
        `[64:ff9b::${hex(a, b)}:${hex(c, d)}]`,
        `[2002:${hex(a, b)}:${hex(c, d)}::]`,
        `[::${a}.${b}.${c}.${d}]`,
      ]
      for (const host of forms) throws(() => checkedUrl(`https://${host}/`, []), isForbidden, host)
      for (const address of [`${a}.${b}.${c}.${d}`, `::ffff:${a}.${b}.${c}.${d}`])
        throws(() => checkAddress(address, byName, []), isForbidden, address)
    }),
  )
})

test('special addresses of IPv6 are refused', () => {
  for (const address of [
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '64:ff9b::808:808',
    '::808:808',
    '4000::1',
  ])
    throws(() => checkAddress(address, byName, []), isForbidden, address)
})

test('a public address is reached by https on its usual port only', () => {
  for (const address of ['93.184.216.34', '2606:2800:220:1::1']) doesNotThrow(() => checkAddress(address, byName, []))
  for (const url of ['http://93.184.216.34/', 'https://93.184.216.34:8443/', 'http://receiver.example/'])
    throws(() => checkedUrl(url, []), isForbidden, url)
  for (const url of ['https://user@receiver.example/', 'file:///etc/passwd', 'receiver.example'])
    throws(() => checkedUrl(url, ['10.0.0.0/8']), isForbidden, url)
})

test('a network of the settings allows its addresses, and no others', () => {
  const networks = ['10.1.0.0/16', 'fd00::/8', '192.168.7.7']
  const url = new URL('http://records.school.example:8080/')
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1', '192.168.7.7'])
    doesNotThrow(() => checkAddress(address, url, networks), address)
  for (const address of ['10.2.0.1', '192.168.7.8', '127.0.0.1', '93.184.216.34'])
    throws(() => checkAddress(address, url, networks), isForbidden, address)
})

test('a name that leads to a private address is refused when the request connects', async () => {
  const request = { method: 'POST', url: 'https://localhost/', headers: {}, body: '{}' }
  await rejects(guardedSender([])(request), isForbidden)
})

test('events that wait for one that is tried wait longer than a request may take', () => {
  ok(PROBED_FOR > TIMEOUT)
})

test('a success counts although its text breaks off, unless the text is needed', async t => {
  let response = 'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nThank'
  const server = createServer(socket => {
    socket.once('data', () => socket.end(response))
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const request = { method: 'POST', url, headers: {}, body: '{}' }
  const { status, body } = await guardedSender(['127.0.0.1'])(request)
  deepEqual({ status, body }, { status: 200, body: 'Thank' })
  await rejects(guardedSender(['127.0.0.1'])({ ...request, largest: 1000 }))
  response = response.replace('200 OK', '400 Bad Request')
  await rejects(guardedSender(['127.0.0.1'])(request))
})

test('a receiver that switches to another protocol in place of a response has failed', async t => {
  const server = createServer(socket => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n')
    })
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await rejects(guardedSender(['127.0.0.1'])({ method: 'POST', url, headers: {}, body: '{}' }))
  const contact = 'mailto:it@school.example'
  equal(await wakeBrowser(url, { key: newPushKey(), contact, now: Date.now() }), 'failed')
})
