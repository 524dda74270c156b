/** The forms as people use them: in a real browser, on their own page, and in the page of another site. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import type { BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core'
import type { FormDetails } from '../../src/leads/form-details.ts'
import { DAY } from '../../src/platform/time.ts'
import { assertAccessible } from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { startForms, startSite } from './site.ts'

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true }
const CONSENT = 'The school may call me.'

const service = await startForms({ after } as TestContext, {
  forms: {
    student: { consent: { text: { en: CONSENT, es: 'La escuela puede llamarme.' } } },
    site: { sentUrl: 'http://localhost:9/thanks' },
  },
})
const { learn, snippet, stored } = service
const site = await startSite({ after } as TestContext)
const browser = await startBrowser({ after })
const element = snippet('For students', '<frontdesk-form')

/** A window, whose pages must not report errors, such as what a policy forbids. */
async function open(t: TestContext, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  t.after(() => context.close())
  return { context, ...(await newPage(context)) }
}

async function newPage(context: BrowserContext) {
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error' && !/ERR_|status of 400/.test(message.text())) {
      errors.push(message.text())
    }
  })
  return { page, errors }
}

let people = 0

/** Fills in what a student must, and returns the email address. */
async function fillIn(page: Page): Promise<string> {
  const email = `ana.${++people}@example.com`
  await page.locator('#firstName').fill('Ana')
  await page.locator('#lastName').fill('Ruiz')
  await page.locator('#email').fill(email)
  await page.locator('#phone').fill('512 555 0100')
  return email
}

const press = (page: Page) => page.locator('form button[part=button]').click()
const thanks = (page: Page) => page.locator('[data-frontdesk=sent]').waitFor()

/** The only submission of an email address. */
async function onlyOneOf(email: string): Promise<FormDetails> {
  const [form, ...others] = await stored(email)
  deepEqual([form === undefined, others], [false, []])
  return form as FormDetails
}

