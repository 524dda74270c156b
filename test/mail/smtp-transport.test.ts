import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import PostalMime from 'postal-mime'
import { createMailer, type Mailer, MailRefused } from '../../src/mail/transport/mailer.ts'
import { HANGS_AFTER } from '../support/process.ts'
import { type SmtpOptions, startSmtp, startTcp } from '../support/smtp.ts'
import { aConfig, aMessage } from './fixtures.ts'

/** In milliseconds: short, but enough for a whole send on a busy machine. */
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

describe('a message sent by SMTP', () => {
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

  test('brings its attachments as they are, even when it is sent again', async t => {
    const { smtp, mailer } = await setUp(t)
    const bytes = randomBytes(2_000_000)
    const attachment = { name: 'Año 1998.pdf', type: 'application/pdf', size: bytes.length, read: async () => bytes }
    for (let times = 0; times < 2; times++) await mailer.send(aMessage({ attachments: [attachment] }))
    for (const { raw } of smtp.messages) {
      const { attachments } = await PostalMime.parse(raw)
      const [received] = attachments
      deepEqual(
        attachments.map(({ filename, mimeType, disposition }) => [filename, mimeType, disposition]),
        [['Año 1998.pdf', 'application/pdf', 'attachment']],
      )
      ok(Buffer.from(received?.content as ArrayBuffer).equals(bytes))
    }
    equal(smtp.messages.length, 2)
  })

  test('belongs to its thread', async t => {
    const { smtp, mailer } = await setUp(t)
    await mailer.send(aMessage({ thread: 'thread.12@school.example' }))
    const { references, inReplyTo } = await PostalMime.parse(smtp.messages[0]?.raw ?? '')
    deepEqual([references, inReplyTo], ['<thread.12@school.example>', '<thread.12@school.example>'])
    await mailer.send(aMessage())
    ok(!/^(References|In-Reply-To)/m.test(smtp.messages[1]?.raw ?? 'References'))
  })

  test('asks machines not to reply, and says nothing about the program', async t => {
    const { smtp, mailer } = await setUp(t)
    await mailer.send(aMessage())
    match(smtp.messages[0]?.raw ?? '', /^Auto-Submitted: auto-generated\r$/m)
    ok(!/^X-/m.test(smtp.messages[0]?.raw ?? ''))
  })

  test('offers to unsubscribe with one click, with each header field on one line', async t => {
    const { smtp, mailer } = await setUp(t)
    const unsubscribe = `https://learn.school.example/mail/${'u-12_A.'.repeat(30)}`
    await mailer.send(aMessage({ unsubscribe }))
    const { raw = '' } = smtp.messages[0] ?? {}
    ok(raw.includes(`\r\nList-Unsubscribe: <${unsubscribe}>\r\n`))
    ok(raw.includes('\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'))
    await mailer.send(aMessage())
    ok(!/unsubscribe/i.test(smtp.messages[1]?.raw ?? 'unsubscribe'))
  })

  test('has the same Message-ID on every attempt', async t => {
    const { smtp, mailer } = await setUp(t, { replies: { data: '451 come back later' } })
    await rejects(mailer.send(aMessage()), temporary)
    smtp.replies.data = 'ok'
    await mailer.send(aMessage())
    const ids = smtp.messages.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1])
    equal(ids.join(), '<notify.12@school.example>,<notify.12@school.example>')
  })

  test('is encrypted if the server supports it, even without a trusted certificate', async t => {
    const { smtp, mailer } = await setUp(t, { starttls: true })
    await mailer.send(aMessage())
    equal(smtp.messages[0]?.secure, true)
  })

  test('is not encrypted if the server does not support it', async t => {
    const { smtp, mailer } = await setUp(t)
    await mailer.send(aMessage())
    equal(smtp.messages[0]?.secure, false)
  })

  test('shares its connection with the next messages', async t => {
    const { smtp, mailer } = await setUp(t)
    for (let n = 1; n <= 3; n++) await mailer.send(aMessage({ id: `n.${n}@school.example` }))
    equal(smtp.messages.length, 3)
    equal(smtp.connections.total, 1)
  })
})

