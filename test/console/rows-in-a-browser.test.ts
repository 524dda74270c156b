/** School hours and answers, in a real browser: their rows change in place. */
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
  await page.getByLabel('Why (for the list of versions)').fill('A new term')
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
  equal(await page.getByLabel('Why (for the list of versions)').inputValue(), 'A new term')
  equal(await page.evaluate('globalThis.samePage'), true)
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