describe('on a static page of another site, pasted from /forms', () => {
  test('under a strict policy, an inquiry arrives with its campaign, page and consent, and shows up in the inbox', async t => {
    const policy = /\| An element \| `([^`]+)` \|/.exec(service.text)?.[1]
    const url = site.publish('/strict', element, {
      'Content-Security-Policy': `default-src 'none'; ${policy}; require-trusted-types-for 'script'; trusted-types 'none'`,
    })
    const { page, errors } = await open(t)
    await page.addInitScript(
      "globalThis.sent = []; addEventListener('frontdesk-sent', event => sent.push(event.detail))",
    )
    await page.goto(`${url}?utm_source=flyer&utm_campaign=spring&secret=1`)
    const email = await fillIn(page)
    await page.getByLabel(CONSENT).check()
    await press(page)
    await thanks(page)
    equal(page.url(), `${url}?utm_source=flyer&utm_campaign=spring&secret=1`)
    deepEqual(await page.evaluate('sent'), [{ kind: 'student' }])
    deepEqual(errors, [])

    const { placement, page: where, campaign, consent } = await onlyOneOf(email)
    deepEqual([placement, where], ['element', url])
    deepEqual(campaign, { source: 'flyer', campaign: 'spring' })
    deepEqual([consent?.text, consent?.given, consent?.page], [CONSENT, true, url])
    await service.settle()
    const admin = await service.client('admin')
    match((await admin.get('/inbox')).text, /Ana Ruiz/)
  })

  test('errors are listed, lead to their fields, and go once they are right', async t => {
    const { page, errors } = await open(t)
    await page.goto(site.publish('/errors', element))
    await page.locator('#email').fill('ana@')
    await page.locator('#phone').click()
    const problem = page.locator('#email-problem')
    await problem.waitFor()
    await page.locator('#email').fill('ana@example.com')
    equal(await problem.count(), 0)

    await press(page)
    const summary = page.locator('.problems')
    await summary.waitFor()
    ok(await summary.evaluate(one => one.matches(':focus')))
    equal(await summary.locator('a').count(), 3)
    await summary.locator('a').nth(1).click()
    ok(await page.locator('#lastName').evaluate(one => one.matches(':focus')))
    // What only the server knows comes in the same form.
    await fillIn(page)
    await page.locator('#email').fill('ana@example..com')
    await press(page)
    await page.locator('.problems a[href="#email"]').waitFor()
    equal(await page.locator('#firstName').inputValue(), 'Ana')
    deepEqual(errors, [])
  })

  test('several forms of both kinds work side by side', async t => {
    const both = `${element}${snippet('For workplaces', '<frontdesk-form')}`
    const { page, errors } = await open(t)
    await page.goto(site.publish('/both', both))
    const [student, workplace] = ['student', 'site'].map(kind =>
      page.locator(`frontdesk-form[kind=${kind}]`),
    )
    const address = workplace?.locator('#company')
    await address?.fill('Westside Clinic')
    equal(await student?.locator('#company').count(), 0)
    await student?.locator('#email').fill('both@example.com')
    equal(await workplace?.locator('#email').inputValue(), '')
    deepEqual(errors, [])
  })

  test('it is accessible, follows the color scheme and direction of its page, and fits a phone', async t => {
    const { page } = await open(t, { ...PHONE, colorScheme: 'dark' })
    const colorOf = () =>
      page.evaluate(
        "getComputedStyle(document.querySelector('frontdesk-form').shadowRoot.querySelector('#email')).backgroundColor",
      )
    await page.goto(site.publish('/light', element))
    await page.locator('#email').waitFor()
    await assertAccessible(page)
    const light = await colorOf()
    const style = '<style>html { color-scheme: dark; background: #14181d; color: #fff }</style>'
    await page.goto(site.publish('/dark', `${style}<div dir="rtl">${element}</div>`))
    await page.locator('#email').waitFor()
    await press(page)
    await page.locator('.problems').waitFor()
    await assertAccessible(page)
    ok((await colorOf()) !== light)
    const [wide, room] = (await page.evaluate(
      '[document.documentElement.scrollWidth, innerWidth]',
    )) as [number, number]
    ok(wide <= room, `${wide} pixels wide`)
  })

  test('it takes the language of the page, and shows its link where scripts are turned off', async t => {
    const { page } = await open(t)
    const spanish = element.replace('<frontdesk-form', '<frontdesk-form lang="es"')
    const url = site.publish('/spanish', spanish)
    await page.goto(url)
    await page.getByLabel('La escuela puede llamarme.').waitFor()
    const { page: plain } = await open(t, { javaScriptEnabled: false })
    await plain.goto(url)
    await plain.getByRole('link', { name: 'Ask about our programs' }).click()
    await plain.waitForURL(`${learn}/forms/student-interest`)
  })
})

test('on a website that the school has not listed, an element shows its link, and an iframe nothing', async t => {
  const listed = await startSite(t)
  const own = await startForms(t, { forms: { embedOn: [listed.origin] } })
  match(own.text, /Only these websites may show a form/)
  const code = own.snippet('For students', '<frontdesk-form')
  const frame = own.snippet('For students', '<iframe')
  for (const { publish, origin } of [site, listed]) {
    const isListed = origin === listed.origin
    const context = await browser.newContext()
    t.after(() => context.close())
    const page = await context.newPage()
    const ofElement = (request: Request) => request.url().includes('embed=element')
    const answered = isListed
      ? page.waitForEvent('requestfinished', ofElement)
      : page.waitForEvent('requestfailed', ofElement)
    await page.goto(publish('/listed', `${code}${frame}`))
    await answered
    const link = page.getByRole('link', { name: 'Ask about our programs' })
    if (isListed) await page.locator('frontdesk-form #email').waitFor()
    else await link.waitFor()
    const inside = page.frameLocator('iframe').locator('#email')
    if (isListed) await inside.waitFor()
    equal(await inside.count(), isListed ? 1 : 0)
  }
})

describe('in an iframe, pasted from /forms', () => {
  const iframe = snippet('For students', '<iframe')

  test('the form fits the height of the code without a script, on a phone', async t => {
    const { page } = await open(t, { ...PHONE, javaScriptEnabled: false })
    await page.goto(site.publish('/iframe', iframe))
    const [inside] = page.frames().slice(1)
    const height = await inside?.locator('html').evaluate(one => one.getBoundingClientRect().height)
    const room = Number(/height="(\d+)"/.exec(iframe)?.[1])
    ok(Number(height) <= room && Number(height) > room - 250, `${height} pixels of ${room}`)
  })

  test('with the script, it is as high as its form, and knows its page and campaign', async t => {
    const script = snippet('For students', '<frontdesk-form').split('\n')[0]
    const url = site.publish('/iframe-script', `${script}${iframe}`)
    const { page, errors } = await open(t)
    await page.goto(`${url}?utm_source=flyer`)
    const frame = page.frameLocator('iframe')
    const heights = async () => [
      await frame.locator('html').evaluate(one => Math.ceil(one.getBoundingClientRect().height)),
      await page.locator('iframe').evaluate(one => one.getBoundingClientRect().height),
    ]
    await frame.locator('button[part=button]').click()
    await frame.locator('.problems').waitFor()
    await page.waitForFunction("document.querySelector('iframe').style.height.endsWith('px')")
    const [inside, outside] = await heights()
    equal(inside, outside)
    const email = await fillInFrame(page)
    await frame.locator('button[part=button]').click()
    await frame.locator('[data-frontdesk=sent]').waitFor()
    const { placement, page: where, campaign } = await onlyOneOf(email)
    deepEqual([placement, where, campaign], ['iframe', url, { source: 'flyer' }])
    deepEqual(errors, [])
  })

  test('it says that it was sent, also where the page around does not let it lead to the page of the school', async t => {
    const workplace = snippet('For workplaces', '<iframe')
    const held = workplace.replace(
      '<iframe',
      '<iframe sandbox="allow-forms allow-same-origin allow-scripts"',
    )
    const { page } = await open(t)
    await page.goto(site.publish('/held', held))
    const frame = page.frameLocator('iframe')
    const email = await fillInFrame(page)
    await frame.locator('#company').fill('Westside Clinic')
    await frame.locator('#address').fill('1 Main Street, Austin')
    await frame.locator('button[part=button]').click()
    await frame.getByRole('link', { name: 'localhost' }).waitFor()
    await onlyOneOf(email)
    equal(await frame.locator('#email').count(), 0)
  })

  test('the page around it cannot answer for the person', async t => {
    const { page } = await open(t)
    await page.goto(site.publish('/answering', snippet('For students', '<iframe')))
    const frame = page.frameLocator('iframe')
    await frame.locator('#email').waitFor()
    await page.evaluate(`frames[0].postMessage({ frontdesk: 'around', around: [
      ['consent', '1'], ['email', 'mallory@example.com'], ['utm_source', 'around'],
    ] }, '*')`)
    await frame.locator('input[name=utm_source][value=around]').waitFor({ state: 'attached' })
    equal(await frame.locator('[name=consent]').isChecked(), false)
    equal(await frame.locator('#email').inputValue(), '')
  })

  test('only a page of ours may change its height', async t => {
    const script = snippet('For students', '<frontdesk-form').split('\n')[0]
    const other = site.publish(
      '/other',
      `<script>parent.postMessage({ frontdesk: 'height', height: 7 }, '*')</script>`,
    )
    const { page } = await open(t)
    await page.goto(
      site.publish('/around', `${script}<iframe src="${other}" height="150"></iframe>`),
    )
    await page.evaluate("postMessage({ frontdesk: 'height', height: 7 }, '*')")
    await page.evaluate('new Promise(requestAnimationFrame)')
    equal(await page.locator('iframe').evaluate(one => one.style.height), '')
  })

  async function fillInFrame(page: Page): Promise<string> {
    const email = `ana.${++people}@example.com`
    const frame = page.frameLocator('iframe')
    for (const [name, value] of Object.entries({
      firstName: 'Ana',
      lastName: 'Ruiz',
      email,
      phone: '512 555 0100',
    })) {
      await frame.locator(`#${name}`).fill(value)
    }
    return email
  }
})

