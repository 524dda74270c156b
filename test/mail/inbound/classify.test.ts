import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { codePoints, textProblem } from '../../../src/leads/body/tidy-text.ts'
import { classify, type Inbound } from '../../../src/mail/inbound/classify.ts'
import { bounces, softBounces } from './bounces.ts'
import {
  deliveryStatus,
  eximBounce,
  feedback,
  ID,
  MARKED,
  mail,
  qmailBounce,
  readReceipt,
  reply,
  withHeaders,
} from './samples.ts'

async function read<K extends Inbound['kind']>(source: Uint8Array, kind: K) {
  const inbound = await classify(source)
  equal(inbound.kind, kind, JSON.stringify(inbound))
  return inbound as Extract<Inbound, { kind: K }>
}

const textOf = async (source: Uint8Array) => {
  const inbound = await classify(source)
  ok('text' in inbound, JSON.stringify(inbound))
  return inbound.text
}

describe('a reply', () => {
  test('has a sender, a subject, a text, and the messages it replies to', async () => {
    deepEqual(await classify(reply('Yes, please call me.')), {
      kind: 'reply',
      from: 'ana.ruiz@mail.example',
      id: 'CAF1x=answer@mail.gmail.com',
      references: ['first.17@school.example', ID],
      subject: 'Re: Your question about welding – Northside',
      text: 'Yes, please call me.',
      attachments: [],
      recipients: ['admissions@school.example'],
      forMany: false,
      authentic: false,
    })
  })

  test('need not refer to a message that we know', async () => {
    const { references } = await read(withHeaders('Subject: hello'), 'reply')
    deepEqual(references, [])
  })

  test('may come through a mailing list, since a team’s address may be one', async () => {
    const headers = ['List-Id: <admissions.school.example>', 'Precedence: list']
    await read(withHeaders(...headers, `In-Reply-To: <${ID}>`), 'reply')
  })

  test('is decoded from the charset and encoding that it names', async () => {
    const headers = ['From: ana@mail.example', 'Content-Transfer-Encoding: quoted-printable']
    const latin = 'Content-Type: text/plain; charset=iso-8859-1'
    equal(await textOf(mail([...headers, latin], '=BFPuedo ir ma=F1ana?')), '¿Puedo ir mañana?')
  })

  test('has a text that can be stored, of at most 2000 characters', async () => {
    const text = await textOf(reply(`a\0b\u202Ec\x07d\tx\u2066\u200F${'😀'.repeat(3000)}`))
    match(text, /^abcd\tx😀+…$/u)
    equal(codePoints(text), 2000)
    equal(textProblem(text, 'many'), undefined)
  })

  test('has a subject of one line, whatever its encoding hides', async () => {
    const header = 'Subject: =?utf-8?Q?Hello=0D=0ABcc:_x@mail.example=00=E2=80=AE?='
    const { subject } = await read(withHeaders(header), 'reply')
    equal(subject, 'Hello Bcc: x@mail.example')
  })
})

describe('an automatic reply', () => {
  const marks: Record<string, string[]> = {
    'Exchange or Outlook': [
      'Subject: Automatic reply: Your question',
      'Auto-Submitted: auto-generated',
      'X-Auto-Response-Suppress: All',
      `In-Reply-To: <${ID}>`,
    ],
    Gmail: [
      'Subject: Out of office Re: Your question',
      'Auto-Submitted: auto-replied',
      'Precedence: bulk',
      'X-Autoreply: yes',
      `References: <${ID}>`,
    ],
    'a vacation program': ['Subject: away from my mail', 'Auto-Submitted: auto-replied (vacation)'],
    'an old Exchange': ['Subject: Abwesend', 'X-Auto-Response-Suppress: DR, OOF, AutoReply'],
    'an autoresponder': ['Subject: We got it', 'X-Autorespond: We got it'],
    cPanel: ['Subject: thanks', 'Precedence: auto_reply'],
    'an unknown machine, by its subject': ['Return-Path: <>', 'Subject: Respuesta automática: Su pregunta'],
    'a bulk sender, by its subject': ['Precedence: bulk', 'Subject: Fuera de la oficina'],
  }
  for (const [name, headers] of Object.entries(marks)) {
    test(`may come from ${name}`, async () => {
      const { text } = await read(withHeaders(...headers), 'auto-reply')
      equal(text, 'I am away until Monday.')
    })
  }

  for (const headers of [
    ['Subject: Re: Automatic reply: Your question'],
    ['Subject: Out of office'],
    ['Subject: Estoy de vacaciones', 'Auto-Submitted: no'],
    ['Subject: Automatic reply', 'X-Auto-Response-Suppress: None', 'Return-Path: <ana@mail.example>'],
  ]) {
    test(`is not a message that a person sends with ${headers.join(', ')}`, async () => {
      await read(withHeaders(...headers), 'reply')
    })
  }
})

