import { equal, match, ok, throws } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { EmailAddress } from '../../src/leads/body/email.ts'
import {
  aFolder,
  aLetter,
  aSiteSubmission,
  aStudentSubmission,
  aView,
  PROJECT_CONTENT,
  someMessages,
} from '../mail/fixtures.ts'

const RECEIPT = 'letters/receipt.md'

/** The messages of an operator who put these files into a folder of their own. */
function messagesWith(t: TestContext, files: Record<string, string>) {
  const folder = aFolder(t)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return someMessages({ contentDirs: [folder, PROJECT_CONTENT] })
}

describe('a file of the operator', () => {
  test('replaces ours, and no other', async t => {
    const messages = messagesWith(t, { [RECEIPT]: '---\nsubject: Hello\n---\nOur own words.\n' })
    const receipt = await messages.receipt(aLetter())
    equal(receipt.subject, 'Hello')
    equal(receipt.text, 'Our own words.\n')
    match(receipt.html, /Northside Trade School/)
    const other = await messages.studentInterest(aView(aStudentSubmission()))
    equal(other.subject, 'New student inquiry: Ana Ruiz')
  })

  test('replaces what ours include', async t => {
    const messages = messagesWith(t, { 'notifications/lead-end.md': 'Call {{ person.phone }}!' })
    const { text } = await messages.siteInterest(aView(aSiteSubmission()))
    match(text, /\n\nCall \(214\) 555-0137!\n$/)
  })

  test('may be a phrase: a variable of its name, in Markdown, with values shown as they are', async t => {
    const files = {
      'phrases/hello.md': '**Hello** {{ counselor }}!\n',
      'phrases/our-motto.md': 'We weld at {{ school.name }}.\n',
      [RECEIPT]: '---\nsubject: {{ our_motto }}\n---\n{{ hello }} {{ our_motto }}\n',
    }
    const maria = { name: '*Maria*', address: 'maria@school.example' as EmailAddress }
    const { subject, html } = await messagesWith(t, files).receipt(aLetter({}, { counselor: maria }))
    equal(subject, 'We weld at Northside Trade School.')
    match(html, /<strong>Hello<\/strong> \*Maria\*! We weld at Northside Trade School\./)
  })

  test('that is a phrase and uses a variable that does not exist is named', t => {
    throws(
      () => messagesWith(t, { 'phrases/who-calls.md': '{{ caller }}' }),
      /receipt\.md: .*phrases\/who-calls\.md: undefined variable: caller/,
    )
  })

  test('may be the frame around every message', async t => {
    const layout = '<html lang="en"><title>{{ subject }}</title>{{ body | raw }}</html>'
    const messages = messagesWith(t, { 'layouts/mail.html': layout })
    const view = aView(aSiteSubmission({ company: 'A & <B>' }))
    const { html } = await messages.siteInterest(view)
    ok(html.startsWith('<html lang="en"><title>New workplace inquiry: Ana Ruiz, A &amp; &lt;B&gt;</title><h1>'))
  })

  test('written on Windows is read as well', async t => {
    const text = '\ufeff---\r\nsubject: Hello\r\n---\r\nOur own\r\nwords.\r\n'
    const receipt = await messagesWith(t, { [RECEIPT]: text }).receipt(aLetter())
    equal(receipt.text, 'Our own words.\n')
  })

  test('cannot hold HTML, only Markdown', async t => {
    const text = '---\nsubject: x\n---\n<b>one</b> **two**\n\n<div>three</div>\n'
    const { html } = await messagesWith(t, { [RECEIPT]: text }).receipt(aLetter())
    match(html, /&lt;b&gt;one&lt;\/b&gt; <strong>two<\/strong>/)
    match(html, /&lt;div&gt;three/)
  })

  test('cannot fill the memory with a loop', async t => {
    const endless = '---\nsubject: Hello\n---\n{% for i in (1..900000000) %}Hello{% endfor %}\n'
    throws(() => messagesWith(t, { [RECEIPT]: endless }), /letters\/receipt\.md.*memory/s)
  })

  test('cannot show unescaped what visitors wrote', async t => {
    const name = 'notifications/site-interest.md'
    const text = '---\nsubject: x\n---\n{{ company | raw }} {% echo company | raw %}\n'
    const messages = messagesWith(t, { [name]: text })
    const view = aView(aSiteSubmission({ company: '**[x](http://evil.example)**' }))
    const { html } = await messages.siteInterest(view)
    ok(!html.includes('<a '))
    ok(!html.includes('<strong>'))
  })
})

describe('a broken file stops the start, and the error names it', () => {
  const broken = {
    'a tag that is not closed': ['---\nsubject: x\n---\nHi {% if school.phone %}\n', /line:4/],
    'a tag that does not exist': ['---\nsubject: x\n---\n\n{% fi %}\n', /"fi" not found.*line:5/],
    'a filter that does not exist': ['---\nsubject: x\n---\n{{ school.name | shout }}', /shout/],
    'a variable that does not exist': ['---\nsubject: x\n---\nHi {{ person.name }}', /person.*line:4/],
    'a subject with such a variable': ['---\nsubject: "{{ nam }}"\n---\nHi', /nam/],
    'no head': ['Hi there\n', /must begin with a head/],
    'no subject': ['---\npreheader: x\n---\nHi\n', /must name a subject/],
    'a head with something else': ['---\nsubject: x\nto: me\n---\nHi\n', /has "to: me" in its head/],
    'an include of nothing': ["---\nsubject: x\n---\n{% include 'nothing.md' %}\n", /nothing\.md/],
  } as const
  for (const [title, [text, problem]] of Object.entries(broken)) {
    test(title, t => {
      throws(
        () => messagesWith(t, { [RECEIPT]: text }),
        (error: Error) => {
          match(error.message, /^letters\/receipt\.md: /)
          match(error.message, problem)
          return true
        },
      )
    })
  }

  test('a missing one too', t => {
    const folder = aFolder(t)
    throws(
      () => someMessages({ contentDirs: [folder] }),
      (error: Error) => error.message.includes('layouts/mail.html: is missing') && error.message.includes(folder),
    )
  })
})

test('a loop that would keep the service busy for minutes is given up', t => {
  const loop =
    '{% for a in (1..1000) %}{% for b in (1..10000) %}{% if b == 0 %}{{ a }}{% endif %}{% endfor %}{% endfor %}'
  const files = { [RECEIPT]: `---\nsubject: Hello\n---\n${loop}\n` }
  throws(() => messagesWith(t, files), /receipt\.md: template render limit exceeded/)
})
