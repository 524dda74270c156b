/** Which parts of an email are files, as a real IMAP server tells of them, and what they contain. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startDovecot } from '../../support/dovecot.ts'
import { until, watch } from './watching.ts'

const wrapped = (bytes: Buffer) => (bytes.toString('base64').match(/.{1,76}/g) ?? []).join('\r\n')

const part = (headers: string[], body: string) => `${headers.join('\r\n')}\r\n\r\n${body}`

const multipart = (type: string, boundary: string, parts: string[], more: string[] = []) =>
  [
    ...more,
    'MIME-Version: 1.0',
    `Content-Type: multipart/${type}; boundary="${boundary}"`,
    '',
    ...parts.flatMap(one => [`--${boundary}`, one]),
    `--${boundary}--`,
    '',
  ].join('\r\n')

test('files are found wherever they are in an email, with their names decoded, and read as they were sent', async t => {
  const photo = randomBytes(700_000)
  const logo = randomBytes(4000)
  const pasted = randomBytes(60_000)
  const text = 'Año=1998; líneas\r\n'.repeat(50)
  const base64 = 'Content-Transfer-Encoding: base64'
  const dovecot = await startDovecot(t)
  const read = new Map<string, Buffer>()
  const mailbox = watch(t, dovecot.url)
  const body = multipart('related', 'in', [
    part(['Content-Type: text/html'], '<p>Hello <img src="cid:logo"></p>'),
    part(
      ['Content-Type: image/png; name="logo.png"', 'Content-ID: <logo>', 'Content-Disposition: inline', base64],
      wrapped(logo),
    ),
    part(['Content-Type: image/png; name="pasted.png"', 'Content-ID: <pasted>', base64], wrapped(pasted)),
  ])
  const parts = [
    body,
    part(['Content-Type: image/jpeg', `Content-Disposition: inline; filename="IMG_0001.jpg"`, base64], wrapped(photo)),
    part(
      [
        'Content-Type: text/plain; charset=utf-8',
        "Content-Disposition: attachment; filename*0*=utf-8''A%C3%B1o%20;",
        ' filename*1=1998.txt',
        'Content-Transfer-Encoding: 8bit',
      ],
      text,
    ),
    part(
      ['Content-Type: application/pdf; name="=?utf-8?Q?../t=C3=ADtulo.pdf?="', base64],
      wrapped(Buffer.from('%PDF-1.7')),
    ),
    part(['Content-Type: application/pkcs7-signature; name=smime.p7s', base64], wrapped(logo)),
    part(['Content-Type: image/heic', base64], wrapped(logo)),
  ]
  mailbox.start()
  await mailbox.watched()
  dovecot.deliver(multipart('mixed', 'out', parts, ['From: ben@mail.example', 'Subject: files']))
  await until(() => mailbox.handled.length === 1)
  const [message] = mailbox.handled
  ok(message)
  deepEqual(
    message.attachments.map(({ name, type }) => [name, type]),
    [
      ['pasted.png', 'image/png'],
      ['IMG_0001.jpg', 'image/jpeg'],
      ['Año 1998.txt', 'text/plain'],
      ['título.pdf', 'application/pdf'],
      ['attachment', 'image/heic'],
    ],
  )
  for (const one of message.attachments) {
    const pieces: Uint8Array[] = []
    for await (const piece of message.read(one, 1_000_000)) pieces.push(piece)
    read.set(one.name, Buffer.concat(pieces))
  }
  ok(read.get('pasted.png')?.equals(pasted))
  ok(read.get('IMG_0001.jpg')?.equals(photo))
  equal(String(read.get('Año 1998.txt')), text)
  const [, jpeg] = message.attachments
  ok(jpeg && Math.abs(jpeg.size - photo.length) < 2000, String(jpeg?.size))
  let some = 0
  for await (const piece of message.read(jpeg, 10_000)) some += piece.length
  equal(some, 10_000)
})

test('an email that is nothing but a file has that file', async t => {
  const dovecot = await startDovecot(t)
  const mailbox = watch(t, dovecot.url)
  mailbox.start()
  await mailbox.watched()
  dovecot.deliver(
    [
      'From: ben@mail.example',
      'Content-Type: application/pdf; name=a.pdf',
      'Content-Transfer-Encoding: base64',
      '',
      wrapped(Buffer.from('%PDF-1.7')),
      '',
    ].join('\r\n'),
  )
  await until(() => mailbox.handled.length === 1)
  const [message] = mailbox.handled
  const [file] = message?.attachments ?? []
  ok(message && file)
  const pieces: Uint8Array[] = []
  for await (const piece of message.read(file, 100)) pieces.push(piece)
  equal(String(Buffer.concat(pieces)), '%PDF-1.7')
})
