import { equal, match, ok, rejects } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import PostalMime from 'postal-mime'
import { createMailer, type Mailer, MailRefused } from '../../src/mail/mailer.ts'
import { type SmtpOptions, startSmtp, startTcp } from '../support/smtp.ts'
import { aConfig, aMessage } from './fixtures.ts'

/** Milliseconds: soon over, and yet enough for a whole send on a busy machine. */
const QUICK = 1500

function mailerFor(t: TestContext, smtpUrl: string, deadline = 5000): Mailer {
  const mailer = createMailer(aConfig({ smtpUrl }), { deadline })
  t.after(() => mailer.close())
  return mailer
}

async function setUp(t: TestContext, options: SmtpOptions = {}, deadline?: number) {
  const smtp = await startSmtp(t, options)
  return { smtp, mailer: mailerFor(t, smtp.url, deadline) }
}

const temporary = (error: unknown) => error instanceof Error && !(error instanceof MailRefused)
const refused = (error: unknown) => error instanceof MailRefused

describe('a message through SMTP', () => {
  test('arrives as it was written, in text and in HTML', async t => {
    const { smtp, mailer } = await setUp(t)
    await mailer.send(aMessage({ replyTo: { name: 'Ana Ruiz', address: 'ana@mercy.example' } }))
    const [received] = smtp.messages
    ok(received)
    equal(received.from, 'frontdesk@school.example')
    equal(received.to.join(), 'partnerships@school.example')
    const mail = await PostalMime.parse(received.raw)
    equal(mail.subject, 'New site lead: Ana Ruiz, Mercy Hospital')
    equal(mail.text?.trim(), 'Ana Ruiz\nMercy Hospital')
    match(mail.html ?? '', /<p>Ana Ruiz<br>Mercy Hospital<\/p>/)
    equal(mail.messageId, '<notify.12@school.example>')
    equal(mail.date, '2026-11-21T07:15:00.000Z')
    equal(mail.from?.name, 'Northside Trade School')
    equal(mail.replyTo?.[0]?.address, 'ana@mercy.example')
  })

  test('says that no machine should answer it, and nothing about the program', async t => {
    const { smtp, mailer } = await setUp(t)
    await mailer.send(aMessage())
    match(smtp.messages[0]?.raw ?? '', /^Auto-Submitted: auto-generated\r$/m)
    ok(!/^X-/m.test(smtp.messages[0]?.raw ?? ''))
  })

  test('offers to unsubscribe with one click, each field on one line', async t => {
    const { smtp, mailer } = await setUp(t)
    const unsubscribe = `https://learn.school.example/mail/${'u-12_A.'.repeat(30)}`
    await mailer.send(aMessage({ unsubscribe }))
    const { raw = '' } = smtp.messages[0] ?? {}
    ok(raw.includes(`\r\nList-Unsubscribe: <${unsubscribe}>\r\n`))
    ok(raw.includes('\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'))
    await mailer.send(aMessage())
    ok(!/unsubscribe/i.test(smtp.messages[1]?.raw ?? 'unsubscribe'))
  })

  test('bears the same Message-ID on every try', async t => {
    const { smtp, mailer } = await setUp(t, { replies: { data: '451 come back later' } })
    await rejects(mailer.send(aMessage()), temporary)
    smtp.replies.data = 'ok'
    await mailer.send(aMessage())
    const ids = smtp.messages.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1])
    equal(ids.join(), '<notify.12@school.example>,<notify.12@school.example>')
  })

  test('is encrypted where the server can, whoever vouches for its certificate', async t => {
    const { smtp, mailer } = await setUp(t, { starttls: true })
    await mailer.send(aMessage())
    equal(smtp.messages[0]?.secure, true)
  })

  test('goes in the clear where the server cannot encrypt', async t => {
    const { smtp, mailer } = await setUp(t)
    await mailer.send(aMessage())
    equal(smtp.messages[0]?.secure, false)
  })

  test('goes through one connection with the next', async t => {
    const { smtp, mailer } = await setUp(t)
    for (let n = 1; n <= 3; n++) await mailer.send(aMessage({ id: `n.${n}@school.example` }))
    equal(smtp.messages.length, 3)
    equal(smtp.connections.total, 1)
  })
})

