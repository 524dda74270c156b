import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { describeMailbox } from '../../../src/mail/inbound/mailbox.ts'
import { mailboxAt } from '../../../src/mail/inbound/mailbox-address.ts'
import { type Dovecot, startDovecot } from '../../support/dovecot.ts'
import { startTcp } from '../../support/smtp.ts'
import { TcpProxy } from '../../support/tcp-proxy.ts'
import { aMail, by, until, watch } from './watching.ts'

describe('a server that goes away', () => {
  test('is found again after a restart, and nothing is lost', async t => {
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

  test('is found again when a connection is reset', async t => {
    const dovecot = await startDovecot(t)
    const { url, sockets } = await by(t, dovecot.url)
    const mailbox = watch(t, url)
    mailbox.start()
    await mailbox.watched()
    sockets[0]?.resetAndDestroy()
    await mailbox.watched(2)
    dovecot.deliver(aMail('one'))
    await until(() => mailbox.handled.length === 1)
  })

  test('is logged about once, without user or password', async t => {
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

  test('is left alone for longer and longer', async t => {
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

  test('is noticed when it freezes, and handed on from again when it goes on', async t => {
    const dovecot = await startDovecot(t)
    const mailbox = watch(t, dovecot.url, { poll: 50, timeout: 300 })
    mailbox.start()
    await mailbox.watched()
    dovecot.freeze()
    dovecot.deliver(aMail('one'))
    await until(() => mailbox.logged('no response within 0.3 seconds') > 0)
    dovecot.thaw()
    await until(() => mailbox.handled.length === 1)
    await mailbox.watched(2)
  })

  test('is noticed when a connection is silent for ever', async t => {
    const dovecot = await startDovecot(t)
    const proxy = await TcpProxy.start(t, dovecot.url)
    const mailbox = watch(t, proxy.through(dovecot.url), { poll: 50, timeout: 300 })
    mailbox.start()
    await mailbox.watched()
    proxy.abandon()
    dovecot.deliver(aMail('one'))
    await until(() => mailbox.handled.length === 1)
    equal(mailbox.logged('no response within'), 1)
  })

  for (const [what, greeting] of [
    ['nothing', ''],
    ['nonsense', '\0\xff(((("{9999999999}\r\n* OK {5}\r\n'],
    ['goodbye', '* BYE too many connections\r\n'],
    ['that it knows us already', '* PREAUTH hello\r\n'],
  ] as const) {
    test(`may say ${what} as a greeting, and nothing more`, async t => {
      const server = await startTcp(t, socket => void socket.write(greeting, 'latin1'))
      const { port } = new URL(server.url)
      const mailbox = watch(t, `imap://a:b@127.0.0.1:${port}`, { timeout: 100 })
      mailbox.start()
      await until(() => server.connections.total >= 3)
      equal(mailbox.logged('cannot be watched'), 1, mailbox.lines.join())
    })
  }
})

describe('a wrong password', () => {
  test('is an error that is logged once, and is not tried over and over', async t => {
    const dovecot = await startDovecot(t)
    const { url, sockets } = await by(t, dovecot.url)
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

describe('the address of a mailbox', () => {
  for (const [address, description] of [
    ['imaps://ana:secret@mail.example', 'imaps://mail.example:993/INBOX'],
    ['imap://ana:secret@mail.example/', 'imap://mail.example:143/INBOX'],
    ['imap://a%40b:s%2Ft@mail.example:1143/Le%20ads/In', 'imap://mail.example:1143/Le ads/In'],
    ['imaps://ana:secret@[::1]:993/?tls.rejectUnauthorized=false', 'imaps://[::1]:993/INBOX'],
  ] as const) {
    test(`${address} is logged as ${description}`, () => {
      equal(describeMailbox(address), description)
    })
  }

  test('holds user and password that were escaped', async t => {
    const dovecot = await startDovecot(t)
    match(dovecot.url, /admissions%40school\.example:p%2Fs%20w%3Frd%2540@/)
    const mailbox = watch(t, dovecot.url)
    mailbox.start()
    await mailbox.watched()
  })

  for (const [address, tls] of [
    ['imap://a:b@mail.example', { secure: false, doSTARTTLS: true, vouched: true }],
    ['imaps://a:b@mail.example', { secure: true, doSTARTTLS: undefined, vouched: true }],
    ['imap://a:b@10.0.0.1', { secure: false, doSTARTTLS: true, vouched: true }],
    ['imap://a:b@localhost.mail.example', { secure: false, doSTARTTLS: true, vouched: true }],
    [
      'imap://a:b@mail.example/?tls.rejectUnauthorized=false',
      { secure: false, doSTARTTLS: true, vouched: false },
    ],
    ['imap://a:b@localhost', { secure: false, doSTARTTLS: undefined, vouched: false }],
    ['imap://a:b@127.0.0.2', { secure: false, doSTARTTLS: undefined, vouched: false }],
    ['imap://a:b@[::1]', { secure: false, doSTARTTLS: undefined, vouched: false }],
  ] as const) {
    test(`${address} has the password cross a network in TLS only`, () => {
      const { secure, doSTARTTLS, tls: options } = mailboxAt(address).connection
      deepEqual({ secure, doSTARTTLS, vouched: options?.rejectUnauthorized }, tls)
    })
  }

  for (const [what, urlOf] of [
    ['the server offers it', (dovecot: Dovecot) => dovecot.url],
    ['the address says so', (dovecot: Dovecot) => dovecot.tlsUrl],
  ] as const) {
    test(`is spoken to in TLS where ${what}`, async t => {
      const dovecot = await startDovecot(t, { tls: true })
      const mailbox = watch(t, urlOf(dovecot))
      mailbox.start()
      await mailbox.watched()
      match(dovecot.log(), /Login: .*\bTLS\b/)
    })
  }
})
