import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { describeMailbox } from '../../../src/mail/inbound/mailbox.ts'
import { mailboxAt } from '../../../src/mail/inbound/mailbox-address.ts'
import { type Dovecot, startDovecot } from '../../support/dovecot.ts'
import { startTcp } from '../../support/smtp.ts'
import { TcpProxy } from '../../support/tcp-proxy.ts'
import { aMail, throughSockets, until, watch } from './watching.ts'

/** For a server that does respond, even on a busy machine: other attempts come later and later. In milliseconds. */
const TIMEOUT = 2000

describe('a server that goes away', () => {
  test('is connected again after a restart, and nothing is lost', async t => {
    const dovecot = await startDovecot(t)
    const mailbox = watch(t, dovecot.url)
    mailbox.start()
    await mailbox.watched()
    await dovecot.stop()
    dovecot.deliver(aMail('one'))
    await until(() => mailbox.logged('cannot be watched') > 0)
    await dovecot.start()
    await until(() => mailbox.handled.length === 1)
    await mailbox.watched(2)
    dovecot.deliver(aMail('two'))
    await until(() => mailbox.handled.length === 2)
    deepEqual(mailbox.subjects(), ['one', 'two'])
  })

  test('is connected again after a reset', async t => {
    const dovecot = await startDovecot(t)
    const { url, sockets } = await throughSockets(t, dovecot.url)
    const mailbox = watch(t, url)
    mailbox.start()
    await mailbox.watched()
    sockets[0]?.resetAndDestroy()
    await mailbox.watched(2)
    dovecot.deliver(aMail('one'))
    await until(() => mailbox.handled.length === 1)
  })

  test('is logged once, without user or password', async t => {
    const server = await startTcp(t, socket => socket.destroy())
    const { port } = new URL(server.url)
    const mailbox = watch(t, `imap://ana%40school.example:secret@127.0.0.1:${port}`)
    mailbox.start()
    await until(() => server.connections.total >= 5)
    await mailbox.stop()
    equal(mailbox.lines.length, 1)
    match(mailbox.lines[0] ?? '', /cannot be watched/)
    doesNotMatch(mailbox.lines.join(), /secret|ana/)
  })

  test('is tried at longer and longer intervals', async t => {
    const times: number[] = []
    const server = await startTcp(t, socket => {
      times.push(Date.now())
      socket.destroy()
    })
    const { port } = new URL(server.url)
    const mailbox = watch(t, `imap://a:b@127.0.0.1:${port}`, { reconnectAfter: 10 })
    mailbox.start()
    await until(() => times.length === 5)
    ok((times[4] ?? 0) - (times[3] ?? 0) >= 80, String(times))
  })

  test('is noticed when it freezes, and its messages arrive when it continues', async t => {
    const dovecot = await startDovecot(t)
    const mailbox = watch(t, dovecot.url, { poll: 50, timeout: TIMEOUT })
    mailbox.start()
    await mailbox.watched()
    dovecot.freeze()
    dovecot.deliver(aMail('one'))
    await until(() => mailbox.logged('no response within 2 seconds') > 0)
    dovecot.thaw()
    await until(() => mailbox.handled.length === 1)
    await mailbox.watched(2)
  })

  test('is noticed when a connection goes silent forever', async t => {
    const dovecot = await startDovecot(t)
    const proxy = await TcpProxy.start(t, dovecot.url)
    const mailbox = watch(t, proxy.through(dovecot.url), { poll: 50, timeout: TIMEOUT })
    mailbox.start()
    await mailbox.watched()
    proxy.abandon()
    dovecot.deliver(aMail('one'))
    await until(() => mailbox.handled.length === 1)
    ok(mailbox.logged('no response within') > 0)
  })

  for (const [what, greeting] of [
    ['nothing', ''],
    ['nonsense', '\0\xff(((("{9999999999}\r\n* OK {5}\r\n'],
    ['"goodbye"', '* BYE too many connections\r\n'],
    ['"already authenticated"', '* PREAUTH hello\r\n'],
  ] as const) {
    test(`may greet with ${what} and then go silent`, async t => {
      const server = await startTcp(t, socket => void socket.write(greeting, 'latin1'))
      const { port } = new URL(server.url)
      const mailbox = watch(t, `imap://a:b@127.0.0.1:${port}`, { timeout: 100 })
      mailbox.start()
      await until(() => server.connections.total >= 3)
      // Where the machine stands still, it may have waited in vain for the same greeting, which is another problem.
      const problems = mailbox.lines.map(line => JSON.parse(line).problem)
      ok(problems.length > 0)
      ok(
        problems.every((problem, i) => problem !== problems[i - 1]),
        mailbox.lines.join(),
      )
    })
  }
})

