/** Every email, with each of its samples, as a phone shows it. */
import { deepEqual, ok } from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { someMessages } from './fixtures.ts'

/** As narrow as phones are. */
const WIDTH = 360

test('an email fits a phone', async () => {
  const browser = await startBrowser({ after })
  const context = await browser.newContext({ viewport: { width: WIDTH, height: 740 } })
  const page = await context.newPage()
  await page.route('**', route => (route.request().isNavigationRequest() ? route.continue() : route.abort()))
  const wide: string[] = []
  const all = someMessages().samples()
  for (const { file, renderings } of all)
    for (const { html } of renderings) {
      await page.setContent(html, { waitUntil: 'domcontentloaded' })
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (width > WIDTH) wide.push(`${file} is ${width} pixels wide`)
    }
  ok(all.length > 20)
  deepEqual(wide, [])
  await context.close()
})
