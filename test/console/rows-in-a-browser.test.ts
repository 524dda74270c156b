/** School hours, answers, and the link of a form, in a real browser: what someone changes is there at once. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertAccessible } from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { openEditor } from '../support/editor-page.ts'

const browser = await startBrowser({ after })

test('times and holidays are added and removed in place: scroll, focus and what was typed stay', async t => {
  const { page, errors, said } = await openEditor(t, browser, '/hours', { viewport: { width: 390, height: 844 } })
  await page.evaluate('globalThis.samePage = true')
  const isFocused = (id: string) => page.locator(`#${id}`).evaluate(one => one === one.ownerDocument.activeElement)
  await page.getByLabel('Why (optional, for the list of versions)').fill('A new term')
  await page.getByRole('button', { name: 'Add a time on Friday' }).click()
  await said('Time added on Friday.')
  equal(await isFocused('friday-1-from'), true)
  ok((await page.evaluate<number>('scrollY')) > 100, 'the page has not gone back to its top')
  await page.locator('#holiday-0-name').fill('Founders’ day')
  await page.locator('#holiday-0-date').fill('2026-03-02')
  await page.getByRole('button', { name: 'Add a holiday' }).click()
  await said('Holiday added.')
  equal(await isFocused('holiday-1-name'), true)
  equal(await page.locator('#holiday-0-name').inputValue(), 'Founders’ day')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Remove Founders’ day' }).click()
  await said('Holiday removed.')
  equal(await page.locator('#holiday-0-name').inputValue(), '')
  equal(await page.getByLabel('Why (optional, for the list of versions)').inputValue(), 'A new term')
  equal(await page.evaluate('globalThis.samePage'), true)
  deepEqual(errors, [])
})

test('the second program of a school is where someone goes on after adding it', async t => {
  const { page, errors, said } = await openEditor(t, browser, '/programs')
  await page.locator('#program-0-name-en').fill('Welding')
  await page.getByRole('button', { name: 'Add a program' }).click()
  await said('Program added.')
  equal(await page.locator('#program-1-name-en').evaluate(one => one === one.ownerDocument.activeElement), true)
  deepEqual(errors, [])
})

test('suggested answers appear in place, and nothing else changes', async t => {
  const { page, errors, said } = await openEditor(t, browser, '/answers')
  await page.evaluate('globalThis.samePage = true')
  await page.locator('#timeline-answers-en').fill('Now\nLater')
  await page.getByRole('button', { name: 'Suggest answers for Experience' }).click()
  await said('Answers suggested for Experience.')
  equal(await page.locator('#experience-answers-en').evaluate(one => one === one.ownerDocument.activeElement), true)
  ok((await page.locator('#experience-answers-en').inputValue()).includes('\n'))
  equal(await page.locator('#timeline-answers-en').inputValue(), 'Now\nLater')
  equal(await page.evaluate('globalThis.samePage'), true)
  deepEqual(errors, [])
})

test('what someone chooses changes link, code and lines of a form at once, and without a script with a button', async t => {
  const path = '/forms/embed/student-interest'
  const { page, errors } = await openEditor(t, browser, path)
  await page.evaluate('globalThis.samePage = true')
  await page.getByRole('heading', { name: 'What the link says' }).click()
  const source = page.getByLabel('Source')
  await source.fill('ig')
  await page.locator('#chosen pre', { hasText: '?utm_source=ig' }).first().waitFor()
  await page.getByLabel('Colors').selectOption('dark')
  await page.locator('#chosen pre', { hasText: 'theme="dark"' }).waitFor()
  ok(
    (await page.getByAltText(/^QR code of .*utm_source=ig&theme=dark$/).getAttribute('src'))?.includes('utm_source=ig'),
  )
  await page.locator('#chosen').getByRole('button', { name: 'Copy: The form in an iframe' }).waitFor()
  equal(await source.inputValue(), 'ig')
  equal(await page.evaluate('globalThis.samePage'), true)
  await assertAccessible(page)
  deepEqual(errors, [])

  const plain = await openEditor(t, browser, path, { javaScriptEnabled: false })
  await plain.page.getByRole('heading', { name: 'What the link says' }).click()
  await plain.page.getByLabel('Campaign').fill('spring')
  await plain.page.getByRole('button', { name: 'Show' }).click()
  equal(await plain.page.getByLabel('Campaign').inputValue(), 'spring')
  ok((await plain.page.locator('#chosen').innerText()).includes('?utm_campaign=spring'))
})
