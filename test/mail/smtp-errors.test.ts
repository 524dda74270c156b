import { equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { explainImapError } from '../../src/mail/inbound/imap.ts'
import { describeMailError, MailDeferred, MailRefused } from '../../src/mail/transport/mailer.ts'
import { classifySendError } from '../../src/mail/transport/smtp-errors.ts'

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more)

test('an error is described in one line, with its code and the reply of the server', () => {
  const failure = error("Can't send mail: 550-5.1.1 no\n550 5.1.1 mailbox", {
    code: 'EENVELOPE',
    command: 'RCPT TO',
    response: '550-5.1.1 no\n550 5.1.1 mailbox',
  })
  equal(describeMailError(failure), 'EENVELOPE at RCPT TO: 550-5.1.1 no 550 5.1.1 mailbox')
})

test('the description replaces addresses, however they are written', () => {
  const texts = {
    '<ana.ruiz+a=b@mercy.example>: unknown': '<address>: unknown',
    'user ana@mercy.example, try later': 'user <address>, try later',
    '(ana@mercy.example)': '(<address>)',
    '"ana ruiz"@mercy.example unknown': '<address> unknown',
    'añа@klinik-münchen.example!': '<address>',
    'no address here': 'no address here',
  }
  for (const [text, expected] of Object.entries(texts)) {
    equal(describeMailError(error(text)), expected)
  }
})

test('the description does not repeat a code that the message contains', () => {
  const failure = error('ENOSPC: no space left on device, write', { code: 'ENOSPC' })
  equal(describeMailError(failure), 'ENOSPC: no space left on device, write')
})

test('the description is never longer than 400 characters, never slow, and never fails', () => {
  equal(describeMailError(error('a'.repeat(1_000_000))).length, 400)
  equal(describeMailError(error('x'.repeat(1000))).length, 400)
  equal(describeMailError('a string'), 'unknown error')
  equal(describeMailError(undefined), 'unknown error')
})

/** An error as nodemailer makes it of a reply to a command. */
const replied = (command: string, response: string) =>
  error(`failed: ${response}`, {
    code: command.startsWith('AUTH') ? 'EAUTH' : 'EENVELOPE',
    command,
    response,
    responseCode: Number(response.slice(0, 3)),
  })

