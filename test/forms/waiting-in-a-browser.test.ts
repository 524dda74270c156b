/** Several people at one computer without a connection: what each of them has sent waits for itself. */
import { deepEqual, doesNotMatch, equal } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { fillIn, newPage, openWindow, press, thanks } from './filled-in.ts'
import { startForms } from './site.ts'
import { NAME, twoSteps } from './two-step-form.ts'

const service = await startForms({ after } as TestContext, {})
const { learn, onlySubmissionOf } = service
const manager = await service.client('manager')
equal((await manager.post('/forms/new', twoSteps)).path, `/forms/embed/${NAME}`)
const browser = await startBrowser({ after })

const url = `${learn}/forms/student-interest`
const cut = (route: Route) => (route.request().method() === 'POST' ? route.abort() : route.continue())

/** Sends the form of an open page, whose connection is then cut; returns the address. */
async function sendInVain(page: Page, where = url): Promise<string> {
  await page.route(`${where}*`, cut)
  const email = await fillIn(page)
  await press(page)
  await page.locator('.status:not(:empty)').waitFor()
  return email
}

const isSaid = (page: Page) => page.getByText('An inquiry that waited on this device has been sent.').waitFor()

test('what two people have sent in vain arrives once one of them opens the form again', async t => {
  const { context, page } = await openWindow(t, browser)
  const { page: other } = await newPage(context)
  for (const one of [page, other]) await one.goto(url)
  const emails = [await sendInVain(page), await sendInVain(other)]
  await page.close()
  await other.close()
  const { page: later } = await newPage(context)
  await later.goto(url)
  await isSaid(later)
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
  await isSaid(later)
  await onlySubmissionOf(email)
})

test('a person who opens a form that someone else has left waiting sees nothing of that person', async t => {
  const { context, page } = await openWindow(t, browser)
  await page.goto(url)
  const email = await sendInVain(page)
  await page.close()
  const { page: next, errors } = await newPage(context)
  await next.goto(url)
  await isSaid(next)
  await onlySubmissionOf(email)
  doesNotMatch(await next.content(), /555.0100|ana\.\d|Ruiz/)
  equal(await next.locator('#email').inputValue(), '')
  const own = await fillIn(next)
  await press(next)
  await thanks(next)
  await onlySubmissionOf(own)
  deepEqual(errors, [])
})

test('a first step that waits is sent as a first step, also while the second step of another person is open', async t => {
  const twoStepUrl = `${learn}/forms/${NAME}`
  const { context, page } = await openWindow(t, browser)
  const { page: other } = await newPage(context)
  for (const one of [page, other]) await one.goto(twoStepUrl)
  const email = await sendInVain(page, twoStepUrl)
  await page.close()
  const otherEmail = await fillIn(other)
  await press(other)
  await other.getByRole('heading', { name: 'You are on our list' }).waitFor()
  await isSaid(other)
  for (const one of [email, otherEmail]) equal((await onlySubmissionOf(one)).completes, undefined)
  await other.locator('#message').fill('Is there parking?')
  await other.getByLabel('Night').check()
  await press(other)
  await thanks(other)
  await onlySubmissionOf(email)
})
