import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { describeMailError } from '../../src/mail/mailer.ts'

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

test('the description is never longer than 300 characters, never slow, and never fails', () => {
  equal(describeMailError(error('a'.repeat(1_000_000))).length, 300)
  equal(describeMailError(error('x'.repeat(1000))).length, 300)
  equal(describeMailError('a string'), 'unknown error')
  equal(describeMailError(undefined), 'unknown error')
})
