import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { describeMailError } from '../../src/mail/mailer.ts'

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more)

test('a failure is told in one line, with the code and what the server said', () => {
  const given = error("Can't send mail: 550-5.1.1 no\n550 5.1.1 mailbox", {
    code: 'EENVELOPE',
    command: 'RCPT TO',
    response: '550-5.1.1 no\n550 5.1.1 mailbox',
  })
  equal(describeMailError(given), 'EENVELOPE at RCPT TO: 550-5.1.1 no 550 5.1.1 mailbox')
})

test('addresses in it are replaced, however they are written', () => {
  const texts = {
    '<ana.ruiz+a=b@mercy.example>: unknown': '<address>: unknown',
    'user ana@mercy.example, try later': 'user <address>, try later',
    '(ana@mercy.example)': '(<address>)',
    '"ana ruiz"@mercy.example unknown': '<address> unknown',
    'añа@klinik-münchen.example!': '<address>',
    'no address here': 'no address here',
  }
  for (const [text, told] of Object.entries(texts)) equal(describeMailError(error(text)), told)
})

test('a code is not said twice', () => {
  const given = error('ENOSPC: no space left on device, write', { code: 'ENOSPC' })
  equal(describeMailError(given), 'ENOSPC: no space left on device, write')
})

test('it is never longer than 300 characters, never slow, and never fails', () => {
  equal(describeMailError(error('a'.repeat(1_000_000))).length, 300)
  equal(describeMailError(error('x'.repeat(1000))).length, 300)
  equal(describeMailError('a string'), 'unknown error')
  equal(describeMailError(undefined), 'unknown error')
})
