/** Which addresses and numbers look wrong, and which only look unusual. */
import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { COMMON, doubtfulEmail, isDoubtfulPhone } from '../../src/leads/body/doubtful-contact.ts'
import { parseEmail } from '../../src/leads/body/email.ts'
import { startPublicApp } from '../support/public-app.ts'

describe('an email address', () => {
  const typos = {
    'gmial.com': 'gmail.com',
    'gamil.com': 'gmail.com',
    'gmail.co': 'gmail.com',
    'GMAI.com': 'gmail.com',
    'gmial.con': 'gmail.com',
    'hotmial.com': 'hotmail.com',
    'iclod.com': 'icloud.com',
    'yaho.com.mx': 'yahoo.com.mx',
    'school.con': 'school.com',
  }
  for (const [typed, meant] of Object.entries(typos)) {
    test(`at ${typed} was most likely meant for ${meant}`, () =>
      equal(doubtfulEmail(`Ana.Ruiz+a@${typed}`)?.meant, `Ana.Ruiz+a@${meant}`))
  }

  test('that no mail reaches is doubtful, but nothing better is known', () => {
    for (const email of ['a@b.c', 'test@localhost.localdomain']) {
      const doubt = doubtfulEmail(email)
      equal(doubt !== undefined && doubt.meant === undefined, true, email)
    }
  })

  test('of a real provider, a company or a country is not doubtful, nor is other text', () => {
    const real = [
      'gmail.com',
      'mail.com',
      'ymail.com',
      'email.com',
      'hotmail.co.uk',
      'hotmail.fr',
      'yahoo.ca',
      'aol.com',
    ]
    for (const domain of [...real, 'ace.com', 'mercy.example', 'school.co', 'münchen.example']) {
      equal(doubtfulEmail(`ana@${domain}`), undefined, domain)
    }
    for (const text of ['', 'ana', 'ana@', '@gmial.com']) equal(doubtfulEmail(text), undefined, text)
  })
})

test('the script of the forms doubts the same addresses as the server', async t => {
  const app = await startPublicApp(t)
  const script = await (await fetch(`${app.base}/forms/form.js`)).text()
  const start = script.indexOf('const [COMMON')
  const lists = script.slice(start, script.indexOf('\n', start))
  const functions = script.slice(script.indexOf('function meantBy'), script.indexOf('function askAbout'))
  const meantBy = runInNewContext(`${lists}\n${functions}\nmeantBy`) as (email: string) => string | undefined
  const assertSame = (email: string) => {
    // What is not an address has a sentence of its own before this.
    if (parseEmail(email)) equal(meantBy(email), doubtfulEmail(email)?.meant, email)
  }
  for (const domain of ['mail.com', 'ymail.com', 'school.con', 'GMIAL.com', 'gmail.cmo', ...COMMON]) {
    assertSame(`Ana.Ruiz+a@${domain}`)
  }
  const letters = fc.array(fc.constantFrom(...'abcgmilo.n'), { maxLength: 2 })
  fc.assert(
    fc.property(fc.constantFrom(...COMMON), fc.nat(12), fc.nat(2), letters, (domain, at, without, added) =>
      assertSame(`a@${domain.slice(0, at)}${added.join('')}${domain.slice(at + without)}`),
    ),
    { numRuns: 2000 },
  )
})

test('a phone number of one digit, or of all in their order, is doubtful', () => {
  for (const phone of ['000-000-0000', '(111) 111-1111', '+1 555 555 5555', '123 456 7890', '0123456789']) {
    equal(isDoubtfulPhone(phone), true, phone)
  }
  for (const phone of ['512 555 0100', '+52 55 5555 5551', '', '0000000']) equal(isDoubtfulPhone(phone), false, phone)
})
