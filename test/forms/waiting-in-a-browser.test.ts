/** Several people at one computer without a connection: what each of them has sent waits for itself. */
import { equal } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { fillIn, newPage, openWindow, press, thanks } from './filled-in.ts'
import { startForms } from './site.ts'

const { learn, onlySubmissionOf } = await startForms({ after } as TestContext, {})
const browser = await startBrowser({ after })

const url = `${learn}/forms/student-interest`
const cut = (route: Route) => (route.request().method() === 'POST' ? route.abort() : route.continue())

/** Sends the form of an open page, whose connection is then cut; returns the address. */
async function sendInVain(page: Page): Promise<string> {
  await page.route(`${url}*`, cut)
  const email = await fillIn(page)
  await press(page)
  await page.locator('.status:not(:empty)').waitFor()
  return email
}

test('what two people have sent in vain arrives once one of them opens the form again', async t => {
  const { context, page } = await openWindow(t, browser)
  const { page: other } = await newPage(context)
  for (const one of [page, other]) await one.goto(url)
  const emails = [await sendInVain(page), await sendInVain(other)]
  await page.close()
  await other.close()
  const { page: later } = await newPage(context)
  await later.goto(url)
  await thanks(later)
  for (const email of emails) await onlySubmissionOf(email)
  equal(await later.evaluate('localStorage.length'), 0)
})

test('what one person has sent in vain still waits after another person has sent the same form', async t => {
  const { context, page } = await openWindow(t, browser)
  const { page: other } = await newPage(context)
  for (const one of [page, other]) await one.goto(url)
  const email = await sendInVain(page)
  const otherEmail = await fillIn(other)
  await press(other)
  await thanks(other)
  await onlySubmissionOf(otherEmail)
  await page.close()
  const { page: later } = await newPage(context)
  await later.goto(url)
  await thanks(later)
  await onlySubmissionOf(email)
})
