/** Forms in two steps in a real browser: on their own page, as an element and in an iframe, with and without scripts. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { FrameLocator, Page } from 'playwright-core'
import { assertAccessible } from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { sql } from '../support/engines.ts'
import { fillIn, openWindow, PHONE, press, thanks } from './filled-in.ts'
import { startForms, startSite } from './site.ts'
import { NAME, twoSteps } from './two-step-form.ts'

const service = await startForms({ after } as TestContext, { languages: ['en', 'es'] })
const { learn } = service
const site = await startSite({ after } as TestContext)
const browser = await startBrowser({ after })
const manager = await service.client('manager')
equal((await manager.post('/forms/new', twoSteps)).path, `/forms/embed/${NAME}`)
const url = `${learn}/forms/${NAME}`

const onList = (page: Page | FrameLocator) => page.getByRole('heading', { name: 'You are on our list' }).waitFor()

async function answerRest(page: Page | FrameLocator) {
  await page.locator('#message').fill('Is there parking?')
  await page.getByLabel('Night').check()
  await press(page)
  await thanks(page)
}

/** What was stored of a person, oldest first: whether it completes the one before. */
async function stored(email: string) {
  const rows = await sql(service.database, 'select body, form from submissions order by id')
  return rows
    .filter(({ body }) => JSON.parse(String(body)).email === email)
    .map(({ body, form }) => [JSON.parse(String(form)).completes !== undefined, JSON.parse(String(body)).message])
}

const BOTH = [
  [false, undefined],
  [true, 'Is there parking?'],
]

test('on its own page, both steps fit a phone, Back goes on where it was, and a reload sends nothing again', async t => {
  const { page, errors } = await openWindow(t, browser, { ...PHONE, viewport: { width: 320, height: 640 } })
  await page.goto(url)
  const email = await fillIn(page)
  await press(page)
  await onList(page)
  await assertAccessible(page)
  equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
  await page.reload()
  await onList(page)
  await page.goBack()
  await page.locator('#firstName').waitFor()
  equal(await page.locator('#firstName').inputValue(), 'Ana')
  // The same words count once, and lead to the rest again.
  await press(page)
  await onList(page)
  await answerRest(page)
  await page.reload()
  await thanks(page)
  deepEqual(await stored(email), BOTH)
  deepEqual(errors, [])
})

test('without scripts, both steps are stored, and someone with nothing to add is thanked', async t => {
  const { page } = await openWindow(t, browser, { ...PHONE, javaScriptEnabled: false })
  await page.goto(`${url}?lang=es`)
  const email = await fillIn(page)
  await press(page)
  await page.getByRole('heading', { name: 'Ya estás en nuestra lista' }).waitFor()
  await page.getByRole('link', { name: 'No tengo nada que agregar' }).click()
  await thanks(page)
  await page.goBack()
  await answerRest(page)
  deepEqual(await stored(email), BOTH)
})

test('as an element, the page is told once that an inquiry was sent, and stays where it is', async t => {
  const { page, errors } = await openWindow(t, browser)
  await page.addInitScript("globalThis.sent = []; addEventListener('frontdesk-sent', event => sent.push(event.detail))")
  const where = site.publish(
    '/two-steps',
    `<script src="${learn}/forms/form.js" async></script><frontdesk-form kind="student" form="${NAME}"></frontdesk-form>`,
  )
  await page.goto(where)
  const email = await fillIn(page)
  await press(page)
  await onList(page)
  deepEqual(await page.evaluate('sent'), [{ kind: 'student' }])
  await answerRest(page)
  equal(page.url(), where)
  deepEqual(await page.evaluate('sent'), [{ kind: 'student' }])
  deepEqual(await stored(email), BOTH)
  deepEqual(errors, [])
})

test('in the element, someone with nothing to add is thanked in place', async t => {
  const { page } = await openWindow(t, browser)
  const where = site.publish(
    '/leave',
    `<script src="${learn}/forms/form.js" async></script><frontdesk-form kind="student" form="${NAME}"></frontdesk-form>`,
  )
  await page.goto(where)
  await fillIn(page)
  await press(page)
  await onList(page)
  await page.getByRole('link', { name: 'I have nothing to add' }).click()
  await thanks(page)
  equal(page.url(), where)
})

for (const javaScriptEnabled of [true, false]) {
  test(`${javaScriptEnabled ? 'with' : 'without'} scripts, the thanks after the second step say which number was given, also after an error`, async t => {
    const { page } = await openWindow(t, browser, { ...PHONE, javaScriptEnabled })
    await page.goto(`${url}?lang=es`)
    const email = await fillIn(page)
    await press(page)
    await page.locator('#message').fill('¿Hay estacionamiento?')
    await press(page)
    await page.locator('[role=alert], .problem').first().waitFor()
    await page.getByLabel('Night').check()
    await press(page)
    await thanks(page)
    const text = await page.locator('[data-frontdesk=sent]').innerText()
    match(text, /512.*555.0100/)
    match(text, new RegExp(email))
    equal(await page.locator('[name=time]').count(), 0)
  })

  test(`${javaScriptEnabled ? 'with' : 'without'} scripts, a tablet for many people asks in one step, and the thanks say nothing of the person`, async t => {
    const { page } = await openWindow(t, browser, { ...PHONE, javaScriptEnabled })
    await page.goto(`${url}?kiosk`)
    const email = await fillIn(page)
    await page.locator('#message').fill('Is there parking?')
    await page.getByLabel('Night').check()
    await press(page)
    await thanks(page)
    doesNotMatch(await page.content(), /555.0100|ana\.\d|name="(?:sent|time)"/)
    await page.getByRole('link', { name: 'Next person' }).click()
    await page.locator('#email').waitFor()
    equal(await page.locator('#email').inputValue(), '')
    deepEqual(await stored(email), [[false, 'Is there parking?']])
  })

  test(`in an iframe ${javaScriptEnabled ? 'with' : 'without'} scripts, both steps stay in the frame`, async t => {
    const { page } = await openWindow(t, browser, { javaScriptEnabled })
    const where = site.publish(
      `/frame-${javaScriptEnabled}`,
      `<iframe src="${url}?embed=iframe" title="Form" width="100%" height="1600"></iframe>`,
    )
    await page.goto(where)
    const frame = page.frameLocator('iframe')
    const email = await fillIn(frame)
    await press(frame)
    await onList(frame)
    await answerRest(frame)
    equal(page.url(), where)
    deepEqual(await stored(email), BOTH)
  })
}

test('without a connection, the rest is sent once it is back, also after the page was closed', async t => {
  const { context, page } = await openWindow(t, browser)
  await page.goto(url)
  const email = await fillIn(page)
  await press(page)
  await onList(page)
  await context.setOffline(true)
  await page.locator('#message').fill('Is there parking?')
  await page.getByLabel('Night').check()
  await press(page)
  await page.getByText('We could not send this yet').waitFor()
  await page.close()
  await context.setOffline(false)
  const again = await context.newPage()
  await again.goto(url)
  await again.getByText('An inquiry that waited on this device has been sent.').waitFor()
  equal(await again.locator('#email').inputValue(), '')
  deepEqual(await stored(email), BOTH)
})

test('a draft of the rest is there again on the page of the rest', async t => {
  const { page } = await openWindow(t, browser)
  await page.goto(url)
  await fillIn(page)
  await press(page)
  await onList(page)
  await page.locator('#message').fill('Is there')
  const rest = page.url()
  await page.goto('about:blank')
  await page.goto(rest)
  await page.getByText('We kept what you typed').waitFor()
  equal(await page.locator('#message').inputValue(), 'Is there')
  match(rest, /rest=/)
})
