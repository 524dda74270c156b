/** How many messages are under way at once, and that those that hang stand in no one's way. */
import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { createPlaces, MOST_CONNECTIONS } from '../../src/mail/transport/sends-at-once.ts'
import { createSmtpMailer } from '../../src/mail/transport/smtp.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { startSmtp, startTcp } from '../support/smtp.ts'
import { aMessage } from './fixtures.ts'

/** In milliseconds: hangs at once, but not before what is quick has ended. */
const SOON = 100

const NEVER = 2 ** 30

describe('places', () => {
  test('are three, and one more for what is urgent, which comes first', async () => {
    const places = createPlaces({ hangsAfter: NEVER })
    const begun: string[] = []
    const leave: (() => void)[] = []
    const take = (name: string, kind: 'usual' | 'urgent') =>
      void places.take(kind).then(left => {
        begun.push(name)
        leave.push(left)
      })
    for (const name of ['a', 'b', 'c', 'd']) take(name, 'usual')
    for (const name of ['x', 'y']) take(name, 'urgent')
    await turn()
    deepEqual(begun, ['a', 'b', 'c', 'x'])
    leave[0]?.()
    await turn()
    deepEqual(begun.slice(4), ['y'])
    leave[1]?.()
    await turn()
    deepEqual(begun.slice(5), ['d'])
  })

  test('are not kept by messages that hang, so that the next ones can be tried, up to a limit', async () => {
    const places = createPlaces({ hangsAfter: 1 })
    // Nothing ends, and yet everything begins.
    const leave = await Promise.all(Array.from({ length: MOST_CONNECTIONS }, () => places.take('urgent')))
    let begun = false
    const next = places.take('usual').then(() => {
      begun = true
    })
    await turn()
    equal(begun, false)
    for (const left of leave) left()
    await next
  })
})

/** Lets what is ready begin. */
const turn = () => new Promise(resolve => setImmediate(resolve))

describe('a mail server that stops responding', () => {
  async function aMailer(t: TestContext, url: string) {
    const mailer = createSmtpMailer(url, { deadline: 10 * MINUTE, hangsAfter: SOON })
    t.after(() => mailer.close())
    return mailer
  }

  for (const command of ['mail', 'rcpt', 'data'] as const)
    test(`to ${command.toUpperCase()} delays no message once it responds again`, async t => {
      const smtp = await startSmtp(t, { replies: { [command]: 'stall' } })
      const mailer = await aMailer(t, smtp.url)
      const before = Array.from({ length: 8 }, (_, n) =>
        mailer.send(aMessage({ id: `hangs.${n}@school.example` }), { urgent: n % 2 === 0 }),
      )
      const outcomes = Promise.allSettled(before)
      await until(() => smtp.stalled >= 3)
      smtp.replies[command] = 'ok'
      await mailer.send(aMessage({ id: 'fresh.1@school.example' }), { urgent: true })
      await mailer.send(aMessage({ id: 'other.1@school.example' }))
      await mailer.close()
      equal(
        (await outcomes).some(({ status }) => status === 'rejected'),
        true,
        'some did hang',
      )
    })

  test('about one recipient delays no message to the others', async t => {
    const smtp = await startSmtp(t)
    smtp.rejectRecipient = address => (address.endsWith('@slow.example') ? 'stall' : undefined)
    const mailer = await aMailer(t, smtp.url)
    const slow = Array.from({ length: 6 }, (_, n) =>
      rejects(
        mailer.send(aMessage({ to: { name: '', address: `a${n}@slow.example` }, id: `slow.${n}@school.example` })),
      ),
    )
    for (let n = 0; n < 10; n++) await mailer.send(aMessage({ id: `quick.${n}@school.example` }))
    equal(smtp.messages.length, 10)
    await mailer.close()
    await Promise.all(slow)
  })
})

test('after an answer that no mail server gives, the next message has another connection', async t => {
  let connections = 0
  const server = await startTcp(t, socket => {
    connections += 1
    const broken = connections === 1
    let inData = false
    socket.write('220 mail.example\r\n')
    socket.on('data', chunk => {
      for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
        if (inData) {
          if (line !== '.') continue
          inData = false
          // The rest comes when the next command has been sent.
          socket.write(
            broken ? 'HTTP/1.1 400 Bad Request\r\nServer: none\r\nContent-Length: 0\r\n' : '250 accepted\r\n',
          )
        } else if (/^DATA/i.test(line)) {
          inData = true
          socket.write('354 go on\r\n')
        } else socket.write('250 ok\r\n')
      }
    })
  })
  const mailer = createSmtpMailer(server.url, { deadline: 10 * MINUTE })
  t.after(() => mailer.close())
  await rejects(mailer.send(aMessage()), /HTTP\/1\.1 400/)
  await mailer.send(aMessage())
  equal(connections, 2)
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 5))
}
