import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { isPlainMailbox, parseEmail } from '../../src/leads/body/email.ts'
import { createMailer } from '../../src/mail/transport/mailer.ts'
import { startSmtp } from '../support/smtp.ts'
import {
  aConfig,
  aLetter,
  aMessage,
  aReminder,
  aSiteSubmission,
  aStudentSubmission,
  aView,
  RECEIVED,
  someMessages,
  someNews,
  TEMPLATES,
  team,
  unstyled,
} from './fixtures.ts'

const messages = someMessages()

const NASTY = [
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '[click](javascript:alert(1)) ![i](http://evil.example/x.png) <http://evil.example>',
  '[a]: http://evil.example\n\n[a]',
  '# Title\n\n- list\n\n1. list\n\n> quote\n\n---\n\n```\ncode\n```\n\n    code\n\n===\n---',
  '> out\n\nof the quote\n\nReceived yesterday.',
  'line\\\nline  \n\\\n\\\\',
  '| a | b |\n|---|---|\n| c | d |',
  '&lt;b&gt; &amp; &#60;b&#62; &nbsp;&nbsp;x',
  '{{ school.name }} {% include "notifications/test.md" %} {{ "x" | raw }}',
  '**bold** _em_ `code` ~~gone~~ http://evil.example www.evil.example a@evil.example',
  '\u202eevil\u202c \u2066x\u2069 \u0000\u0007\u001b[31m\u0085\u2028next',
  '<!--[if mso]><p>x</p><![endif]-->\n--></div></body></html>',
]

const anyText = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(...'<>&"\'`*_[]()!#|\\{}%=~+-.:/ \n\tab1'), maxLength: 80 }),
    fc.constantFrom(...NASTY),
  )
  // As stored: never blank.
  .map(text => `${text.trim()}x`)

