import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import addressparser from 'nodemailer/lib/addressparser'
import { asciiDomain, emailKey, isPlainMailbox, parseEmail } from '../../src/leads/body/email.ts'
import { mailboxKey } from '../../src/leads/body/mailbox-key.ts'
import { anyText, likelyEmail } from './arbitraries.ts'

/** Candidates; these tests skip those that are not accepted. */
const candidates = fc.oneof(
  likelyEmail,
  fc.emailAddress(),
  fc.tuple(anyText(10), anyText(10)).map(([local, domain]) => `${local}@${domain}.example`),
  fc.tuple(likelyEmail, fc.constantFrom(',', ', ', ';', ' ', '\r\n', '>'), likelyEmail).map(parts => parts.join('')),
)

const forAllAccepted = (check: (email: string) => void) =>
  fc.assert(
    fc.property(candidates, text => {
      const email = parseEmail(text)
      if (email !== undefined) check(email)
    }),
    { numRuns: 3000 },
  )

describe('an accepted email address', () => {
  test('is exactly one address, without a character that could start another', () => {
    forAllAccepted(email => match(email, /^[^@\s,;:<>()[\]"\\\p{C}]+@[^@\s,;:<>()[\]"\\\p{C}]+$/u))
  })

  test('is read back by the mail library as that one address', () => {
    forAllAccepted(email => deepEqual(addressparser(email), [{ address: email, name: '' }]))
  })

  test('is accepted again, unchanged', () => {
    forAllAccepted(email => equal(parseEmail(email), email))
  })

  test('has its domain in lower case and NFC, and a host name for DNS', () => {
    forAllAccepted(email => {
      const domain = email.slice(email.indexOf('@') + 1)
      equal(domain, domain.normalize('NFC'))
      ok(!/[A-Z]/.test(domain))
      const ascii = asciiDomain(email)
      match(ascii, /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]*[a-z-][a-z0-9-]*$/)
      ok(ascii.length <= 253)
    })
  })

  test('keeps its local part as it was written', () => {
    equal(parseEmail('Ana.RUIZ+x@Mercy.EXAMPLE'), 'Ana.RUIZ+x@mercy.example')
    equal(parseEmail('JOSÉ@Mercy.EXAMPLE'), 'JOSÉ@mercy.example')
  })

  test('belongs to the same person in upper and lower case', () => {
    fc.assert(
      fc.property(fc.emailAddress(), email => {
        const one = parseEmail(email)
        const other = parseEmail(email.toUpperCase())
        ok(one !== undefined && other !== undefined)
        equal(emailKey(one), emailKey(other))
      }),
    )
  })

  test('has one form, however letters outside ASCII are written', () => {
    const written = [
      'ana@münchen.example',
      'ana@mu\u0308nchen.example',
      'ana@ＭÜＮＣＨＥＮ.example',
      'ana@xn--mnchen-3ya.example',
      'ana@XN--MNCHEN-3YA.Example',
    ]
    for (const email of written) equal(parseEmail(email), 'ana@münchen.example')
    equal(parseEmail('ana@ｍｅｒｃｙ.example'), 'ana@mercy.example')
    equal(parseEmail('ana@J\u030c.example'), 'ana@ǰ.example')
    equal(parseEmail('ana@½.example'), 'ana@xn--12-c6t.example')
    equal(asciiDomain('ana@münchen.example'), 'xn--mnchen-3ya.example')
    equal(parseEmail('ana@xn--fa-hia.example'), 'ana@faß.example')
  })

  test('is the same, whether its domain is sent in letters or in its ASCII form', () => {
    forAllAccepted(email => {
      const local = email.slice(0, email.indexOf('@'))
      equal(parseEmail(`${local}@${asciiDomain(email)}`), email)
      equal(parseEmail(`${local}@${asciiDomain(email).toUpperCase()}`), email)
    })
  })

  test('keeps the ASCII form if the other form is not a valid name', () => {
    for (const domain of ['xn--ls8h.example', 'xn--i-7iq.example', 'xn--12-c6t.example']) {
      equal(parseEmail(`ana@${domain}`), `ana@${domain}`)
      equal(parseEmail(`ana@${domain.toUpperCase()}`), `ana@${domain}`)
    }
  })
})

test('every ordinary address is accepted', () => {
  fc.assert(fc.property(fc.emailAddress(), email => parseEmail(email) !== undefined))
})

test('an address works with plain SMTP exactly if its local part is ASCII', () => {
  equal(isPlainMailbox('ana@mercy.example'), true)
  equal(isPlainMailbox('ana@münchen.example'), true)
  equal(isPlainMailbox('josé@mercy.example'), false)
})

test('the mailbox of an address is the same for its sub-addresses, and at Gmail for its dots', () => {
  for (const [email, mailbox] of Object.entries({
    'Ana@mail.example': 'ana@mail.example',
    'ana+school@mail.example': 'ana@mail.example',
    'ana+a+b@mail.example': 'ana@mail.example',
    'a.na@mail.example': 'a.na@mail.example',
    '+ana@mail.example': '+ana@mail.example',
    'A.n.a+x@gmail.com': 'ana@gmail.com',
    'ana@googlemail.com': 'ana@gmail.com',
  }))
    equal(mailboxKey(email), mailbox)
  forAllAccepted(email => equal(mailboxKey(mailboxKey(email)), mailboxKey(email)))
})