describe('what the server says', () => {
  for (const place of ['mail', 'rcpt', 'data'] as const) {
    test(`a 550 to ${place.toUpperCase()} is final`, async t => {
      const { mailer } = await setUp(t, { replies: { [place]: '550 5.1.1 no such user' } })
      await rejects(mailer.send(aMessage()), refused)
    })

    test(`a 451 to ${place.toUpperCase()} is temporary`, async t => {
      const { mailer } = await setUp(t, { replies: { [place]: '451 4.7.1 greylisted' } })
      await rejects(mailer.send(aMessage()), temporary)
    })
  }

  test('a message after a refused one goes through', async t => {
    const { smtp, mailer } = await setUp(t, { replies: { rcpt: '550 no' } })
    await rejects(mailer.send(aMessage()), refused)
    smtp.replies.rcpt = 'ok'
    await mailer.send(aMessage())
    equal(smtp.messages.length, 1)
  })

  for (const answer of ['421 closing', '503 bad sequence', '530 log in first'] as const) {
    test(`${answer} is temporary`, async t => {
      const { mailer } = await setUp(t, { replies: { mail: answer } })
      await rejects(mailer.send(aMessage()), temporary)
    })
  }

  test('a 554 greeting is temporary: it refuses us, not the message', async t => {
    const server = await startTcp(t, socket => socket.end('554 no service here\r\n'))
    await rejects(mailerFor(t, server.url).send(aMessage()), temporary)
  })

  test('the error repeats what it said, without the addresses in it', async t => {
    const { mailer } = await setUp(t, { replies: { rcpt: '550 <p@school.example> unknown' } })
    await rejects(mailer.send(aMessage()), (error: Error) => {
      match(error.message, /550 <address> unknown/)
      ok(!JSON.stringify({ ...error }).includes('school.example'))
      ok(!String(error.stack).includes('partnerships@'))
      return true
    })
  })

  test('a connection dropped after the message is temporary, and the next send works', async t => {
    const { smtp, mailer } = await setUp(t, { replies: { data: 'drop' } })
    await rejects(mailer.send(aMessage()), temporary)
    smtp.replies.data = 'ok'
    await mailer.send(aMessage())
    equal(smtp.messages.length, 2)
  })

  test('a refused connection is temporary', async t => {
    await rejects(mailerFor(t, 'smtp://127.0.0.1:1').send(aMessage()), /ECONNREFUSED/)
  })

  test('an unknown host is temporary', async t => {
    await rejects(mailerFor(t, 'smtp://mail.invalid').send(aMessage()), temporary)
  })
})

