import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EmailAddress } from '../../../src/leads/body/email.ts'
import { isAuthentic } from '../../../src/mail/inbound/authentication.ts'
import { readFields } from '../../../src/mail/inbound/headers.ts'

const maria = 'maria@school.example' as EmailAddress
const FROM = `From: Maria <${maria}>`
const verdict = (...lines: string[]) => isAuthentic(readFields([...lines].join('\r\n')), maria, 'mx.school.example')
const results = (text: string, server = 'mx.school.example') => `Authentication-Results: ${server}; ${text}`

describe('a sender is proven', () => {
  test('by DMARC, or by a signature of the very domain', () => {
    equal(verdict(results('dmarc=pass header.from=school.example'), FROM), true)
    equal(verdict(results('dkim=pass header.d=school.example header.s=a'), FROM), true)
    equal(verdict(results('dmarc=pass (p=none; x) header.from=SCHOOL.example', 'MX.School.example 1'), FROM), true)
  })

  test('by nothing else', () => {
    for (const text of [
      'none',
      'spf=pass smtp.mailfrom=school.example',
      'dkim=pass header.d=evil.example',
      'dkim=fail header.d=school.example',
      'dmarc=pass header.from=evil.example',
      'dmarc=fail header.from=school.example; dkim=pass header.d=school.example',
      'spf=pass smtp.mailfrom="a; dmarc=pass header.from=school.example"',
      'spf=pass (dmarc=pass header.from=school.example)',
      'dkim=fail (; dkim=pass header.d=school.example',
      'dkim=pass header.d=evil.example header.d=school.example',
    ])
      equal(verdict(results(text), FROM), false, text)
    equal(verdict(FROM), false)
  })

  test('only by the topmost field of our own server', () => {
    const good = results('dmarc=pass header.from=school.example')
    equal(verdict(results('dmarc=pass header.from=school.example', 'mx.evil.example'), FROM), false)
    equal(verdict(results('dmarc=fail header.from=school.example'), good, FROM), false)
    equal(verdict(results('spf=pass', 'inner.school.example'), good, FROM), true)
  })

  test('only if there is one sender', () => {
    const good = results('dmarc=pass header.from=school.example')
    equal(verdict(good, FROM, FROM), false)
    equal(verdict(good, `${FROM}, <eve@evil.example>`), false)
  })
})
