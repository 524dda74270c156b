/** The search in the public pages: a plain page, whose words lead to the sections that have them. */
import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
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

describe('the search', () => {
  test('finds the sections that have each word, in any case, with a link to each and its words', async () => {
    const { response, text } = await search('IDEMPOTENCY retry')
    equal(response.status, 200)
    equal(response.headers.get('x-robots-tag'), 'noindex')
    match(text, /<a href="\/docs\/api#retries">API reference: [^<]*<\/a>/)
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