describe('logging in', () => {
  const account = { user: 'front desk', pass: 'p@ss:w/rd' }
  const urlWith = (url: string, user: string, pass: string) =>
    url.replace('//', `//${encodeURIComponent(user)}:${encodeURIComponent(pass)}@`)

  test('uses the user and password of the URL', async t => {
    const smtp = await startSmtp(t, { account })
    await mailerFor(t, urlWith(smtp.url, account.user, account.pass)).send(aMessage())
    equal(smtp.messages[0]?.user, 'front desk')
  })

  test('with a wrong password fails for now, not for good', async t => {
    const smtp = await startSmtp(t, { account })
    const mailer = mailerFor(t, urlWith(smtp.url, account.user, 'wrong'))
    await rejects(mailer.send(aMessage()), (error: Error) => {
      ok(temporary(error))
      match(error.message, /^EAUTH at AUTH PLAIN: 535 /)
      return true
    })
  })

  test('where the server offers none fails for now: nothing is sent as nobody', async t => {
    const smtp = await startSmtp(t)
    const mailer = mailerFor(t, urlWith(smtp.url, 'user', 'pass'))
    await rejects(mailer.send(aMessage()), temporary)
    equal(smtp.messages.length, 0)
  })

  test('on this machine asks for no certificate that somebody vouches for', async t => {
    const smtp = await startSmtp(t, { account, starttls: true })
    await mailerFor(t, urlWith(smtp.url, account.user, account.pass)).send(aMessage())
    equal(smtp.messages[0]?.secure, true)
  })

  test('with a host across the network waits for encryption that can be trusted', async t => {
    // Nothing but the resolver knows that this host is this machine.
    const elsewhere = (url: string) => urlWith(url.replace('127.0.0.1', '127.1'), 'user', 'pass')
    const bare = await startSmtp(t, { account })
    await rejects(mailerFor(t, elsewhere(bare.url)).send(aMessage()), /STARTTLS/)
    const unknown = await startSmtp(t, { account, starttls: true })
    await rejects(mailerFor(t, elsewhere(unknown.url)).send(aMessage()), /certificate/)
    await rejects(mailerFor(t, elsewhere(unknown.url)).verify(), temporary)
  })

  test('keeps the password out of what people see', async t => {
    const { destination } = mailerFor(t, 'smtp://user:secret@mail.school.example')
    equal(destination, 'smtp://mail.school.example:587')
    equal(mailerFor(t, 'smtps://u:secret@[::1]').destination, 'smtps://[::1]:465')
  })
})

describe('a server that does not respond', () => {
  for (const place of ['mail', 'rcpt', 'data'] as const) {
    test(`at ${place.toUpperCase()} is abandoned, and the next send works`, async t => {
      const { smtp, mailer } = await setUp(t, { replies: { [place]: 'stall' } }, QUICK)
      await rejects(mailer.send(aMessage()), /ETIMEDOUT: not done within 1.5 seconds/)
      smtp.replies[place] = 'ok'
      smtp.messages.length = 0
      await mailer.send(aMessage())
      equal(smtp.messages.length, 1)
      equal(smtp.connections.total, 2)
    })
  }

  test('stuck messages take no place in the pool from later ones', async t => {
    const { smtp, mailer } = await setUp(t, { replies: { data: 'stall' } }, QUICK)
    const many = Array.from({ length: 8 }, (_, n) => aMessage({ id: `n.${n}@school.example` }))
    const outcomes = await Promise.allSettled(many.map(message => mailer.send(message)))
    ok(outcomes.every(outcome => outcome.status === 'rejected' && temporary(outcome.reason)))
    smtp.replies.data = 'ok'
    await Promise.all(many.map(message => mailer.send(message)))
  })

  test('at its greeting is abandoned', async t => {
    const { url, connections } = await startTcp(t, () => {})
    await rejects(mailerFor(t, url, QUICK).send(aMessage()), /ETIMEDOUT/)
    await until(() => connections.open === 0)
  })

  test('byte by byte is abandoned too, and its connection with it', async t => {
    const { url, connections } = await startTcp(t, socket => {
      const timer = setInterval(() => socket.write('220-one moment please\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    await rejects(mailerFor(t, url, QUICK).send(aMessage()), /ETIMEDOUT/)
    await until(() => connections.open === 0)
  })
})

describe('the mailer itself', () => {
  test('verifies without sending', async t => {
    const { smtp, mailer } = await setUp(t)
    await mailer.verify()
    equal(smtp.messages.length, 0)
  })

  test('says why it cannot send', async t => {
    await rejects(mailerFor(t, 'smtp://127.0.0.1:1').verify(), /ECONNREFUSED/)
    const silent = await startTcp(t, () => {})
    await rejects(mailerFor(t, silent.url, QUICK).verify(), /ETIMEDOUT/)
  })

  test('closed in the middle of a send abandons it at once', { timeout: 3000 }, async t => {
    const { smtp, mailer } = await setUp(t, { replies: { data: 'stall' } }, 60_000)
    const sending = mailer.send(aMessage())
    const outcome = rejects(sending, temporary)
    await until(() => smtp.messages.length === 1)
    await mailer.close()
    await outcome
    await until(() => smtp.connections.open === 0)
  })
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 5))
}
