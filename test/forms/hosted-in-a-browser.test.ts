/** The forms on their own page, in a real browser: what the script adds, and what works without it. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { DAY } from '../../src/platform/time.ts'
import { StoreUnavailable } from '../../src/store/acceptance/store-unavailable.ts'
import { assertAccessible } from '../support/accessibility.ts'
import { goOffline, startBrowser } from '../support/browser.ts'
import { fillIn, newEmail, newPage, openWindow, PHONE, press, thanks } from './filled-in.ts'
import { startForms } from './site.ts'

const { learn, app, onlySubmissionOf } = await startForms({ after } as TestContext, {
  school: { name: 'Northside Trade School', phone: '+1 214 555 0100' },
  forms: { student: { consent: { text: { en: 'Call me.', es: 'La escuela puede llamarme.' } } } },
})
const browser = await startBrowser({ after })

/** After it was sent, a step back shows what was typed, and sending it again adds nothing. */
async function assertBackAndAgain(page: Page, email: string): Promise<void> {
  await thanks(page)
  await page.goBack()
  equal(await page.locator('#email').inputValue(), email)
  await press(page)
  await thanks(page)
  await onlySubmissionOf(email)
}

describe('a form on its own page', () => {
  const url = `${learn}/forms/student-interest`
  const ofForm = ({ pathname }: URL) => pathname === '/forms/student-interest'

  test('on a phone without JavaScript, in Spanish, an inquiry arrives with campaign and consent', async t => {
    const { page } = await openWindow(t, browser, { ...PHONE, javaScriptEnabled: false })
    await page.goto(`${url}?lang=es&utm_campaign=spring`)
    await press(page)
    await page.locator('.problems a').first().waitFor()
    match(await page.title(), /^Error: /)
    const email = await fillIn(page)
    await page.getByLabel('La escuela puede llamarme.').check()
    await press(page)
    await thanks(page)
    match(page.url(), /\/forms\/sent\/student-interest/)
    await page.reload()
    const { language, campaign, consent } = await onlySubmissionOf(email)
    deepEqual([language, campaign, consent?.given], ['es', { campaign: 'spring' }, true])
  })

  test('a step back to a form that had problems shows what was typed, without JavaScript, too', async t => {
    const { page } = await openWindow(t, browser, { javaScriptEnabled: false })
    await page.goto(url)
    await press(page)
    await page.locator('.problems').waitFor()
    const email = await fillIn(page)
    await press(page)
    await assertBackAndAgain(page, email)
  })

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without'
    test(`sent by a double click and sent again after a step back counts once, ${how} JavaScript`, async t => {
      const { page } = await openWindow(t, browser, { javaScriptEnabled })
      for (const query of ['', '?lang=en']) {
        await page.goto(`${url}${query}`)
        const email = await fillIn(page)
        await page.locator('form button[part=button]').dblclick()
        await assertBackAndAgain(page, email)
      }
    })
  }

  test('a phone number is written as people read it, and other ways of writing stay', async t => {
    const { page } = await openWindow(t, browser)
    await page.goto(url)
    const phone = page.locator('#phone')
    for (const [typed, shown] of Object.entries({
      '5125550100': '(512) 555-0100',
      '512-555-0100': '512-555-0100',
      '+52 55 5555 0100': '+52 55 5555 0100',
      '15125550100': '15125550100',
      '5125550100 x12': '(512) 555-0100 x12',
    })) {
      await phone.fill('')
      await phone.pressSequentially(typed)
      equal(await phone.inputValue(), shown)
    }
    await phone.fill('')
    await phone.pressSequentially('5125550100')
    for (let i = 0; i < 3; i++) await phone.press('Backspace')
    equal(await phone.inputValue(), '(512) 555-0')
    // As a browser fills it in.
    for (const [filled, shown] of [
      ['5125550142', '(512) 555-0142'],
      ['512.555.0142', '512.555.0142'],
    ] as const) {
      await phone.fill(filled)
      equal(await phone.inputValue(), shown)
    }
  })

  test('a message says how much room it has left once there is little', async t => {
    const { page } = await openWindow(t, browser)
    await page.goto(url)
    const message = page.locator('#message')
    await message.fill('a'.repeat(1299))
    equal(await page.getByText(/characters left/).count(), 0)
    await message.fill('a'.repeat(1300))
    await page.getByText('You have 200 characters left.').waitFor()
    await message.fill('a'.repeat(1501))
    await message.blur()
    await page.getByText('Your message must have at most 1500 characters. It has 1501.').first().waitFor()
    equal(await page.locator('.left').innerText(), '')
  })

  test('one that has to wait says so where the person is, with a number to call', async t => {
    const { page } = await openWindow(t, browser, PHONE)
    await page.goto(url)
    const email = await fillIn(page)
    for (let n = 0; n <= 5; n++) {
      await page.goto(url)
      await fillIn(page)
      await page.locator('#email').fill(email)
      await page.locator('#message').fill(`Question ${n}`)
      await press(page)
      await page.locator('.problems, [data-frontdesk=sent]').first().waitFor()
    }
    const focused = page.locator('.problems:focus')
    await focused.getByText('you do not need to send it again').waitFor()
    equal(await focused.getByRole('link').getAttribute('href'), 'tel:+12145550100')
    match(await page.title(), /^Error: .* – Northside Trade School$/)
  })

  test('while it cannot be stored, a phone shows that it keeps trying', async t => {
    const { page } = await openWindow(t, browser, PHONE)
    await page.goto(url)
    const email = await fillIn(page)
    const accept = t.mock.method(app.store, 'accept', async () => {
      throw new StoreUnavailable('The disk is full')
    })
    await press(page)
    const status = page.getByText('We keep trying')
    await status.waitFor()
    const box = await status.boundingBox()
    ok(box && box.y + box.height < 845, JSON.stringify(box))
    accept.mock.restore()
    await thanks(page)
    await onlySubmissionOf(email)
  })

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without'
    test(`an address that looks wrong is asked about once, and corrected by a tick, ${how} JavaScript`, async t => {
      const { page } = await openWindow(t, browser, { viewport: { width: 320, height: 640 }, javaScriptEnabled })
      await page.goto(url)
      await fillIn(page)
      const name = newEmail().replace('@example.com', '')
      await page.locator('#email').fill(`${name}@gmail.con`)
      await press(page)
      await page.locator('.problems:focus').getByText('Did you mean').waitFor()
      await assertAccessible(page)
      ok((await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)) <= 320)
      await page.getByLabel(`Yes, use ${name}@gmail.com`).check()
      await press(page)
      await thanks(page)
      await onlySubmissionOf(`${name}@gmail.com`)
    })
  }

  for (const [words, question, answer] of [
    ['', 'Did you mean', 'Yes, use'],
    ['?lang=es', '¿Quisiste decir', 'Sí, usar'],
  ] as const) {
    test(`with the script, someone is asked about a typo as they go on, and not again (${question})`, async t => {
      const { page, errors } = await openWindow(t, browser, { viewport: { width: 320, height: 640 } })
      await page.goto(`${url}${words}`)
      await fillIn(page)
      const name = newEmail().replace('@example.com', '')
      const note = page.locator('.meant')
      // The first is corrected by a press, the second is right, the third is typed again.
      for (const [typed, arrives] of [
        [`${name}@gmial.com`, `${name}@gmail.com`],
        [`${name}@gmai.com`, undefined],
        [`${name}@hotmial.com`, `${name}@mail.example`],
      ] as const) {
        if (await page.locator('[data-frontdesk=sent]').count())
          await page.goto(`${url}${words}`).then(() => fillIn(page))
        await page.locator('#email').fill(typed)
        await page.locator('#email').press('Tab')
        await note.getByText(question).waitFor()
        match(String(await page.locator('.unseen').textContent()), new RegExp(question))
        equal(await page.locator('[aria-invalid]').count(), 0)
        await assertAccessible(page)
        if (typed.includes('gmial')) {
          await note.getByRole('button', { name: `${answer} ${arrives}` }).click()
          equal(await page.locator('#email').inputValue(), arrives)
        } else if (arrives !== undefined) await page.locator('#email').fill(arrives)
        if (arrives !== undefined) equal(await note.count(), 0)
        await press(page)
        await thanks(page)
        await onlySubmissionOf(arrives ?? typed)
      }
      deepEqual(errors, [])
    })
  }

  test('with the script, someone is asked about a number that no one has as they go on, and not again', async t => {
    const { page } = await openWindow(t, browser)
    await page.goto(url)
    await fillIn(page)
    const email = newEmail()
    await page.locator('#email').fill(email)
    await page.locator('#phone').fill('0000000000')
    await page.locator('#phone').press('Tab')
    await page.locator('.meant').getByText('Is 0000000000 right?').waitFor()
    equal(await page.locator('.meant button').count(), 0)
    await press(page)
    await thanks(page)
    await onlySubmissionOf(email)
  })

  test('what waited for a connection is sent without a question, since its person may be gone', async t => {
    const { context, page } = await openWindow(t, browser)
    await page.goto(url)
    await fillIn(page)
    const email = newEmail().replace('example.com', 'gmail.con')
    await page.locator('#email').fill(email)
    await goOffline(page)
    await press(page)
    await page.locator('.status:not(:empty)').waitFor()
    await context.setOffline(false)
    await thanks(page)
    await onlySubmissionOf(email)
  })

  test('a draft survives a reload without consent, goes once it is sent, and is not there for the next person', async t => {
    const { context, page } = await openWindow(t, browser)
    await page.goto(url)
    const email = await fillIn(page)
    await page.locator('#message').fill('When do you start?')
    await page.locator('#consent').check()
    const { page: next } = await newPage(context)
    await next.goto(url)
    equal(await next.locator('#email').inputValue(), '')
    equal(await next.evaluate('localStorage.length'), 0)

    await page.reload()
    equal(await page.locator('#message').inputValue(), 'When do you start?')
    equal(await page.locator('#consent').isChecked(), false)
    const kept = String(await page.evaluate('JSON.stringify(sessionStorage)'))
    ok(!/token|consent|subject/.test(kept), kept)
    await press(page)
    await thanks(page)
    equal(await page.evaluate("sessionStorage.getItem('frontdesk:student-interest')"), null)
    await onlySubmissionOf(email)
  })

  test('what waits to be sent is kept for a week, even when its tab is closed', async t => {
    const { context, page } = await openWindow(t, browser)
    await page.goto(url)
    const email = await fillIn(page)
    await goOffline(page)
    await press(page)
    await page.locator('.status:not(:empty)').waitFor()
    // A tab that closes hears from the simulation that it is online, and may send: so what it has kept is opened elsewhere.
    const { page: late } = await openWindow(t, browser, { storageState: await context.storageState() })
    equal((await context.storageState()).origins.length, 1)
    await late.clock.install({ time: Date.now() + 8 * DAY })
    await late.goto(url)
    equal(await late.locator('#email').inputValue(), '')
    equal(await late.evaluate('localStorage.length'), 0)
    await late.close()
    await rejects(onlySubmissionOf(email))
  })

  test('a draft can be thrown away', async t => {
    const { page } = await openWindow(t, browser)
    await page.goto(url)
    await fillIn(page)
    await page.reload()
    await page.locator('.kept button').click()
    equal(await page.locator('#email').inputValue(), '')
    equal(await page.evaluate('localStorage.length'), 0)
  })

  test('without a connection, an inquiry waits, and is sent once when it is back, also after a reload', async t => {
    const { context, page } = await openWindow(t, browser)
    await page.goto(url)
    const email = await fillIn(page)
    await page.locator('#consent').check()
    await goOffline(page)
    await press(page)
    await page.locator('.status:not(:empty)').waitFor()
    await context.setOffline(false)
    await thanks(page)
    await onlySubmissionOf(email)

    await page.goto(url)
    const other = await fillIn(page)
    await page.locator('#consent').check()
    await page.route(ofForm, route => (route.request().method() === 'POST' ? route.abort() : route.continue()))
    await press(page)
    await page.locator('.status:not(:empty)').waitFor()
    await page.unroute(ofForm)
    await page.reload()
    await page.getByText('An inquiry that waited on this device has been sent.').waitFor()
    equal(await page.locator('#email').inputValue(), '')
    equal((await onlySubmissionOf(other)).consent?.given, true)
  })

  test('a response that gets lost on a slow network does not make a second inquiry', async t => {
    const { page } = await openWindow(t, browser)
    await page.clock.install()
    await page.goto(url)
    const email = await fillIn(page)
    let posts = 0
    await page.route(ofForm, async route => {
      if (route.request().method() !== 'POST') return route.continue()
      posts++
      const response = await route.fetch()
      if (posts > 1) return route.fulfill({ response })
      await page.clock.runFor(6000)
      match(String(await page.locator('.status').textContent()), /longer/)
      await route.abort()
    })
    await press(page)
    await page.getByText(/offline|connection/).waitFor()
    await page.clock.runFor(3000)
    await thanks(page)
    equal(posts, 2)
    await onlySubmissionOf(email)
  })

  test('by keyboard alone, someone fills it in and sends it, and never meets the trap', async t => {
    const { page } = await openWindow(t, browser)
    await page.goto(url)
    const email = newEmail()
    const answers: Record<string, string> = { firstName: 'Ana', lastName: 'Ruiz', email, phone: '5125550100' }
    const met: string[] = []
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab')
      const name = String(await page.evaluate('document.activeElement.name ?? ""'))
      met.push(name)
      if (answers[name]) await page.keyboard.type(answers[name])
      if (name === 'phone') break
    }
    ok(!met.includes('subject'))
    await page.keyboard.press('Enter')
    await thanks(page)
    await onlySubmissionOf(email)
  })

  test('is smaller than 30 kB with everything that it loads', async t => {
    const { context, page } = await openWindow(t, browser)
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    let bytes = 0
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await page.goto(url, { waitUntil: 'networkidle' })
    ok(bytes > 3000 && bytes < 30_000, `${bytes} bytes`)
  })
})
