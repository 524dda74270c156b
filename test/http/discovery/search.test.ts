/** The search in the public pages: a plain page, whose words lead to the sections that have them. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { highlighted } from '../../../src/content/highlight.ts'
import { startBrowser } from '../../support/browser.ts'
import { readable } from '../../support/forms.ts'
import { startPublicApp } from '../../support/public-app.ts'

const { base } = await startPublicApp({ after } as TestContext)
const search = async (query: string) => {
  const response = await fetch(`${base}/search?q=${encodeURIComponent(query)}`)
  return { response, text: await response.text() }
}

const unmarked = (html: string): string => html.replaceAll(/<\/?mark>/g, '')

describe('the search', () => {
  test('finds the sections that have each word, in any case, with a link to each and its words', async () => {
    const { response, text } = await search('IDEMPOTENCY retry')
    equal(response.status, 200)
    equal(response.headers.get('x-robots-tag'), 'noindex')
    match(unmarked(text), /<a href="\/docs\/api#retries">API reference: [^<]*<\/a>/)
    match(text, /name="q" value="IDEMPOTENCY retry"/)
    const links = Array.from(text.matchAll(/<li><a href="(\/[^"#]*)(?:#([^"]*))?">/g))
    ok(links.length > 1)
    for (const [, path = '', id] of links) {
      const page = await (await fetch(`${base}${path}`)).text()
      ok(id === undefined || page.includes(` id="${id}"`), `${path}#${id}`)
    }
  })

  test('lists a section whose heading has the word first, says when nothing is found, and shows a query as text', async () => {
    match((await search('campaigns')).text, /<ol class="found"><li><a href="\/forms#campaigns">/)
    match(readable((await search('zzzz')).text), /Nothing has zzzz/)
    match(readable((await search('')).text), /Type a word/)
    const { text } = await search('<script>alert(1)</script>"')
    doesNotMatch(text, /<script>alert|value="[^"]*<script/)
  })

  test('counts the sections, marks the words, and shows them as the page does', async () => {
    const { text } = await search('phone')
    const excerpts = Array.from(unmarked(text).matchAll(/<a [^>]*>[^<]*<\/a><p>([^<]*)<\/p>/g), ([, one = '']) => one)
    ok(excerpts.length > 3)
    match(text, new RegExp(`<h1>Search</h1>\n<p>${excerpts.length} sections have <em>phone</em>\\.</p>`))
    match(text, /<p>[^<]*<mark>phone<\/mark>/i)
    for (const excerpt of excerpts) doesNotMatch(excerpt, / [,:;.](?!\w)|^… [^\p{L}\p{N}]/u)
    // Sentences come before code. An excerpt has one line of code.
    const isCode = excerpts.map(excerpt => excerpt.includes('&quot;: &quot;'))
    deepEqual(
      isCode,
      isCode.toSorted((one, other) => Number(one) - Number(other)),
    )
    ok(isCode.includes(true))
    for (const [i, excerpt] of excerpts.entries())
      if (isCode[i]) match(excerpt, /^&quot;phone&quot;: &quot;[^&]*&quot;,?$/)
    match((await search('the')).text, /<p>\d+ sections have <em>the<\/em>\. Here are the best 20\.<\/p>/)
  })

  test('is a field in every page that "/" goes to and Enter sends, without a script, too', async t => {
    const browser = await startBrowser(t)
    for (const javaScriptEnabled of [true, false]) {
      const page = await browser.newPage({ javaScriptEnabled })
      await page.goto(`${base}/developers`)
      if (javaScriptEnabled) await page.keyboard.press('/')
      else await page.locator('#q').focus()
      await page.keyboard.type('webhook retry')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/search\?q=webhook\+retry$/)
      await page.getByRole('heading', { name: 'Search' }).waitFor()
    }
  })
})

test('code is colored, and stays the same text', () => {
  const code = 'const a = "<b>" // it\'s "here"\nreturn a'
  const html = highlighted(code, 'js')
  match(html, /<span class="k">const<\/span> a = <span class="s">"&lt;b&gt;"<\/span>|&quot;&lt;b&gt;&quot;/)
  match(html, /<span class="c">\/\/ it's (?:"|&quot;)here(?:"|&quot;)<\/span>/)
  equal(readable(highlighted('<a href="x">Go</a>', 'html')).replaceAll(' ', ''), '<ahref="x">Go</a>')
  equal(highlighted('a < b', 'text'), 'a &lt; b')
})