describe('a reply of the mail server', () => {
  const noMailbox: [reply: string, summary: string][] = [
    ['550 5.1.1 <a@b.example>: User unknown', 'The mail server does not know this address (550 5.1.1).'],
    [
      '550-5.1.1 The email account does not exist\n550 5.1.1 See gsmtp',
      'The mail server does not know this address (550 5.1.1).',
    ],
    ['550 No such user here', 'The mail server does not know this address (550).'],
    ['550 Benutzer unbekannt', 'The mail server does not know this address (550).'],
    ['551 User not local', 'The mail server does not know this address (551).'],
    ['550 5.4.1 Recipient address rejected: Access denied', 'The mail server does not know this address (550 5.4.1).'],
    ['550 5.2.1 The account is disabled', 'This mailbox is disabled (550 5.2.1).'],
    ['550 5.1.2 no such domain', 'The domain of this address does not exist or accepts no email (550 5.1.2).'],
    ['556 5.1.10 domain has nullMX', 'The domain of this address does not exist or accepts no email (556 5.1.10).'],
  ]
  for (const [reply, summary] of noMailbox) {
    test(`${reply.slice(0, 40)} to RCPT TO is final`, () => {
      const failure = classifySendError(replied('RCPT TO', reply))
      ok(failure instanceof MailRefused)
      equal(failure.summary, summary)
      ok(!failure.message.includes('a@b.example'))
    })
  }

  const sender = /does not let us send from the address in MAIL_FROM/
  const relay = /does not send mail to other domains for us/
  const login = /requires a login/
  const ours: [command: string, reply: string, sentence: RegExp][] = [
    ['RCPT TO', '554 5.7.1 <a@b.example>: Relay access denied', relay],
    ['RCPT TO', '550 relay not permitted', relay],
    ['RCPT TO', '550 5.7.1 Unable to relay', relay],
    ['RCPT TO', '550 Administrative prohibition', /rejects mail from us to this address/],
    ['RCPT TO', '550 5.7.1 Service unavailable, client host blocked', /rejects mail from us/],
    ['RCPT TO', '550 5.7.26 unauthenticated email', /rejects mail from us/],
    ['RCPT TO', '550 rejected: 192.0.2.1 is listed', /rejects mail from us/],
    ['RCPT TO', '553 5.7.1 Sender address rejected: not owned by user', sender],
    ['RCPT TO', '550 5.1.8 sender domain not found', sender],
    ['RCPT TO', '530 5.7.0 Authentication required', login],
    ['RCPT TO', '552 5.2.2 mailbox full', /rejects mail from us to this address/],
    ['RCPT TO', '503 5.5.1 bad sequence', /rejects mail/],
    ['MAIL FROM', '550 5.1.1 User unknown', sender],
    ['MAIL FROM', '501 5.1.7 bad address', sender],
    ['MAIL FROM', '550 5.7.60 not permitted to send as this user', sender],
    ['MAIL FROM', '530 Authentication required', login],
    ['AUTH PLAIN', '535 5.7.8 authentication failed', /does not accept the user and the password/],
    ['DATA', '554 5.7.1 looks like spam', /rejects the message/],
    ['DATA', '550 5.1.1 User unknown', /rejects the message/],
    ['EHLO', '554 5.5.0 go away', /rejects our connection/],
  ]
  for (const [command, reply, sentence] of ours) {
    test(`${reply} to ${command} is about us, so it is retried`, () => {
      const failure = classifySendError(replied(command, reply))
      ok(failure instanceof MailDeferred)
      ok(failure.rejected)
      match(failure.summary, sentence)
      match(failure.message, /\(E\w+ at /)
    })
  }

  test('is final only to RCPT TO, and only with a code of 5xx', () => {
    const reply = fc.tuple(
      fc.integer({ min: 200, max: 999 }),
      fc.constantFrom(' 5.1.1 no such user', ' unknown user', '', '-x\n550 5.1.1 unknown'),
    )
    const command = fc.constantFrom('CONN', 'EHLO', 'STARTTLS', 'AUTH PLAIN', 'MAIL FROM', 'DATA', 'RCPT TO')
    fc.assert(
      fc.property(command, reply, (command, [status, text]) => {
        const failure = classifySendError(replied(command, `${status}${text}`))
        const mayBeFinal = command === 'RCPT TO' && status >= 500 && status < 600
        ok(mayBeFinal || failure instanceof MailDeferred)
      }),
    )
  })

  test('with a word about us never ends a message, whatever its other words are', () => {
    const words = fc.constantFrom('relay', 'sender', 'policy', 'denied', 'blocked', 'spam', 'auth')
    fc.assert(
      fc.property(fc.constantFrom(550, 551, 553, 554), words, (status, word) => {
        const failure = classifySendError(replied('RCPT TO', `${status} 5.7.1 user unknown ${word}`))
        ok(failure instanceof MailDeferred)
        ok(classifySendError(replied('RCPT TO', `${status} ${word}`)) instanceof MailDeferred)
      }),
    )
  })
})

describe('a failure to connect', () => {
  const server = { protocol: 'smtps:', host: 'mail.school.example', port: '587' }
  const failures: [error: Error, sentence: RegExp][] = [
    [
      error('4013BEF7:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number', {
        code: 'ESOCKET',
      }),
      /^Port 587 does not begin with TLS\. In SMTP_URL, write smtp:\/\/ \(it uses STARTTLS\)/,
    ],
    [
      error('unable to verify the first certificate', {
        code: 'ESOCKET',
        originalCode: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      }),
      /^The certificate of mail\.school\.example is not signed by an authority that this machine knows\..*NODE_EXTRA_CA_CERTS/,
    ],
    [error('certificate has expired', { code: 'ESOCKET' }), /certificate of mail\.school\.example has expired/],
    [error('connect ECONNREFUSED 127.0.0.1:587', { code: 'ESOCKET' }), /Nothing listens at mail\.school\.example:587/],
    [error('getaddrinfo ENOTFOUND x', { code: 'EDNS' }), /cannot be resolved/],
  ]
  for (const [failure, sentence] of failures) {
    test(`says what to do: ${sentence.source.slice(0, 40)}`, () => {
      const { message, summary } = classifySendError(failure, server)
      match(message, sentence)
      match(summary, /\.$/)
    })
  }

  const mailbox = { protocol: 'imaps:', host: 'imap.school.example', port: '143' }
  for (const [failure, sentence] of [
    [
      error('unable to verify the first certificate', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
      /^The certificate of imap\.school\.example is not signed by .*NODE_EXTRA_CA_CERTS.* \(UNABLE_TO_VERIFY_LEAF_SIGNATURE: /,
    ],
    [
      error('SSL routines:tls_validate_record_header:wrong version number', { code: 'EPROTO' }),
      /^Port 143 does not begin with TLS\. In IMAP_URL, write imap:\/\/ .* imaps:\/\/, usually 993 \(/,
    ],
    [
      error('Command failed', { authenticationFailed: true, responseText: 'no' }),
      /^The mail server does not accept the user and the password in IMAP_URL \(no\)$/,
    ],
    [
      error('Command failed', { serverResponseCode: 'NONEXISTENT', responseText: 'no such' }),
      /^The mail server does not have the folder that IMAP_URL ends with \(no such\)$/,
    ],
    [
      error('Connection not available', { code: 'NoConnection' }),
      /^The connection to imap\.school\.example was lost \(NoConnection: /,
    ],
    [error('no response within 60 seconds', { code: 'ETIMEDOUT' }), /^imap\.school\.example:143 does not/],
  ] as const) {
    test(`says the same about a mailbox: ${sentence.source.slice(0, 20)}`, () => {
      match(explainImapError(failure, mailbox), sentence)
    })
  }

  test('says what a mail server replied to the command for a mailbox', () => {
    equal(explainImapError(error('Command failed', { responseText: 'No such folder' }), mailbox), 'No such folder')
  })
})
