import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { codePoints, textProblem } from '../../../src/leads/body/tidy-text.ts'
import { classify, type Inbound } from '../../../src/mail/inbound/classify.ts'
import { bounces, softBounces } from './bounces.ts'
import { deliveryStatus, eximBounce, feedback, htmlReply, qmailBounce, readReceipt, reply } from './samples.ts'

describe('a hostile message', () => {
  const samples = [
    ...Object.values(bounces),
    ...Object.values(softBounces),
    qmailBounce,
    eximBounce,
    feedback(['Feedback-Type: abuse']),
    readReceipt,
    reply('Yes', '', 'On 20 Nov 2026, X wrote:', '> Hello'),
    htmlReply('<p>Yes &eacute;</p><blockquote>no</blockquote>'),
  ].map(sample => Buffer.from(sample))

  /** Random bytes, and text with a meaning in messages. */
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 20 }).map(bytes => Buffer.from(bytes)),
    fc
      .constantFrom('\r\n', '\r\n\r\n', '--b=_1', '--b=_1--', '<', '>', '"', ':', ';', '=?utf-8?B?', '\0')
      .map(text => Buffer.from(text)),
  )
  const mutated = fc
    .tuple(fc.constantFrom(...samples), fc.array(fc.tuple(fc.nat(2000), fc.nat(60), piece)))
    .map(([sample, changes]) => {
      let bytes = sample
      for (const [at, removed, inserted] of changes) {
        bytes = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)])
      }
      return bytes
    })

  const assertStorable = (inbound: Inbound) => {
    const lines = 'note' in inbound ? [inbound.note] : [inbound.from, inbound.subject]
    const many = 'text' in inbound ? inbound.text : ''
    const lists = 'references' in inbound ? inbound.references : []
    for (const line of [...lines, ...lists]) {
      equal(textProblem(line, 'one'), undefined, JSON.stringify(line))
    }
    for (const line of lines.slice(-1)) ok(codePoints(line) <= 200)
    equal(textProblem(many, 'many'), undefined, JSON.stringify(many))
    doesNotMatch(many, /[\u202a-\u202e\u2066-\u2069]/)
    ok(codePoints(many) <= 2000)
  }

  test('becomes something that can be stored, whatever its bytes are', async () => {
    const anything = fc.oneof(mutated, fc.uint8Array({ maxLength: 3000 }))
    await fc.assert(
      fc.asyncProperty(anything, async source => assertStorable(await classify(source))),
      { numRuns: 3000 },
    )
  })

  test('is still a reply, with its words, if its header is far too long', async () => {
    const usual = ['From: ana@mail.example', 'In-Reply-To: <a@x>', 'Subject: Call me']
    const line = (name: string) => `${name}: ${'junk '.repeat(15)}`
    const long = (length: number, folded: string) => `X-Scanned: ${`${'junk '.repeat(15)}${folded}`.repeat(length)}`
    for (const header of [
      [long(1, '').repeat(10_000), usual].flat(),
      [long(4_500, '\r\n '), usual].flat(),
      [usual, Array.from({ length: 4_500 }, (_, i) => line(`X-${i}`))].flat(),
    ]) {
      const inbound = await classify(Buffer.from(`${header.join('\r\n')}\r\n\r\nCall me after five.\r\n`))
      ok(inbound.kind === 'reply', JSON.stringify(inbound))
      deepEqual([inbound.from, inbound.references, inbound.text], ['ana@mail.example', ['a@x'], 'Call me after five.'])
    }
  })

  test('is still a reply of that person if its parts nest too deeply to be read', async () => {
    const levels = Array.from({ length: 60 }, (_, level) => `level${level}`)
    const nested = levels.map(level => `Content-Type: multipart/mixed; boundary=${level}\r\n\r\n--${level}\r\n`)
    const header = 'From: ana@mail.example\r\nSubject: Please call\r\nIn-Reply-To: <one@school.example>\r\n'
    const inbound = await classify(Buffer.from(`${header}${nested.join('')}Content-Type: text/plain\r\n\r\nHello\r\n`))
    equal(inbound.kind, 'reply')
    ok(inbound.kind === 'reply' && inbound.subject === 'Please call')
  })

  const MB = 1_000_000
  const large: Record<string, () => string> = {
    'of parts in parts': () => {
      const level = (n: number) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`
      return `From: a@b.example\r\n${Array.from({ length: 20_000 }, (_, n) => level(n)).join('')}`
    },
    'of a million parts': () =>
      `From: a@b.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n'.repeat(MB / 5)}`,
    'of messages in messages': () => `From: a@b.example\r\n${'Content-Type: message/rfc822\r\n\r\n'.repeat(MB / 32)}`,
    'of one header': () => `From: ${'a@b.example, '.repeat(MB / 13)}\r\n\r\nx`,
    'of quotes and brackets in a header': () => `From: ${'"(<'.repeat(90_000)}\r\n\r\nx`,
    'of references': () => `From: a@b.example\r\nReferences: ${'<a@b>\r\n '.repeat(30_000)}\r\n\r\nx`,
    'of tags': () => `From: a@b.example\r\nContent-Type: text/html\r\n\r\n${'<'.repeat(MB)}`,
    'of blockquotes': () => `From: a@b.example\r\nContent-Type: text/html\r\n\r\n${'<blockquote>a'.repeat(MB / 13)}`,
    'of open comments': () => `From: a@b.example\r\nContent-Type: text/html\r\n\r\n${'<!-- <p>'.repeat(MB / 8)}`,
    'of empty lines': () => `From: a@b.example\r\n\r\nx${'\r\n \t'.repeat(MB / 4)}x`,
    'of announcements': () => `From: a@b.example\r\n\r\nx\r\n${'On 1\r\n\r\n'.repeat(MB / 8)}`,
    'of one long line': () => `From: a@b.example\r\n\r\nOn 1 ${'wrote schrieb a@b '.repeat(MB / 18)}`,
    'of addresses in a diagnostic': () =>
      String(
        Buffer.from(
          deliveryStatus([
            `Final-Recipient: rfc822; ${'a@b.example,'.repeat(8000)}`,
            'Action: failed',
            `Diagnostic-Code: smtp; ${'"'.repeat(50_000)}${'a@'.repeat(50_000)}`,
          ]),
        ),
      ),
    'of empty reports': () =>
      String(Buffer.from(deliveryStatus(Array.from({ length: 100_000 }, () => 'Action: failed\n')))),
  }
  for (const [what, make] of Object.entries(large)) {
    test(`is read in bounded time even if it is a megabyte ${what}`, async () => {
      const source = Buffer.from(make().slice(0, MB), 'latin1')
      const begun = process.cpuUsage()
      assertStorable(await classify(source))
      // In microseconds: a hundred times as long as it takes. Quadratic time would be minutes.
      const { user, system } = process.cpuUsage(begun)
      ok(user + system < 10_000_000)
    })
  }
})