describe('a wrong password', () => {
  test('is logged once as an error, and is not tried again and again', async t => {
    const dovecot = await startDovecot(t)
    const { url, sockets } = await throughSockets(t, dovecot.url)
    const mailbox = watch(t, url.replace(/:[^:@]+@/, ':wrong@'), { reconnectAfter: 1 })
    mailbox.start()
    await until(() => mailbox.lines.length > 0)
    await wait(100)
    equal(mailbox.lines.length, 1)
    match(mailbox.lines[0] ?? '', /"level":50.*rejects the user or password/)
    doesNotMatch(mailbox.lines[0] ?? '', /wrong|admissions/)
    equal(sockets.length, 1)
  })
})

describe('the URL of a mailbox', () => {
  for (const [url, description] of [
    ['imaps://ana:secret@mail.example', 'imaps://mail.example:993/INBOX'],
    ['imap://ana:secret@mail.example/', 'imap://mail.example:143/INBOX'],
    ['imap://a%40b:s%2Ft@mail.example:1143/Le%20ads/In', 'imap://mail.example:1143/Le ads/In'],
    ['imaps://ana:secret@[::1]:993/?tls.rejectUnauthorized=false', 'imaps://[::1]:993/INBOX'],
  ] as const) {
    test(`${url} is logged as ${description}`, () => {
      equal(describeMailbox(url), description)
    })
  }

  test('may hold an escaped user and password', async t => {
    const dovecot = await startDovecot(t)
    match(dovecot.url, /admissions%40school\.example:p%2Fs%20w%3Frd%2540@/)
    const mailbox = watch(t, dovecot.url)
    mailbox.start()
    await mailbox.watched()
  })

  for (const [url, tls] of [
    ['imap://a:b@mail.example', { secure: false, doSTARTTLS: true, verified: true }],
    ['imaps://a:b@mail.example', { secure: true, doSTARTTLS: undefined, verified: true }],
    ['imap://a:b@10.0.0.1', { secure: false, doSTARTTLS: true, verified: true }],
    ['imap://a:b@localhost.mail.example', { secure: false, doSTARTTLS: true, verified: true }],
    ['imap://a:b@mail.example/?tls.rejectUnauthorized=false', { secure: false, doSTARTTLS: true, verified: false }],
    ['imap://a:b@localhost', { secure: false, doSTARTTLS: undefined, verified: false }],
    ['imap://a:b@127.0.0.2', { secure: false, doSTARTTLS: undefined, verified: false }],
    ['imap://a:b@[::1]', { secure: false, doSTARTTLS: undefined, verified: false }],
  ] as const) {
    test(`${url} lets the password cross a network only in TLS`, () => {
      const { secure, doSTARTTLS, tls: options } = mailboxAt(url).connection
      deepEqual({ secure, doSTARTTLS, verified: options?.rejectUnauthorized }, tls)
    })
  }

  for (const [what, urlOf] of [
    ['the server offers it', (dovecot: Dovecot) => dovecot.url],
    ['the URL asks for it', (dovecot: Dovecot) => dovecot.tlsUrl],
  ] as const) {
    test(`leads to a connection in TLS if ${what}`, async t => {
      const dovecot = await startDovecot(t, { tls: true })
      const mailbox = watch(t, urlOf(dovecot))
      mailbox.start()
      await mailbox.watched()
      match(dovecot.log(), /Login: .*\bTLS\b/)
    })
  }
})
