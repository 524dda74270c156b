/** The editor of a form in a real browser: its rows change in place, and its preview follows. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { assertAccessible } from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { openEditor } from '../support/editor-page.ts'

const browser = await startBrowser({ after })

const PATH = '/forms/edit/student-interest'

const openForm = (t: TestContext, options: BrowserContextOptions = {}) => openEditor(t, browser, PATH, options)

const orderIn = (text: string): string[] => [...text.matchAll(/id="ask-(\w+)"/g)].map(([, name = '']) => name)

test('a question moves, is added and removed in place: scroll, unfolded parts, preview, focus and what was typed stay', async t => {
  const { page, errors, said, asOf } = await openForm(t)
  await page.evaluate('globalThis.samePage = true')
  await page.getByLabel('Title (English)').fill('Ask about welding')
  await page.getByText('How it asks them').click()
  await page.getByLabel('Dark', { exact: true }).check()
  await page.getByLabel('Message', { exact: true }).first().selectOption('required')
  const order = () => page.locator('.questions select').evaluateAll(all => all.map(one => one.id.replace('ask-', '')))
  const before = await order()
  const up = page.getByRole('button', { name: 'Move up Message' })
  await up.scrollIntoViewIfNeeded()
  const scroll = () => page.evaluate<number>('scrollY')
  const at = await scroll()
  ok(at > 100, `${at} pixels down`)
  const place = before.indexOf('message')
  for (const step of [1, 2]) {
    const answered = page.waitForResponse(
      response => response.request().method() === 'POST' && response.url().endsWith(PATH),
    )
    await page.keyboard.press('Tab')
    await up.focus()
    await page.keyboard.press('Enter')
    await answered
    await page.locator(`.questions li:nth-child(${place - step + 1}) #ask-message`).waitFor()
    equal(await up.evaluate(one => one === one.ownerDocument.activeElement), true)
  }
  await said('Message moved up.')
  equal(await page.evaluate('globalThis.samePage'), true)
  equal(await page.getByText('Where you leave a field empty, the form asks').isVisible(), true, 'it is still unfolded')
  equal(await page.getByLabel('Dark', { exact: true }).isChecked(), true)
  ok(Math.abs((await scroll()) - at) < 150, `${await scroll()} pixels down instead of ${at}`)
  equal(await page.getByLabel('Title (English)').inputValue(), 'Ask about welding')

  await page.getByRole('button', { name: 'Add a question' }).click()
  await said('Question added.')
  const question = page.getByLabel('Question (English)')
  equal(await question.evaluate(one => one === one.ownerDocument.activeElement), true)
  await page.keyboard.type('Do you have a GED?')
  await page.getByRole('button', { name: 'Add “Best time to call”' }).click()
  await page.getByRole('button', { name: 'Move up question 2' }).click()
  await said('Question 2 moved up.')
  deepEqual(await question.evaluateAll(all => all.map(one => (one as unknown as { value: string }).value)), [
    'Best time to call',
    'Do you have a GED?',
  ])
  await page.getByRole('button', { name: 'Remove question 1' }).click()
  await said('Question 1 removed.')
  equal(await question.inputValue(), 'Do you have a GED?')
  await assertAccessible(page)
  equal(await page.evaluate('globalThis.samePage'), true)
  deepEqual(errors, [])

  await page.getByRole('button', { name: 'Save', exact: true }).last().click()
  // The page also says it to screen readers.
  await page.locator('#main').getByText('Ask about welding is changed.').waitFor()
  const { text } = await asOf()
  deepEqual(orderIn(text).indexOf('message'), place - 2)
  ok(text.includes('value="Do you have a GED?"') && !text.includes('value="Best time to call"'))
})

test('the URL of a new form follows its title until someone edits it', async t => {
  const { page, errors, said } = await openEditor(t, browser, '/forms/new?kind=student')
  const [title, url] = [page.getByLabel('Title (English)'), page.getByLabel('URL of the form')]
  await title.pressSequentially('Flebotomía – Austin ')
  equal(await url.inputValue(), 'flebotomia-austin')
  await page.getByRole('button', { name: 'Add a question' }).click()
  await said('Question added.')
  await title.fill('Phlebotomy in Austin, evenings and weekends')
  equal(await url.inputValue(), 'phlebotomy-in-austin-evenings-and-we')
  await url.fill('evenings')
  await title.fill('Phlebotomy')
  equal(await url.inputValue(), 'evenings')
  await url.fill('')
  await title.fill('Phlebotomy, evenings')
  equal(await url.inputValue(), 'phlebotomy-evenings')
  await assertAccessible(page)
  deepEqual(errors, [])
})

test('without a script, or where the service cannot be reached, nothing that was typed is lost', async t => {
  const { page } = await openForm(t, { javaScriptEnabled: false })
  await page.getByLabel('Title (English)').fill('Ask about welding')
  await page.getByRole('button', { name: 'Add a question' }).click()
  equal(await page.getByLabel('Title (English)').inputValue(), 'Ask about welding')
  equal(new URL(page.url()).hash, '#own-0', 'the new question is in sight')
  await page.getByRole('button', { name: 'Remove question 1' }).click()
  equal(await page.getByLabel('Question (English)').count(), 0)

  const other = await openForm(t)
  await other.page.route(`**${PATH}`, route => route.abort())
  const move = other.page.getByRole('button', { name: /^Move up/ }).last()
  await move.click()
  await other.page.getByText('the service cannot be reached').waitFor()
  await other.page.unroute(`**${PATH}`)
  await move.click()
  await other.said('moved up.')
})

test('the preview shows the question that someone is at, and the page after sending while they write it', async t => {
  const { page, errors, preview } = await openForm(t)
  await preview.locator('#email').waitFor()
  await page.getByLabel('Message', { exact: true }).first().focus()
  const frame = await page.locator('.preview iframe').boundingBox()
  const label = await preview.locator('[data-at] label[for=message]').boundingBox()
  ok(frame && label && label.y > frame.y && label.y + label.height < frame.y + frame.height, 'with its label')
  await page.getByRole('heading', { name: 'After sending' }).click()
  const thanks = page.getByLabel('Thanks (English)')
  await thanks.focus()
  await preview.getByRole('heading', { name: 'Thank you' }).waitFor()
  equal(await page.getByLabel('Thanks', { exact: true }).isChecked(), true)
  await thanks.fill('Come and see us on Friday.')
  await preview.getByText('Come and see us on Friday.').waitFor()
  await page.getByLabel('Title (English)').focus()
  await preview.locator('#email').waitFor()
  deepEqual(errors, [])
})

test('every preview has the same switches, which also follow the arrow keys', async t => {
  const { page, errors } = await openEditor(t, browser, '/cadence?kind=student')
  const step = page.locator('details.preview', { hasText: 'after 1 day' })
  await step.locator('summary').click()
  const letter = step.frameLocator('iframe')
  const isIn = (mode: string) =>
    letter.locator(`meta[name="color-scheme"][content="${mode}"]`).waitFor({ state: 'attached' })
  await isIn('light')
  await step.getByLabel('Light').focus()
  await page.keyboard.press('ArrowRight')
  await isIn('dark')
  await step.getByLabel('Spanish').check()
  await letter.locator('html[lang="es"]').waitFor()
  await isIn('dark')
  await assertAccessible(page)
  const width = async () => (await step.locator('iframe').evaluate(frame => Object(frame).offsetWidth)) as number
  const phone = await width()
  await step.getByLabel('Desktop').check()
  ok((await width()) > 1.5 * phone, `${await width()} px instead of ${phone}`)
  deepEqual(errors, [])

  const email = await openEditor(t, browser, '/emails/edit?file=letters/day-1.md&language=en')
  const shown = email.page.frameLocator('iframe[name="preview"]')
  await shown.getByText('ana@mercy.example').waitFor()
  await email.page.getByLabel('Dark', { exact: true }).check()
  await shown.locator('meta[name="color-scheme"][content="dark"]').waitFor({ state: 'attached' })
  await email.page.getByLabel('Email', { exact: true }).focus()
  await email.page.keyboard.press('ArrowRight')
  await shown.locator('p[style*="pre-wrap"]').waitFor()
  await shown.locator('meta[name="color-scheme"][content="dark"]').waitFor({ state: 'attached' })
  await assertAccessible(email.page)
  deepEqual(email.errors, [])
})