/** The text as a reader sees it: the words, with all space between them made equal. */
const words = (text: string): string => text.replace(/[\s\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ').trim()

const tagsOf = (html: string): Set<string> =>
  new Set(Array.from(html.matchAll(/<[/!]?[a-z-]+/gi), ([tag]) => tag.toLowerCase()))

const linksOf = (html: string): string[] =>
  Array.from(html.matchAll(/(?:href|src)="([^"]*)"/g), ([, link = '']) => link)

function decode(html: string): string {
  const text = html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
  return text.replace(/&quot;/g, '"').replace(/&amp;/g, '&')
}

const between = (text: string, from: string, to: string): string =>
  text.slice(text.indexOf(from) + from.length, text.indexOf(to, text.indexOf(from)))

describe('any text that someone submits', () => {
  test('is shown word for word and becomes neither HTML nor Markdown', async () => {
    const plain = { message: 'Hello\nthere\n\nyou', company: 'Mercy' }
    const reference = await messages.siteInterest(aView(aSiteSubmission(plain), { notes: ['x'] }))
    const allowed = tagsOf(reference.html)

    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (message, other) => {
        const body = { message, company: other, address: other, firstName: other, phone: other }
        const view = aView(aSiteSubmission(body), { notes: [other] })
        const { subject, text, html: styled } = await messages.siteInterest(view)
        const html = unstyled(styled)

        deepEqual(tagsOf(html).difference(allowed), new Set())
        equal(linksOf(html).length, linksOf(reference.html).length)
        match(
          linksOf(html).join(' '),
          /^tel:\+?\d*( https:\/\/desk\S+){2} mailto:\S+ https:\/\/www\.openstreetmap\.org\S+( https:\/\/desk\S+){3}$/,
        )
        ok(!/[\p{Cc}\u2028\u2029]/u.test(subject))

        const quote = between(html, '<h2>What they told us</h2>', '</blockquote>')
        equal(words(decode(quote.replace(/<\/p>\n<p>/g, '\n'))), words(message))
        equal(words(decode(between(html, '<h1>', '</h1>'))), words(`${other} Ruiz`))

        const lines = between(text, 'What they told us\n-----------------\n\n', '\n\nEmail: ').split('\n')
        ok(lines.every(line => line.startsWith('>')))
        equal(words(lines.map(line => line.slice(1)).join('\n')), words(message))
      }),
      { numRuns: 300 },
    )
  })

  test('is only text in every other message to the staff, too', async () => {
    type Words = { message: string; other: string }
    const site = ({ message, other }: Words) =>
      aSiteSubmission({ message, company: other, firstName: other, lastName: other, phone: other })
    const reminders = TEMPLATES.filter(name => name.startsWith('notifications/'))
    const kinds = ['reply', 'bounce', 'complaint', 'not-me', 'unsubscribed'] as const
    const held = ({ message, other }: Words) => ({
      submission: site({ message, other }),
      reason: 'screening' as const,
      notes: [other],
      heldAt: RECEIVED,
    })
    const renderers = [
      ...reminders.map(name => (input: Words) => messages.reminder(name, aReminder(aView(site(input))))),
      ...kinds.map(kind => (input: Words) => messages.event(someNews(aView(site(input)), kind, input.message))),
      (input: Words) =>
        messages.quarantineDigest({ to: team, held: [held(input)], more: 0, date: 'today', now: RECEIVED }),
    ]
    for (const render of renderers) {
      const reference = await render({ message: 'Hello\nthere\n\nyou', other: 'Mercy' })
      const allowed = tagsOf(reference.html)
      await fc.assert(
        fc.asyncProperty(anyText, anyText, async (message, other) => {
          const { subject, html } = await render({ message, other })
          deepEqual(tagsOf(html).difference(allowed), new Set())
          equal(linksOf(html).length, linksOf(reference.html).length)
          ok(
            linksOf(html).every(link =>
              /^(?:tel:\+?\d*|mailto:\S+|https:\/\/(?:desk|www\.openstreetmap)\S+)$/.test(link),
            ),
          )
          ok(!/[\p{Cc}\u2028\u2029]/u.test(subject))
          equal(words(decode(html)).includes(words(other)), true)
        }),
        { numRuns: 40 },
      )
    }
  })

  test('reaches a follow-up email only as a first name made of letters', async () => {
    const letters = TEMPLATES.filter(name => name.startsWith('letters/'))
    await fc.assert(
      fc.asyncProperty(anyText, fc.constantFrom(...letters), async (text, name) => {
        const body = { firstName: text, lastName: text, message: text, phone: text, city: text }
        const { text: letter, html, subject } = await messages.letter(name, aLetter(body))
        match(letter, /^Hello(?: \p{L}[\p{L}\p{M}'’-]{1,19})?,\n/u)
        const plain = await messages.letter(name, aLetter({ firstName: 'A.' }))
        equal(letter.slice(letter.indexOf('\n')), plain.text.slice(plain.text.indexOf('\n')))
        deepEqual(tagsOf(html), tagsOf(plain.html))
        equal(subject, plain.subject)
      }),
      { numRuns: 200 },
    )
  })

  test('stays in its table cell', async () => {
    const render = (text: string) => {
      const body = { city: text, employer: text, timeline: { rank: 1, text } }
      return messages.studentInterest(aView(aStudentSubmission(body)))
    }
    const allowed = tagsOf((await render('plain')).html)
    await fc.assert(
      fc.asyncProperty(anyText, async text => {
        const html = unstyled((await render(text)).html)
        deepEqual(tagsOf(html).difference(allowed), new Set())
        const table = between(html, '<tbody>', '</tbody>')
        const cells = Array.from(table.matchAll(/<td>(.*?)<\/td>/gs), ([, cell = '']) => cell)
        deepEqual(cells.slice(1).map(decode).map(words), [text, text, text].map(words))
      }),
      { numRuns: 200 },
    )
  })
})

describe('headers', () => {
  const evil = 'Ana\r\nBcc: victim@evil.example\r\n\r\n<b>, "x" <y@evil.example>; group: z@evil.example;'

  test('get no extra fields, recipients or lines from names and subjects', async t => {
    const smtp = await startSmtp(t)
    const mailer = createMailer(aConfig({ smtpUrl: smtp.url }))
    t.after(() => mailer.close())
    const mailbox = (address: string) => ({ name: evil, address })
    await mailer.send(
      aMessage({
        from: mailbox('frontdesk@school.example'),
        to: mailbox('partnerships@school.example'),
        replyTo: mailbox('ana@mercy.example'),
        unsubscribe: `https://learn.school.example/?${evil}`,
        subject: evil,
      }),
    )
    const [received] = smtp.messages
    deepEqual(received?.to, ['partnerships@school.example'])
    const mail = await PostalMime.parse(received?.raw ?? '')
    deepEqual(
      mail.to?.map(({ address }) => address),
      ['partnerships@school.example'],
    )
    deepEqual(
      mail.replyTo?.map(({ address }) => address),
      ['ana@mercy.example'],
    )
    equal(mail.from?.address, 'frontdesk@school.example')
    match(received?.raw ?? '', /^List-Unsubscribe: <https:[^\s<>]*>\r$/m)
    const names = mail.headers.map(({ key }) => key)
    ok(!names.includes('bcc'))
    equal(new Set(names).size, names.length)
  })

  test('carry every address that we accept unchanged', async t => {
    const smtp = await startSmtp(t)
    const mailer = createMailer(aConfig({ smtpUrl: smtp.url }))
    t.after(() => mailer.close())
    const atom = fc.string({ unit: fc.constantFrom(..."abZ09!#$%&'*+/=?^_`{|}~-"), minLength: 1, maxLength: 12 })
    const address = fc.array(atom, { minLength: 1, maxLength: 3 }).map(atoms => `${atoms.join('.')}@mercy.example`)
    await fc.assert(
      fc.asyncProperty(address, async address => {
        fc.pre(parseEmail(address) === address && isPlainMailbox(address))
        smtp.messages.length = 0
        const mailbox = { name: '', address }
        await mailer.send(aMessage({ to: mailbox, replyTo: mailbox }))
        deepEqual(smtp.messages[0]?.to, [address])
        const mail = await PostalMime.parse(smtp.messages[0]?.raw ?? '')
        equal(mail.to?.[0]?.address, address)
        equal(mail.replyTo?.[0]?.address, address)
      }),
      { numRuns: 100 },
    )
  })
})