describe('the reply of the server', () => {
  for (const command of ['mail', 'rcpt', 'data'] as const) {
    test(`550 to ${command.toUpperCase()} is ${command === 'rcpt' ? 'final' : 'temporary'}`, async t => {
      const { mailer } = await setUp(t, { replies: { [command]: '550 5.1.1 no such user' } })
      await rejects(mailer.send(aMessage()), command === 'rcpt' ? refused : temporary)
    })

    test(`451 to ${command.toUpperCase()} is temporary`, async t => {
      const { mailer } = await setUp(t, { replies: { [command]: '451 4.7.1 greylisted' } })
      await rejects(mailer.send(aMessage()), temporary)
    })
  }

  test('may reject one message and accept the next', async t => {
    const { smtp, mailer } = await setUp(t, { replies: { rcpt: '550 no' } })
    await rejects(mailer.send(aMessage()), refused)
    smtp.replies.rcpt = 'ok'
    await mailer.send(aMessage())
    equal(smtp.messages.length, 1)
  })

  for (const place of ['MAIL', '.']) {
    test(`is not one at ${place}: the connection is closed, and the next message goes over another`, async t => {
      let connections = 0
      const after: string[] = []
      const server = await startTcp(t, socket => {
        const isFirst = ++connections === 1
        let [inData, garbled] = [false, false]
        socket.write('220 here\r\n')
        const answer = (line: string) => {
          if (garbled) after.push(line)
          if (inData && line !== '.') return
          inData = line === 'DATA'
          garbled ||= isFirst && line.startsWith(place)
          socket.write(garbled && line.startsWith(place) ? 'what is this\r\n' : inData ? '354 go on\r\n' : '250 ok\r\n')
        }
        socket.on('data', chunk => String(chunk).split('\r\n').slice(0, -1).forEach(answer))
      })
      const mailer = mailerFor(t, server.url)
      await rejects(mailer.send(aMessage()), temporary)
      // The next two would find it free again.
      for (let n = 0; n < 2; n++) await mailer.send(aMessage())
      equal(connections, 2)
      deepEqual(
        after.filter(line => line !== 'RSET'),
        [],
      )
    })
  }

  for (const reply of ['421 closing', '503 bad sequence', '530 log in first'] as const) {
    test(`${reply} is temporary`, async t => {
      const { mailer } = await setUp(t, { replies: { mail: reply } })
      await rejects(mailer.send(aMessage()), temporary)
    })
  }

  test('554 as a greeting is temporary, because it rejects us, not the message', async t => {
    const server = await startTcp(t, socket => socket.end('554 no service here\r\n'))
    await rejects(mailerFor(t, server.url).send(aMessage()), temporary)
  })

  test('is quoted in the error, without the addresses in it', async t => {
    const { mailer } = await setUp(t, { replies: { rcpt: '550 <p@school.example> unknown' } })
    await rejects(mailer.send(aMessage()), (error: Error) => {
      match(error.message, /550 <address> unknown/)
      ok(!JSON.stringify({ ...error }).includes('school.example'))
      ok(!String(error.stack).includes('partnerships@'))
      return true
    })
  })

  test('may be missing: a connection dropped after the message is a temporary error', async t => {
    const { smtp, mailer } = await setUp(t, { replies: { data: 'drop' } })
    await rejects(mailer.send(aMessage()), temporary)
    smtp.replies.data = 'ok'
    await mailer.send(aMessage())
    equal(smtp.messages.length, 2)
  })

  test('may be missing: a refused connection is a temporary error', async t => {
    await rejects(mailerFor(t, 'smtp://127.0.0.1:1').send(aMessage()), /ECONNREFUSED/)
  })

  test('may be missing: an unknown host is a temporary error', async t => {
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

  test('fails temporarily with a wrong password', async t => {
    const smtp = await startSmtp(t, { account })
    const mailer = mailerFor(t, urlWith(smtp.url, account.user, 'wrong'))
    await rejects(mailer.send(aMessage()), (error: Error) => {
      ok(temporary(error))
      match(
        error.message,
        /^The mail server does not accept the user and the password in SMTP_URL \(EAUTH at AUTH PLAIN: 535 /,
      )
      return true
    })
  })

  test('fails temporarily if the server does not offer it, and nothing is sent without it', async t => {
    const smtp = await startSmtp(t)
    const mailer = mailerFor(t, urlWith(smtp.url, 'user', 'pass'))
    await rejects(mailer.send(aMessage()), temporary)
    equal(smtp.messages.length, 0)
  })

  test('to a server on this machine does not need a trusted certificate', async t => {
    const smtp = await startSmtp(t, { account, starttls: true })
    await mailerFor(t, urlWith(smtp.url, account.user, account.pass)).send(aMessage())
    equal(smtp.messages[0]?.secure, true)
  })

  test('to a server across the network fails without a trusted certificate', async t => {
    // Only the resolver knows that this host is this machine.
    const elsewhere = (url: string) => urlWith(url.replace('127.0.0.1', '127.1'), 'user', 'pass')
    const bare = await startSmtp(t, { account })
    await rejects(mailerFor(t, elsewhere(bare.url)).send(aMessage()), /STARTTLS/)
    const unknown = await startSmtp(t, { account, starttls: true })
    await rejects(mailerFor(t, elsewhere(unknown.url)).send(aMessage()), /^MailDeferred: The certificate of 127\.1 /)
    await rejects(
      mailerFor(t, unknown.url.replace('smtp:', 'smtps:')).send(aMessage()),
      /Port \d+ does not begin with TLS/,
    )
    await rejects(mailerFor(t, elsewhere(unknown.url)).verify(), temporary)
  })

  test('does not show the password in the name of the destination', async t => {
    const { destination } = mailerFor(t, 'smtp://user:secret@mail.school.example')
    equal(destination, 'smtp://mail.school.example:587')
    equal(mailerFor(t, 'smtps://u:secret@[::1]').destination, 'smtps://[::1]:465')
  })
})

describe('a server that does not respond', () => {
  for (const command of ['mail', 'rcpt', 'data'] as const) {
    test(`to ${command.toUpperCase()} is abandoned, and the next send works`, async t => {
      const { smtp, mailer } = await setUp(t, { replies: { [command]: 'stall' } }, QUICK)
      await rejects(mailer.send(aMessage()), /ETIMEDOUT: not done within 1.5 seconds/)
      smtp.replies[command] = 'ok'
      smtp.messages.length = 0
      await mailer.send(aMessage())
      equal(smtp.messages.length, 1)
      equal(smtp.connections.total, 2)
    })
  }

  test('to several messages does not block later ones', async t => {
    const { smtp, mailer } = await setUp(t, { replies: { data: 'stall' } }, QUICK)
    const many = Array.from({ length: 8 }, (_, n) => aMessage({ id: `n.${n}@school.example` }))
    const outcomes = await Promise.allSettled(many.map(message => mailer.send(message)))
    ok(outcomes.every(outcome => outcome.status === 'rejected' && temporary(outcome.reason)))
    smtp.replies.data = 'ok'
    await Promise.all(many.map(message => mailer.send(message)))
  })

  test('to a connection is abandoned', async t => {
    const { url, connections } = await startTcp(t, () => {})
    await rejects(mailerFor(t, url, QUICK).send(aMessage()), /ETIMEDOUT/)
    await until(() => connections.open === 0)
  })

  test('with a complete greeting is abandoned, too, and its connection is closed', async t => {
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

  test('asks about each recipient, and sends nothing', async t => {
    const { smtp, mailer } = await setUp(t)
    smtp.rejectRecipient = address =>
      ({ 'gone@b.example': '550 5.1.1 unknown', 'slow@b.example': '450 4.2.0 greylisted' })[address]
    const rejected = await mailer.verify('desk@a.example', ['a@b.example', 'gone@b.example', 'slow@b.example'])
    deepEqual(
      rejected.map(({ address, temporary }) => [address, temporary]),
      [
        ['gone@b.example', false],
        ['slow@b.example', true],
      ],
    )
    match(rejected[0]?.reason ?? '', /^The mail server does not know this address \(.*550 5\.1\.1/)
    smtp.replies.mail = '553 5.7.1 not owned by user'
    await rejects(mailer.verify('desk@a.example', ['a@b.example']), /let us send from the address in MAIL_FROM/)
    equal(smtp.messages.length, 0)
    await until(() => smtp.connections.open === 0)
  })

  test('says why it cannot send', async t => {
    await rejects(mailerFor(t, 'smtp://127.0.0.1:1').verify(), /ECONNREFUSED/)
    const silent = await startTcp(t, () => {})
    await rejects(mailerFor(t, silent.url, QUICK).verify(), /ETIMEDOUT/)
  })

  test('abandons a send at once when it is closed', { timeout: HANGS_AFTER }, async t => {
    const { smtp, mailer } = await setUp(t, { replies: { data: 'stall' } }, 2 * HANGS_AFTER)
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