describe('on its own page', () => {
  const url = `${learn}/forms/student-interest`
  const ofForm = ({ pathname }: URL) => pathname === '/forms/student-interest'

  test('on a phone without JavaScript, in Spanish, an inquiry arrives with campaign and consent', async t => {
    const { page } = await open(t, { ...PHONE, javaScriptEnabled: false })
    await page.goto(`${url}?lang=es&utm_campaign=spring`)
    await press(page)
    await page.locator('.problems a').first().waitFor()
    match(await page.title(), /^Error: /)
    const email = await fillIn(page)
    await page.getByLabel('La escuela puede llamarme.').check()
    await press(page)
    await thanks(page)
    match(page.url(), /\/forms\/student-interest\/sent/)
    await page.reload()
    const { language, campaign, consent } = await onlyOneOf(email)
    deepEqual([language, campaign, consent?.given], ['es', { campaign: 'spring' }, true])
  })

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without'
    test(`sent by a double click and sent again after a step back counts once, ${how} JavaScript`, async t => {
      const { page } = await open(t, { javaScriptEnabled })
      await page.goto(url)
      const email = await fillIn(page)
      await page.locator('form button[part=button]').dblclick()
      await thanks(page)
      await page.goBack()
      equal(await page.locator('#email').inputValue(), email)
      await press(page)
      await thanks(page)
      await onlyOneOf(email)
    })
  }

  test('a phone number is written as people read it, and other ways of writing stay', async t => {
    const { page } = await open(t)
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
  })

  test('a draft survives a closed tab without consent, for a week, and goes once it is sent', async t => {
    const { context, page } = await open(t)
    await page.goto(url)
    const email = await fillIn(page)
    await page.locator('#message').fill('When do you start?')
    await page.locator('#consent').check()
    await page.close()

    const { page: later } = await newPage(context)
    await later.goto(url)
    equal(await later.locator('#message').inputValue(), 'When do you start?')
    equal(await later.locator('#consent').isChecked(), false)
    const kept = String(await later.evaluate('JSON.stringify(localStorage)'))
    ok(!/token|consent|subject/.test(kept), kept)
    await press(later)
    await thanks(later)
    equal(await later.evaluate('localStorage.length'), 0)
    await onlyOneOf(email)

    await later.goto(url)
    await fillIn(later)
    await later.clock.install({ time: Date.now() + 8 * DAY })
    await later.goto(url)
    equal(await later.locator('#email').inputValue(), '')
    equal(await later.evaluate('localStorage.length'), 0)
  })

  test('a draft can be thrown away', async t => {
    const { page } = await open(t)
    await page.goto(url)
    await fillIn(page)
    await page.reload()
    await page.locator('.kept button').click()
    equal(await page.locator('#email').inputValue(), '')
    equal(await page.evaluate('localStorage.length'), 0)
  })

  test('without a connection, an inquiry waits, and is sent once when it is back, also after a reload', async t => {
    const { context, page } = await open(t)
    await page.goto(url)
    const email = await fillIn(page)
    await page.locator('#consent').check()
    await context.setOffline(true)
    await press(page)
    await page.locator('.status:not(:empty)').waitFor()
    await context.setOffline(false)
    await thanks(page)
    await onlyOneOf(email)

    await page.goto(url)
    const other = await fillIn(page)
    await page.locator('#consent').check()
    await page.route(ofForm, route =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await press(page)
    await page.locator('.status:not(:empty)').waitFor()
    await page.unroute(ofForm)
    await page.reload()
    await thanks(page)
    equal((await onlyOneOf(other)).consent?.given, true)
  })

  test('a response that gets lost on a slow network does not make a second inquiry', async t => {
    const { page } = await open(t)
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
    await onlyOneOf(email)
  })

  test('by keyboard alone, someone fills it in and sends it, and never meets the trap', async t => {
    const { page } = await open(t)
    await page.goto(url)
    const email = `ana.${++people}@example.com`
    const answers: Record<string, string> = {
      firstName: 'Ana',
      lastName: 'Ruiz',
      email,
      phone: '5125550100',
    }
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
    await onlyOneOf(email)
  })

  test('is smaller than 30 kB with everything that it loads', async t => {
    const { context, page } = await open(t)
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
