/** A form on the tablet of an open day: people fill it in one after the other, also without a connection. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { MINUTE } from '../../src/platform/time.ts'
import { assertAccessible } from '../support/accessibility.ts'
import { goOffline, startBrowser } from '../support/browser.ts'
import { sql } from '../support/engines.ts'
import { fillIn, openWindow, PHONE, press, thanks } from './filled-in.ts'
import { startForms } from './site.ts'

const service = await startForms({ after } as TestContext, {
  forms: { student: { sentUrl: 'http://localhost:9/thanks', consent: { text: 'The school may call me.' } } },
})
const { learn, onlySubmissionOf } = service
const browser = await startBrowser({ after })
const url = `${learn}/forms/student-interest?kiosk&utm_source=open-day`

describe('a form in a kiosk', () => {
  test('is empty again for the next person after thanks, knows nothing of the last one, and keeps the campaign', async t => {
    const { page, errors } = await openWindow(t, browser, PHONE)
    await page.clock.install()
    await page.goto(url)
    const first = await fillIn(page)
    await press(page)
    await thanks(page)
    await assertAccessible(page)
    await page.clock.runFor(21_000)
    await page.locator('#email').waitFor()
    equal(await page.locator('#email').inputValue(), '')
    match(await page.title(), /^Ask about our programs/)
    const second = await fillIn(page)
    await press(page)
    await thanks(page)
    await page.getByRole('link', { name: 'Next person' }).click()
    await page.locator('#email').waitFor()
    equal(await page.locator('#firstName').inputValue(), '')
    for (const email of [first, second]) equal((await onlySubmissionOf(email)).campaign?.source, 'open-day')
    equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0)
    deepEqual(errors, [])
  })

  test('forgets what someone has typed who walks away', async t => {
    const { page } = await openWindow(t, browser)
    await page.clock.install()
    await page.goto(url)
    await fillIn(page)
    await page.clock.runFor(3 * MINUTE + 1000)
    equal(await page.locator('#email').inputValue(), '')
    await page.reload()
    equal(await page.locator('#email').inputValue(), '')
  })

  test('without a connection, ten people write one after the other, and each inquiry arrives once it is back', async t => {
    const { context, page } = await openWindow(t, browser)
    await page.goto(url)
    await goOffline(page)
    const emails: string[] = []
    for (let i = 1; i <= 10; i++) {
      emails.push(await fillIn(page))
      await page.locator('#consent').check()
      await press(page)
      await page.locator('.kept:focus').waitFor()
      equal(await page.locator('#email').inputValue(), '')
      match(String(await page.locator('.status').textContent()), new RegExp(`: ${i}$`))
    }
    await context.setOffline(false)
    await page.locator('.status:empty').waitFor({ state: 'attached' })
    for (const email of emails) equal((await onlySubmissionOf(email)).consent?.given, true)
  })

  test('keeps an inquiry that comes too fast for its address, and sends it a minute later', async t => {
    const { page } = await openWindow(t, browser)
    await page.clock.install()
    await page.goto(url)
    let rejected = 0
    await page.route(/&post$/, async route => {
      if (rejected++ > 0) return route.continue()
      const response = await route.fetch({ method: 'GET', url: url.replace('?', '?x&') })
      await route.fulfill({ response, status: 429 })
    })
    const email = await fillIn(page)
    await press(page)
    await page.locator('.kept').waitFor()
    equal(
      (await sql(service.database, 'select body from submissions')).some(({ body }) => String(body).includes(email)),
      false,
    )
    await page.clock.runFor(MINUTE + 1000)
    await page.locator('.status:empty').waitFor({ state: 'attached' })
    await onlySubmissionOf(email)
  })

  test('does without JavaScript: the thanks lead back by a press, and no browser keeps or offers what was typed', async t => {
    const { page } = await openWindow(t, browser, { javaScriptEnabled: false })
    const shown = await page.goto(url)
    equal(shown?.headers()['cache-control'], 'no-store')
    doesNotMatch((await shown?.text()) ?? '', /autocomplete="(?!off)/)
    await fillIn(page)
    await press(page)
    await thanks(page)
    await page.getByRole('link', { name: 'Next person' }).click()
    equal(await page.locator('#email').inputValue(), '')
  })
})
