import { deepEqual, doesNotMatch, equal, match, ok, rejects, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  aLetter,
  aSettings,
  aStudentSubmission,
  aView,
  maria,
  PROJECT_CONTENT,
  RECEIVED,
  someMessages,
  TEMPLATES,
} from './fixtures.ts'

const messages = someMessages()
const school = {
  name: 'Northside Trade School',
  phone: '(214) 555-0100',
  website: 'www.school.example',
  postalAddress: '1 Main Street, Dallas, TX 75001',
}
const withFacts = someMessages({ settings: aSettings({ school }) })

const LETTERS = TEMPLATES.filter(name => name.startsWith('letters/'))
const toPerson = {
  ...Object.fromEntries(LETTERS.map(name => [name, (from = messages, view = aLetter()) => from.letter(name, view)])),
  'the receipt': (from = messages, view = aLetter()) => from.receipt(view),
  'the account notice': (from = messages, view = aLetter()) => from.accountNotice(view),
}

for (const [name, render] of Object.entries(toPerson)) {
  describe(name, () => {
    test('goes to the ASCII form of the mailbox, and replies go to the address for replies', async () => {
      const replyTo = { name: 'Maria Lopez', address: 'replies@school.example' }
      const view = aLetter({ email: 'ana@klinik-münchen.example' }, { replyTo })
      const content = await render(messages, view)
      deepEqual(content.to, { name: '', address: 'ana@xn--klinik-mnchen-3ob.example' })
      deepEqual(content.replyTo, replyTo)
      equal('replyTo' in (await render()), false)
    })

    test('has links to unsubscribe and to say "not me", and a mail program can offer a button', async () => {
      const { text, html, unsubscribe } = await render()
      equal(unsubscribe, 'https://learn.school.example/mail/unsubscribe.12')
      match(html, /href="https:\/\/learn\.school\.example\/mail\/unsubscribe\.12"[^>]*>Unsubscribe</)
      match(html, /href="https:\/\/learn\.school\.example\/mail\/not-me\.12"[^>]*>This wasn't me</)
      match(text, /^Unsubscribe\s+<https:\/\/learn\.school\.example\/mail\/unsubscribe\.12>/m)
      match(text, /This\s+wasn't\s+me\s+<https:\/\/learn\.school\.example\/mail\/not-me\.12>/)
    })

    test('says who we are, and how to reach us if the settings say so', async () => {
      const full = await render(withFacts)
      match(full.html, /(?:tel:\+12145550100|https:\/\/www\.school\.example)"/)
      match(full.text, /\n---\n.*\n\nNorthside Trade School, 1 Main Street, Dallas, TX 75001\n$/s)
      const bare = await render(messages, aLetter({}, { counselor: undefined }))
      match(bare.text, /\n\nNorthside Trade School\n$/)
      doesNotMatch(bare.text, /call us|call to|programs at|around at|null|undefined|Maria/)
      doesNotMatch(full.text + bare.text, / [.,:]|\(\)|\n\n\n/)
    })

    test('comes from the counselor, who signs it, or from the school', async () => {
      const date = new Date(RECEIVED)
      const signed = await render()
      const { from, replyTo } = messages.asMessage(signed, { id: 'x@y', date })
      const address = 'frontdesk@school.example'
      deepEqual(from, { name: 'Maria Lopez, Northside Trade School', address })
      equal(replyTo, undefined)
      match(signed.text, /\nMaria Lopez, Admissions\nNorthside Trade School\n\n---\n/)
      const unsigned = await render(messages, aLetter({}, { counselor: undefined }))
      const school = messages.asMessage(unsigned, { id: 'x@y', date }).from
      deepEqual(school, { name: 'Northside Trade School', address })
      match(unsigned.text, /\nAdmissions, Northside Trade School\n\n---\n/)
    })

    test('tracks no one and shows no pictures', async () => {
      const { html } = await render(withFacts)
      doesNotMatch(html, /<(?:img|script|link|iframe)|url\(/)
      const links = Array.from(html.matchAll(/href="([^"]*)"/g), ([, link = '']) => link)
      const known = /^(?:tel:|https:\/\/learn\.school\.example|https:\/\/www\.school\.example$)/
      ok(links.every(link => known.test(link)))
    })
  })
}

for (const name of ['the receipt', 'the account notice'] as const) {
  test(`${name} is the same for every submission, so that no one can send their own words`, async () => {
    const evil = { firstName: 'Evil', lastName: 'Words', city: 'Spam', message: 'Buy', state: 'ZZ' }
    deepEqual(await toPerson[name](), await toPerson[name](messages, aLetter(evil)))
  })
}

describe('the receipt', () => {
  test('says who will call, when, and that emails may follow', async () => {
    const { subject, text } = await messages.receipt(aLetter())
    equal(subject, 'Thank you for your interest in Northside Trade School')
    const line = text.replaceAll('\n', ' ')
    match(line, /I'm Maria Lopez, your admissions counselor\. I will call you on Monday by 10:00 AM EST, to answer/)
    match(line, /we may send you a few short emails\. You can stop them at any time/)
    doesNotMatch(text, /no further/)
    const unknown = await messages.receipt(aLetter({}, { counselor: undefined }))
    match(unknown.text, /An admissions counselor will call/)
  })

  test('says the hour of the call in Spanish as it is said there: one o’clock is singular', async () => {
    const { lead, ...view } = aLetter()
    const from = someMessages({ settings: aSettings({ languages: ['en', 'es'] }) })
    const at = async (time: string) => {
      const now = Date.parse(`2026-11-23T${time}:00-05:00`)
      const { text } = await from.receipt({ ...view, now, lead: { ...lead, language: 'es' } })
      return text.replaceAll('\n', ' ')
    }
    match(await at('12:00'), /Te voy a llamar hoy, a más tardar a la 1:00/)
    match(await at('10:00'), /Te voy a llamar hoy, a más tardar a las 11:00/)
  })

  test('names the programs of the school, up to five, unless the student has chosen one', async () => {
    const programs = [{ name: 'Welding', starts: 'January 11' }, { name: 'Electrical' }]
    const from = someMessages({ settings: aSettings({ programs }) })
    const { text } = await from.receipt(aLetter())
    match(text, /\nOur programs:\n\n- Welding · starts January 11\n- Electrical\n\nIs another time better/)
    const { lead, ...view } = aLetter()
    const chosen = await from.receipt({ ...view, lead: { ...lead, program: 'Welding' } })
    match(chosen.text, /\nWelding at a glance:\n\nStarts: January 11\n\nIs another time better/)
    const many = someMessages({ settings: aSettings({ programs: [...programs, ...programs, ...programs] }) })
    doesNotMatch((await many.receipt(aLetter())).text, /Our programs|Electrical/)
  })
})

test('the account notice says where to sign in', async () => {
  const { subject, text, html } = await messages.accountNotice(aLetter())
  equal(subject, 'You already have an account with Northside Trade School')
  match(text, /^Sign in <https:\/\/learn\.school\.example>$/m)
  match(html, /href="https:\/\/learn\.school\.example"/)
})

describe('a follow-up email', () => {
  for (const name of LETTERS) {
    test(`${name} has 60 to 130 words with any settings`, async () => {
      for (const from of [messages, withFacts]) {
        for (const counselor of [maria, undefined]) {
          const { subject, text } = await from.letter(name, aLetter({}, { counselor }))
          const words = text.split('\n---\n')[0]?.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
          ok(words >= 60 && words <= 130, `${words} words`)
          ok(subject.length <= 60)
        }
      }
    })
  }

  test('greets by the first name if it can only be a name', async () => {
    const greetings = {
      Ana: 'Hello Ana,',
      'Mary Jo': 'Hello Mary,',
      'Jean-Luc': 'Hello Jean-Luc,',
      'D’Arcy': 'Hello D’Arcy,',
      "O'Neil": "Hello O'Neil,",
      Łukasz: 'Hello Łukasz,',
      अनिता: 'Hello अनिता,',
      A: 'Hello,',
      'J.': 'Hello,',
      '--': 'Hello,',
      X1: 'Hello,',
      'www.evil.example': 'Hello,',
      'https://evil.example': 'Hello,',
      '<b>Ana</b>': 'Hello,',
      '**Ana**': 'Hello,',
      Abcdefghijklmnopqrstu: 'Hello,',
      McKay: 'Hello McKay,',
      MARIA: 'Hello Maria,',
      श्रीनिवास: 'Hello श्रीनिवास,',
      'PAYPAL-SECURITY-CALL': 'Hello,',
      'Call-me-NOW': 'Hello,',
      'PAYPAL-CALL': 'Hello,',
      'Click-evil-dot-com': 'Hello,',
      ClickEvilDotCom: 'Hello,',
      "It's-us": 'Hello,',
      [`Ana${'\u0301'.repeat(4)}`]: 'Hello,',
    }
    for (const [firstName, greeting] of Object.entries(greetings)) {
      const { text } = await messages.letter('letters/day-1.md', aLetter({ firstName }))
      equal(text.split('\n')[0], greeting)
    }
  })

  test('contains nothing else that was submitted', async () => {
    const evil = { lastName: 'Words', phone: '9990000000', city: 'Spam', message: 'Buy it' }
    for (const name of LETTERS) {
      deepEqual(await messages.letter(name, aLetter()), await messages.letter(name, aLetter(evil)))
    }
  })

  test('after 3 days has the facts about programs, and invites questions only if there are none', async () => {
    const programs = [
      { name: 'Medical assistant', cost: '$3,900', starts: 'January 11', hours: 'Evenings' },
      { name: 'Welding | TIG', cost: '$5,200' },
    ]
    const from = someMessages({ settings: aSettings({ school, programs }) })
    const { text, html } = await from.letter('letters/day-3.md', aLetter())
    const facts = 'Classes: Evenings\nCost: $3,900\nStarts: January 11\n'
    ok(text.includes(`\n\nMedical assistant\n\n${facts}\nWelding | TIG\n\nCost: $5,200\n\nWhat else`))
    match(html, /<th [^>]*scope="row"[^>]*>Cost<\/th>/)
    doesNotMatch(text, /Ask us|null/)
    match((await messages.letter('letters/day-3.md', aLetter())).text, /Ask us for the full figure/)
  })
})

describe('a template', () => {
  test('in a cadence must exist when the service starts', () => {
    throws(() => someMessages({ templates: ['letters/gone.md'] }), /letters\/gone\.md: is missing/)
    throws(() => someMessages({ templates: ['notifications/gone.md'] }), /notifications\/gone\.md: is missing/)
  })

  test('in a former cadence is loaded when it is needed, if it still exists', async () => {
    const contentDirs = [PROJECT_CONTENT]
    const later = someMessages({ templates: [], contentDirs })
    equal((await later.letter('letters/day-7.md', aLetter())).to.address, 'ana@mercy.example')
    await rejects(later.letter('letters/gone.md', aLetter()), /letters\/gone\.md: is missing/)
    await rejects(
      later.reminder('notifications/gone.md', {
        ...aView(aStudentSubmission()),
        role: 'team',
        waiting: 0,
        attempts: 0,
        tried: false,
        suppressed: null,
      }),
      /notifications\/gone\.md: is missing/,
    )
  })

  test('for staff cannot become an email to a student', async () => {
    await rejects(messages.letter('notifications/reminder.md', aLetter()), /undefined variable/)
  })
})
