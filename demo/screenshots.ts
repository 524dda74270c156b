/** `npm run screenshots`: takes the pictures of the README from the demo. */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startBrowser } from '../test/support/browser.ts'
import { startDemo } from '../test/support/demo.ts'

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url))
mkdirSync(folder, { recursive: true })

const ends: (() => Promise<void>)[] = []
try {
  const demo = await startDemo()
  ends.push(demo.stop)
  const browser = await startBrowser({ after: end => ends.push(end) })
  const page = await browser.newPage({ viewport: { width: 1440, height: 720 } })
  await page.goto(demo.link)
  await page.screenshot({ path: `${folder}inbox.png` })
  await page.goto(new URL('/inbox?stage=any&q=marble+falls', page.url()).href)
  const href = await page.locator('.lead-link').first().getAttribute('href')
  await page.goto(new URL(href ?? '', page.url()).href)
  await page.screenshot({ path: `${folder}lead.png` })
} finally {
  for (const end of ends.reverse()) await end()
}
