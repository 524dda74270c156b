/** Questions that follow from an answer, hidden fields, and what the URL fills in, on a phone of 320 px and in other pages. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible } from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { withClients } from '../support/console.ts'
import { sql } from '../support/engines.ts'
import { codeBelow } from '../support/forms.ts'
import { startPublicApp } from '../support/public-app.ts'
import { conditional, NAME } from './conditional-form.ts'
import { fillIn, openWindow, press, thanks } from './filled-in.ts'
import { startSite } from './site.ts'

const service = withClients(await startPublicApp({ after } as TestContext, { edits: true }))
const manager = await service.client('manager')
const made = await manager.post('/forms/new', conditional)
equal(made.path, `/forms/embed/${NAME}`)
const url = `${service.origin.learn}/forms/${NAME}`
const browser = await startBrowser({ after })
const site = await startSite({ after } as TestContext)
const SMALL = { viewport: { width: 320, height: 640 }, hasTouch: true }

const answersOf = async (email: string) => {
  const rows = await sql(service.database, 'select body, form from submissions')
  const found = rows.filter(({ body }) => JSON.parse(String(body)).email === email)
  equal(found.length, 1)
  return JSON.parse(String(found[0]?.['form'])).answers
}

const answer = (page: Page, name: string, value: string): Promise<void> =>
  page.locator(`[name="${name}"][value="${value}"]`).check()

describe('a form with questions that follow from an answer', () => {
  test('shows them as soon as the answer is there, and sends no answer to what does not follow anymore', async t => {
    const { page, errors } = await openWindow(t, browser, SMALL)
    await page.goto(`${url}?own-q4=partner-42&email=ana@x.example&company=Acme`)
    equal(await page.locator('#email').inputValue(), 'ana@x.example')
    const shift = page.locator('#own-q2')
    const night = page.locator('.own-q3')
    deepEqual([await shift.isVisible(), await night.isVisible()], [false, false])
    await answer(page, 'own-q1', 'Yes')
    await answer(page, 'own-q2', 'Night')
    equal(await night.isVisible(), true)
    equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await assertAccessible(page)
    await page.locator('#own-q3').fill('By bus')
    const email = await fillIn(page)
    await answer(page, 'own-q1', 'No')
    deepEqual([await shift.isVisible(), await night.isVisible()], [false, false])
    await press(page)
    await thanks(page)
    deepEqual(errors, [])
    deepEqual(await answersOf(email), [
      { question: 'Do you work?', answer: 'No' },
      { question: 'Partner', answer: 'partner-42' },
    ])
  })

  test('asks them without scripts on the page that comes back, once, and then takes what is there', async t => {
    const { page } = await openWindow(t, browser, { ...SMALL, javaScriptEnabled: false })
    await page.goto(url)
    const email = await fillIn(page)
    equal(await page.locator('#own-q2').isVisible(), false)
    await answer(page, 'own-q1', 'Yes')
    await press(page)
    match(await page.locator('#own-q2-problem').innerText(), /Because of an answer above/)
    equal(await page.locator('#firstName').inputValue(), 'Ana')
    await answer(page, 'own-q2', 'Night')
    await press(page)
    await page.locator('#own-q3-problem').waitFor()
    await press(page)
    await thanks(page)
    deepEqual(await answersOf(email), [
      { question: 'Do you work?', answer: 'Yes' },
      { question: 'Which shift?', answer: 'Night' },
      { question: 'Partner', answer: 'direct' },
    ])
  })

  test('does the same as an element in another page, whose URL fills in what the form allows', async t => {
    const code = /<script src="http[^<]*<\/script>/.exec(codeBelow(made.text, 'The form'))?.[0] ?? ''
    const where = site.publish('/open-day', `${code}<frontdesk-form kind="student" form="${NAME}"></frontdesk-form>`)
    const { page, errors } = await openWindow(t, browser, SMALL)
    await page.goto(`${where}?own-q4=fair&firstName=Eve&own-q1=Yes&lastName=Secret`)
    await page.locator('#own-q2').waitFor()
    equal(await page.locator('#lastName').inputValue(), '')
    const email = await fillIn(page)
    await answer(page, 'own-q2', 'Day')
    await press(page)
    await thanks(page)
    deepEqual(errors, [])
    deepEqual(await answersOf(email), [
      { question: 'Do you work?', answer: 'Yes' },
      { question: 'Which shift?', answer: 'Day' },
      { question: 'Partner', answer: 'fair' },
    ])
  })
})
