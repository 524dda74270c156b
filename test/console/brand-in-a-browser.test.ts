/** Name and look, in a real browser. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertAccessible } from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { openEditor } from '../support/editor-page.ts'

const browser = await startBrowser({ after })

const PHONE = { viewport: { width: 390, height: 844 } }

test('on a phone, a link leads to the preview far below, and another back to the fields', async t => {
  const { page, errors } = await openEditor(t, browser, '/brand', PHONE)
  const scroll = () => page.evaluate<number>('scrollY')
  const preview = page.getByRole('link', { name: 'Preview' })
  const place = await preview.boundingBox()
  ok(place && place.y < 400, 'it is in sight when the page opens')
  await preview.click()
  ok((await scroll()) > 500)
  await page.getByRole('link', { name: 'Back to the fields' }).click()
  ok((await scroll()) < 300)
  await page.setViewportSize({ width: 1280, height: 900 })
  equal(await preview.isVisible(), false, 'beside it, the preview is in sight')
  deepEqual(errors, [])
})

test('a summary names every field in which something is wrong, and leads to it', async t => {
  const { page, errors } = await openEditor(t, browser, '/brand', PHONE)
  await page.getByLabel('Name', { exact: true }).fill('')
  await page.getByText('Logo by URL').click()
  await page.getByLabel('URL of the logo (optional)').fill('http://images.example/logo.png')
  await page.getByRole('button', { name: 'Save', exact: true }).last().click()
  const summary = page.getByRole('alert')
  await summary.getByRole('heading', { name: 'There is a problem' }).waitFor()
  equal(await summary.evaluate(one => one === one.ownerDocument.activeElement), true, 'a screen reader begins there')
  deepEqual(await summary.getByRole('link').evaluateAll(all => all.map(one => one.getAttribute('href'))), [
    '#name',
    '#logo',
  ])
  const logo = page.getByLabel('URL of the logo (optional)')
  await summary.getByRole('link', { name: 'URL of the logo must be' }).click()
  equal(await logo.evaluate(one => one === one.ownerDocument.activeElement), true)
  equal(await logo.inputValue(), 'http://images.example/logo.png', 'what was typed is still there')
  await assertAccessible(page)
  deepEqual(errors, [])
})