describe('a bounce', () => {
  for (const [name, source] of Object.entries(bounces)) {
    test(`is hard: ${name}`, async () => {
      const { hard, recipients, references, note } = await read(source, 'bounce')
      equal(hard, true, note)
      match(recipients[0] ?? '', /^ana\.ruiz@/)
      deepEqual(references, [ID])
      doesNotMatch(note, /@/)
      ok(codePoints(note) <= 200)
    })
  }

  for (const [name, source] of Object.entries(softBounces)) {
    test(`is soft: ${name}`, async () => {
      const { hard, recipients, references, note } = await read(source, 'bounce')
      equal(hard, false, note)
      match(recipients[0] ?? '', /^ana\.ruiz@/)
      deepEqual(references, [ID])
    })
  }

  test('names the original recipient and the address it was forwarded to', async () => {
    const { recipients, note } = await read(bounces['Postfix, no such user at Gmail'], 'bounce')
    deepEqual(recipients, ['ana.ruiz@mail.example', 'ana.ruiz@gmail.example'])
    match(note, /^failed 5\.1\.1 smtp; 550-5\.1\.1 The email account that you tried to reach does not/)
  })

  test('about several recipients names only those whose address is wrong', async () => {
    const source = deliveryStatus([
      'Final-Recipient: rfc822; full@mail.example',
      'Action: failed',
      'Status: 5.2.2',
      '',
      'Final-Recipient: rfc822; gone@mail.example',
      'Action: failed',
      'Status: 5.1.1',
      '',
      'Final-Recipient: rfc822; fine@mail.example',
      'Action: delivered',
      'Status: 2.0.0',
    ])
    const { hard, recipients } = await read(source, 'bounce')
    equal(hard, true)
    deepEqual(recipients, ['gone@mail.example'])
  })

  for (const action of ['delivered', 'relayed', 'expanded', 'delayed']) {
    test(`does not include a report that a message was ${action}`, async () => {
      const fields = ['Final-Recipient: rfc822; ana@mail.example', `Action: ${action}`, 'Status: 2.0.0']
      await read(deliveryStatus(fields), 'other')
    })
  }

  test('without a report is soft, and still names the message', async () => {
    const inbound = await read(qmailBounce, 'bounce')
    deepEqual(inbound, {
      kind: 'bounce',
      hard: false,
      recipients: [],
      references: [ID],
      marks: [MARKED],
      note: 'failure notice',
    })
  })

  test('without a report may name recipients in a header', async () => {
    const { hard, recipients, references } = await read(eximBounce, 'bounce')
    equal(hard, false)
    deepEqual(recipients, ['ana.ruiz@mail.example', 'Ben@mail.example'])
    deepEqual(references, [ID])
  })

  test('has the mark of the message that it returns, not one that its own headers have', async () => {
    const fields = ['Final-Recipient: rfc822; a@b.example', 'Action: failed', 'Status: 5.1.1']
    for (const returned of ['message/rfc822', 'text/rfc822-headers'])
      deepEqual((await read(deliveryStatus(fields, { returned }), 'bounce')).marks, [MARKED])
    const outside = withHeaders('Return-Path: <>', `X-Frontdesk-Mark: ${MARKED}`)
    deepEqual((await read(outside, 'bounce')).marks, [])
  })

  test('has a note that can be stored, even if it was cut in the middle of a character', async () => {
    const subject = `Subject: =?utf-8?B?${Buffer.from(`x${'😀'.repeat(180)}`).toString('base64')}?=`
    const plain = `Subject: x${'😀'.repeat(180)}`
    for (const header of [subject, plain]) {
      const { note } = await read(mail(['From: MAILER-DAEMON', header], ''), 'bounce')
      equal(textProblem(note, 'one'), undefined)
    }
  })

  test('may be a message with an empty return path that is not an automatic reply', async () => {
    await read(withHeaders('Return-Path: <>', 'Subject: Delivery failed'), 'bounce')
  })
})

describe('a complaint', () => {
  test('names the address and the message', async () => {
    const fields = ['Feedback-Type: abuse', 'Original-Rcpt-To: <Ana.Ruiz@Mail.Example>']
    deepEqual(await classify(feedback(fields)), {
      kind: 'complaint',
      recipients: ['Ana.Ruiz@mail.example'],
      references: [ID],
      marks: [MARKED],
      note: 'complaint: abuse',
    })
  })

  test('names the recipient of the returned message if the report hides the address', async () => {
    const { recipients } = await read(feedback(['Feedback-Type: abuse']), 'complaint')
    deepEqual(recipients, ['ana.ruiz@mail.example'])
  })

  for (const type of ['not-spam', 'auth-failure']) {
    test(`does not include feedback of the type ${type}`, async () => {
      await read(feedback([`Feedback-Type: ${type}`]), 'other')
    })
  }
})

describe('a message that does not concern a lead', () => {
  const others: Record<string, Uint8Array> = {
    'a newsletter': withHeaders('List-Id: News <news.shop.example>', 'Precedence: bulk'),
    'mail from a mailing list': withHeaders('Precedence: list'),
    'our own notification': withHeaders('Auto-Submitted: auto-generated', 'Subject: New lead'),
    'a message without a sender': mail(['Subject: hello'], 'Hello'),
    'a message whose sender is not an address': mail(['From: "x y"@mail.example'], 'Hello'),
    'a read receipt': readReceipt,
    'an empty message': new Uint8Array(),
  }
  for (const [name, source] of Object.entries(others)) {
    test(`may be ${name}`, async () => {
      await read(source, 'other')
    })
  }
})
