import { deepEqual, doesNotMatch, equal, match, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buttonsAsTables, inlineStyles } from '../../src/content/mail-html.ts'
import { messageHtml } from '../../src/content/message-markdown.ts'
import { plainText } from '../../src/content/plain-text.ts'
import { aSettings, aStudentSubmission, aView, hers, someMessages } from '../mail/fixtures.ts'

const inlined = (css: string, body: string): string =>
  inlineStyles(`<style data-inline>${css}</style><body>${body}</body>`).replace(/^<body>|<\/body>$/g, '')

describe('rules are written into the elements', () => {
  test('that match a tag, a class, or a place inside others', () => {
    const css = 'p { margin: 0 } .small { color: gray; } .facts td { padding: 8px }'
    const body = '<p class="small">a</p><td>b</td><table class="facts"><tr><td>c</td></tr></table><td>d</td>'
    equal(
      inlined(css, body),
      '<p class="small" style="margin: 0; color: gray">a</p><td>b</td>' +
        '<table class="facts"><tr><td style="padding: 8px">c</td></tr></table><td>d</td>',
    )
  })

  test('and the more exact rule wins, then the later one, then the style of the element', () => {
    const css = '.a { color: red } p { color: blue; margin: 0 } p { margin: 1px }'
    equal(inlined(css, '<p class="a">x</p>'), '<p class="a" style="margin: 1px; color: red">x</p>')
    equal(inlined(css, '<p style="margin: 2px">x</p>'), '<p style="color: blue; margin: 2px">x</p>')
  })

  test('and a background of a cell becomes an attribute, for Outlook', () => {
    equal(
      inlined('td { background: #0a6070 }', '<td>x</td>'),
      '<td bgcolor="#0a6070" style="background: #0a6070">x</td>',
    )
  })

  test('but not into comments and text', () => {
    const body = '<!--[if mso]><p><![endif]-->1 < 2 &lt;p&gt;<br>'
    equal(inlined('p { margin: 0 }', body), body)
  })

  test('and a selector that cannot be written into elements is an error', () => {
    throws(() => inlined('a[href] { color: red }', ''), /"a\[href\]" cannot be inlined/)
  })
})

test('a URL may be broken after each of its parts and not within a word, and the plain text has it whole', () => {
  const url = 'https://www.school.example/programs/welding?utm_source=ig&utm_campaign=fall-2026'
  const html = messageHtml(`| | |\n|---|---|\n| Page | ${url.replaceAll(/[^\w/]/g, '\\$&')} |\n\nSee <${url}>, too.`)
  const broken =
    'https://<wbr>www.school.example/<wbr>programs/<wbr>welding?<wbr>utm_source=<wbr>ig&amp;<wbr>utm_campaign=<wbr>fall-<wbr>2026'
  equal(html.split(broken).length, 3)
  match(html, new RegExp(`href="${url.replaceAll('&', '&amp;').replace('?', '\\?')}"`))
  const text = plainText(html)
  equal(text.split(url).length, 3)
  doesNotMatch(text, /<https/)
})

test('buttons are tables: a bold one fills its row, two others share one', () => {
  const html = buttonsAsTables(messageHtml('**[A](/a)**\n\n[B](/b)\n\n[C](/c)\n\n[D](/d)\n\ntext'))
  const rows = Array.from(html.matchAll(/<table class="([^"]*)".*?<\/table>/g), ([row, name]) => [
    name,
    row.match(/class="button"/g)?.length,
  ])
  deepEqual(rows, [
    ['buttons primary', 1],
    ['buttons', 2],
    ['buttons', 1],
  ])
  match(html, /<p>text<\/p>/)
})

describe('a message without any <style>', () => {
  const settings = aSettings({ school: { brand: { color: '#1e3a8a' } } })
  const render = async () => {
    const body = { timeline: { rank: 1, text: '1 - Now' } }
    const { html } = await someMessages({ settings }).studentInterest(hers(aStudentSubmission(body)))
    return html.replace(/<style.*?<\/style>/gs, '')
  }

  test('keeps its button, headings, tables and small print', async () => {
    const html = await render()
    const styleOf = (start: RegExp) => new RegExp(`${start.source}[^>]*style="([^"]*)"`).exec(html)?.[1] ?? ''
    match(html, /<td class="button" bgcolor="#1e3a8a"/)
    match(styleOf(/<a href="tel:/), /display: block;.*color: #ffffff;.*padding: 14px 8px/)
    match(styleOf(/<h1/), /font-size: 26px/)
    match(styleOf(/<th/), /text-align: left;.*font-weight: 400/)
    match(styleOf(/<p class="small"/), /color: #56616f; font-size: 14px/)
    match(styleOf(/<a href="mailto:/), /color: #1e3a8a/)
  })

  test('keeps targets of at least 44 pixels, 12 pixels apart', async () => {
    const html = await render()
    const [, link = ''] = /<a href="[^"]*attempted[^>]*style="([^"]*)"/.exec(html) ?? []
    const [height = 0, padding = 0] = [/line-height: (\d+)px/, /padding: (\d+)px/].map(size =>
      Number(size.exec(link)?.[1]),
    )
    ok(height + 2 * padding >= 44)
    match(html, /<td class="gap" width="12"/)
  })
})

test('the rules that mail programs may not know stand in a style of their own, with dark mode', async () => {
  const { html } = await someMessages().studentInterest(aView(aStudentSubmission()))
  const styles = html.match(/<style/g) ?? []
  equal(styles.length, 1)
  match(html, /@media \(prefers-color-scheme: dark\)/)
  doesNotMatch(html, /data-inline/)
})
