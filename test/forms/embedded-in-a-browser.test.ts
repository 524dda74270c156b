/** The forms in the page of another site, in a real browser: as an element, and in an iframe. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import type { FrameLocator, Locator, Page, Request } from 'playwright-core'
import { assertAccessible } from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { fillIn, openWindow, PHONE, press, thanks } from './filled-in.ts'
import { startForms, startSite } from './site.ts'

const CONSENT = 'The school may call me.'

const service = await startForms({ after } as TestContext, {
  languages: ['en', 'es', 'ar'],
  programs: [{ name: 'Phlebotomy' }, { name: 'Welding' }],
  forms: {
    clickIds: ['gclid'],
    student: { consent: { text: { en: CONSENT, es: 'La escuela puede llamarme.' } } },
    site: { sentUrl: 'http://localhost:9/thanks' },
  },
})
const { learn, snippet, onlySubmissionOf } = service
const site = await startSite({ after } as TestContext)
const browser = await startBrowser({ after })
const colorOf = (button: Locator): Promise<string | undefined> =>
  button.evaluate(one => one.ownerDocument.defaultView?.getComputedStyle(one).color)

/** Until it holds, asked again whenever the page has drawn a frame. */
const until = async (page: Page, holds: () => boolean): Promise<void> => {
  while (!holds()) await page.evaluate('new Promise(requestAnimationFrame)')
}

const element = snippet('For students', '<frontdesk-form')

describe('on a static page of another site, pasted from /forms', () => {
  test('under a strict policy, an inquiry arrives with its campaign, page and consent, and shows up in the inbox', async t => {
    const policy = /\| An element \| `([^`]+)` \|/.exec(service.text)?.[1]
    const url = site.publish('/strict', element, {
      'Content-Security-Policy': `default-src 'none'; ${policy}; require-trusted-types-for 'script'; trusted-types 'none'`,
    })
    const { page, errors } = await openWindow(t, browser)
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

    const { placement, page: where, campaign, consent } = await onlySubmissionOf(email)
    deepEqual([placement, where], ['element', url])
    deepEqual(campaign, { source: 'flyer', campaign: 'spring' })
    deepEqual([consent?.text, consent?.given, consent?.page], [CONSENT, true, url])
    await service.settle()
    const admin = await service.client('admin')
    match((await admin.get('/inbox')).text, /Ana Ruiz/)
  })

  test('errors are listed, lead to their fields, and go once they are right', async t => {
    const { page, errors } = await openWindow(t, browser)
    await page.goto(site.publish('/errors', element))
    await page.locator('#email').fill('ana@')
    await page.locator('#phone').click()
    const problem = page.locator('#email-problem')
    await problem.waitFor()
    await page.locator('#email').fill('ana@example.com')
    equal(await problem.count(), 0)

    await press(page)
    const summary = page.locator('.problems:focus')
    await summary.waitFor()
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
    const { page, errors } = await openWindow(t, browser)
    await page.goto(site.publish('/both', both))
    const [student, workplace] = ['student', 'site'].map(kind => page.locator(`frontdesk-form[kind=${kind}]`))
    const address = workplace?.locator('#company')
    await address?.fill('Westside Clinic')
    equal(await student?.locator('#company').count(), 0)
    await student?.locator('#email').fill('both@example.com')
    equal(await workplace?.locator('#email').inputValue(), '')
    deepEqual(errors, [])
  })

  test('it is accessible, follows the color scheme of its page and the direction of its language, and fits a phone', async t => {
    const { page } = await openWindow(t, browser, { ...PHONE, colorScheme: 'dark' })
    const colorOf = () =>
      page.evaluate(
        "getComputedStyle(document.querySelector('frontdesk-form').shadowRoot.querySelector('#email')).backgroundColor",
      )
    await page.goto(site.publish('/light', element))
    await page.locator('#email').waitFor()
    await assertAccessible(page)
    const light = await colorOf()
    const style = '<style>html { color-scheme: dark; background: #14181d; color: #fff }</style>'
    await page.goto(site.publish('/dark', `${style}<div lang="ar">${element}</div>`))
    await page.locator('#email').waitFor()
    const directionOf = (place: string) =>
      page.locator(place).evaluate(one => one.ownerDocument.defaultView?.getComputedStyle(one).direction)
    const places = ['section.frontdesk', '#firstName', '#email', '#phone']
    deepEqual(await Promise.all(places.map(directionOf)), ['rtl', 'rtl', 'ltr', 'ltr'])
    await press(page)
    await page.locator('.problems').waitFor()
    await assertAccessible(page)
    ok((await colorOf()) !== light)
    const [wide, room] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [number, number]
    ok(wide <= room, `${wide} pixels wide`)
  })

  test('it can be read on the ground of any page, even where the page says nothing of its color scheme', async t => {
    const { page } = await openWindow(t, browser)
    const dark = '<style>body { background: #0b1020; color: #dfe6ff }</style>'
    await page.goto(site.publish('/navy', `${dark}${element}`))
    await page.locator('#email').waitFor()
    await assertAccessible(page)
    const form = page.locator('frontdesk-form')
    equal(await form.evaluate(one => one.ownerDocument.defaultView?.getComputedStyle(one).colorScheme), 'dark')
    await page.goto(site.publish('/forced', `${dark}${element.replace(' kind', ' theme="light" kind')}`))
    await page.locator('#email').waitFor()
    equal(await form.evaluate(one => one.ownerDocument.defaultView?.getComputedStyle(one).colorScheme), 'light')
  })

  test('it can be read on a picture, a gradient and any color, on a card of its own if it must be', async t => {
    const { page } = await openWindow(t, browser)
    const ink = 'rgb(29, 37, 48)'
    const card = ['rgb(255, 255, 255)', 'light', ink]
    const bare = (scheme: string, label: string) => ['rgba(0, 0, 0, 0)', scheme, label]
    const dark = bare('dark', 'rgb(228, 232, 236)')
    const purple = 'linear-gradient(#5b1a6b, #8a2a4b)'
    const photo = 'url("data:image/gif;base64,R0lGODlhAQABAAAAACw=")'
    const image = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="" class="all">'
    const all = '.all { position: absolute; inset: 0; width: 100%; height: 100% } main { position: relative }'
    const section = `<section>${element}</section>`
    const shade = `<main><div class="shade">${element}</div></main>`

    const looks = async (style: string, around = element): Promise<unknown> => {
      await page.goto(site.publish('/ground', `<style>${style}</style>${around}`))
      await page.locator('#email').waitFor()
      return page.evaluate(`(() => {
        const of = (element, property) => getComputedStyle(element)[property]
        const form = document.querySelector('frontdesk-form')
        return [of(form, 'backgroundColor'), of(form, 'colorScheme'), of(form.shadowRoot.querySelector('label'), 'color')]
      })()`)
    }

    const cases: [what: string, expected: unknown, style: string, around?: string][] = [
      ['a photo, with dark text', card, `section { background: ${photo} }`, section],
      ['a photo, with light text', card, `section { background: ${photo}; color: #fff }`, section],
      ['a photo with a color for until it has loaded', card, `body { background: ${photo} #fff }`],
      [
        'a shaded photo',
        card,
        `main { background: ${photo}; color: #fff } .shade { background: rgb(0 0 0 / 60%) }`,
        shade,
      ],
      ['a placed image', card, all, `${image}${section}`],
      ['an image in a picture', card, all, `<picture>${image}</picture>${section}`],
      ['a placed block with an image', card, all, `<div class="all">${image}</div><div>${section}</div>`],
      ['a placed block with a color', card, `${all} .all { background: #123 }`, `<div class="all"></div>${section}`],
      ['an image that stays', card, `.all { position: fixed; inset: 0; z-index: -1 }`, `${image}${section}`],
      [
        'an image of the style sheet',
        card,
        `main { position: relative } main::before { content: ''; position: absolute; inset: 0; background: ${photo} }`,
      ],
      ['an image beside it', bare('normal', ink), '', `${image.replace('class="all"', 'width="90"')}${section}`],
      [
        'a closed dialog',
        bare('normal', ink),
        `${all} .all { background: #123; opacity: 0 }`,
        `<div class="all"></div>${section}`,
      ],
      [
        'a window in front of it',
        bare('normal', ink),
        '.all { position: fixed; inset: 0; z-index: 99; background: #0008 }',
        `<div class="all"></div>${section}`,
      ],
      [
        'an image behind a white block',
        bare('normal', ink),
        `${all} section { background: #fff }`,
        `${image}${section}`,
      ],
      ['a gradient of middle colors', card, `body { background: ${purple}; color: #fff }`],
      ['the same on a dark page', card, `html { color-scheme: dark } body { background: ${purple}; color: #fff }`],
      ['a dark gradient, with light text', dark, 'body { background: linear-gradient(#0b1020, #14181d); color: #fff }'],
      ['a dark gradient, with dark text', card, 'body { background: linear-gradient(#0b1020, #14181d) }'],
      ['a light gradient', bare('normal', ink), 'body { background: linear-gradient(#fff, #eef3ff) }'],
      ['a color that is neither light nor dark', card, 'body { background: #0d9488; color: #fff }'],
      ['a dark color in another notation', dark, 'body { background: oklch(0.2 0.04 266); color: oklch(0.98 0 0) }'],
      ['a light color in another notation', bare('normal', ink), 'body { background: lab(98 0 0) }'],
      ['light text on white', card, 'body { background: #fff } main { color: #eee }'],
      ['light text on nothing', card, 'main { color: #fff }'],
      [
        'a card of the page',
        bare('normal', ink),
        `main { background: ${purple}; color: #fff } .shade { background: #fff; color: #222 }`,
        shade,
      ],
      [
        'a gradient, dark as asked',
        dark,
        `body { background: ${purple}; color: #fff }`,
        element.replace(' kind', ' theme="dark" kind'),
      ],
    ]
    const found = []
    for (const [what, , style, around] of cases) found.push([what, await looks(style, around)])
    deepEqual(
      found,
      cases.map(([what, expected]) => [what, expected]),
    )
  })

  test('another form of the school stands there by its name', async t => {
    const manager = await service.client('manager')
    await manager.post('/forms/new', {
      kind: 'student',
      name: 'evening-class',
      'title-en': 'Evening class',
      order: 'city',
      'ask-city': 'optional',
    })
    const { page } = await openWindow(t, browser)
    await page.goto(site.publish('/first', element))
    await page.locator('#city').fill('Dallas')
    await page.goto(site.publish('/named', element.replace(' kind', ' form="evening-class" kind')))
    await page.getByRole('heading', { name: 'Evening class' }).waitFor()
    equal(await page.locator('#city').inputValue(), '', 'what was typed into another form')
    const email = await fillIn(page)
    await press(page)
    await thanks(page)
    equal((await onlySubmissionOf(email)).name, 'evening-class')
  })

  test('it is as wide as its page says, and its fields do not make a phone zoom in, however small the text', async t => {
    const { page } = await openWindow(t, browser)
    const style = '<style>body { font-size: 13px } frontdesk-form { max-width: 300px }</style>'
    await page.goto(site.publish('/narrow', `${style}${element}`))
    const email = page.locator('#email')
    await email.waitFor()
    const form = page.locator('frontdesk-form')
    equal((await form.boundingBox())?.width, 300)
    equal(await email.evaluate(one => one.ownerDocument.defaultView?.getComputedStyle(one).fontSize), '16px')
    await page.goto(site.publish('/wide', element))
    await email.waitFor()
    equal((await form.boundingBox())?.width, 640, 'where the page says nothing, lines of a length that can be read')
  })

  test('it begins with the program of its page, and follows the attribute', async t => {
    const { page } = await openWindow(t, browser)
    await page.goto(site.publish('/program', element.replace('<frontdesk-form', '<frontdesk-form program="welding"')))
    const chosen = page.locator('#program .tick:has(:checked)')
    await chosen.filter({ hasText: 'Welding' }).waitFor()
    await page.evaluate("document.querySelector('frontdesk-form').setAttribute('program', 'Phlebotomy')")
    await chosen.filter({ hasText: 'Phlebotomy' }).waitFor()
    const email = await fillIn(page)
    await press(page)
    await thanks(page)
    equal((await onlySubmissionOf(email)).program, 'Phlebotomy')
  })

  test('for a kind that does not exist, it keeps its link and says so in the console', async t => {
    const { page, errors } = await openWindow(t, browser)
    const warned = page.waitForEvent('console', message => message.type() === 'warning')
    await page.goto(site.publish('/unknown', element.replace('kind="student"', 'kind="students"')))
    match((await warned).text(), /kind="students" is not a form; use kind="student" or kind="site"/)
    await page.getByRole('link', { name: 'Ask about our programs' }).waitFor()
    deepEqual(errors, [])
  })

  test('it says in plain words what is set wrong, and keeps its link where that leaves no form', async t => {
    const { page } = await openWindow(t, browser)
    const warnings: string[] = []
    page.on('console', message => message.type() === 'warning' && warnings.push(message.text()))
    const warned = (pattern: RegExp) => until(page, () => warnings.some(one => pattern.test(one)))
    const open = (path: string, attributes: string, headers = {}) =>
      page.goto(site.publish(path, element.replace('<frontdesk-form', `<frontdesk-form ${attributes}`), headers))
    await open('/wrong-name', 'form="no-such-form"')
    await warned(/form="no-such-form" is not a form of the school.*\/forms#wrong/)
    await page.getByRole('link', { name: 'Ask about our programs' }).waitFor()
    await open('/wrong-looks', 'style="--fill: bordeaux" theme="night" program="Alchemy"')
    await warned(/--fill: bordeaux is not a color/)
    await warned(/theme="night" is not a theme/)
    await warned(/program="Alchemy" is not a program of the school/)
    await open('/wrong-policy', '', { 'Content-Security-Policy': `default-src 'none'; script-src ${learn}` })
    await warned(new RegExp(`add "connect-src ${learn}" to it`))
    const count = warnings.length
    await open('/right', '')
    await page.locator('#email').waitFor()
    equal(warnings.length, count)
  })

  test('whatever color its page gives the button, its label can be read', async t => {
    const { page } = await openWindow(t, browser)
    for (const [color, label] of [
      ['#7a1f3d', 'rgb(255, 255, 255)'],
      ['#ffe066', 'rgb(0, 0, 0)'],
    ] as const) {
      await page.goto(site.publish('/button', element.replace('kind=', `style="--fill: ${color}" kind=`)))
      const button = page.locator('form button[part=button]')
      equal(await colorOf(button), label)
      await button.hover()
      equal(await colorOf(button), label)
    }
  })

  test('a page can ask for it before the script has come, and it is loaded once', async t => {
    const { page, errors } = await openWindow(t, browser)
    const asked: string[] = []
    page.on('request', request => request.url().includes('embed=element') && asked.push(request.url()))
    await page.goto(site.publish('/early', `${snippet('To show it sooner', 'preload')}${element}`))
    await page.locator('#email').waitFor()
    const loaded = await page.evaluate(
      "performance.getEntriesByType('resource').filter(one => one.name.includes('embed=element')).length",
    )
    deepEqual([asked.length, loaded], [1, 1])
    deepEqual(errors, [])
  })

  test('it takes the language of the page, and shows its link where scripts are turned off', async t => {
    const { page } = await openWindow(t, browser)
    const spanish = element.replace('<frontdesk-form', '<frontdesk-form lang="es"')
    const url = site.publish('/spanish', spanish)
    await page.goto(url)
    await page.getByLabel('La escuela puede llamarme.').waitFor()
    await page.goto(site.publish('/english', element))
    await page.locator('#firstName').fill('Ana')
    await page.evaluate("document.documentElement.lang = 'es'")
    await page.getByLabel('La escuela puede llamarme.').waitFor()
    equal(
      await page.locator('#firstName').inputValue(),
      'Ana',
      'the page changes its language, and keeps what was typed',
    )
    const { page: plain } = await openWindow(t, browser, { javaScriptEnabled: false })
    await plain.goto(url)
    await plain.getByRole('link', { name: 'Ask about our programs' }).click()
    await plain.waitForURL(`${learn}/forms/student-interest`)
  })
})

describe('what an inquiry says of the visit in which it was written', () => {
  const script = element.slice(0, element.indexOf('<frontdesk-form'))
  const LANDING = '?utm_source=ig&utm_campaign=spring&gclid=abc&fbclid=f9&name=Ana'
  const found = { referrer: 'https://search.example/results', campaign: { source: 'ig', campaign: 'spring' } }

  const sendFrom = async (page: Page, form: Page | FrameLocator = page) => {
    const email = await fillIn(form)
    await press(form)
    await thanks(form)
    return onlySubmissionOf(email)
  }

  test('is how it began, on another page of the website, with the clicks on ads that the school keeps', async t => {
    const apply = site.publish('/apply', element)
    const landing = site.publish('/landing', `${script}<a href="/apply">Apply</a>`)
    const { page, errors } = await openWindow(t, browser)
    await page.goto(`${landing}${LANDING}`, { referer: 'https://search.example/results?q=nurse' })
    await page.getByRole('link', { name: 'Apply' }).click()
    const sent = await sendFrom(page)
    deepEqual([sent.page, sent.landing, sent.referrer], [apply, landing, found.referrer])
    deepEqual([sent.campaign, sent.clicks], [found.campaign, { gclid: 'abc' }])
    deepEqual(errors, [])
  })

  test('is the same where a page changes its URL without loading another, and in an iframe', async t => {
    const frame = snippet('For students', '<iframe')
    const landing = site.publish('/single', `${script}<main id="app"></main>`)
    const { page } = await openWindow(t, browser)
    await page.goto(`${landing}${LANDING}`, { referer: 'https://search.example/' })
    await page.waitForFunction("sessionStorage.getItem('frontdesk-visit')")
    for (const code of [element.slice(script.length), frame]) {
      await page.evaluate(
        `history.pushState({}, '', '/single/apply'); document.querySelector('#app').innerHTML = ${JSON.stringify(code)}`,
      )
      const sent = await sendFrom(page, code === frame ? page.frameLocator('iframe') : page)
      deepEqual([sent.page, sent.landing, sent.campaign], [`${landing}/apply`, landing, found.campaign])
      deepEqual(sent.clicks, { gclid: 'abc' })
    }
  })

  test('begins again with another campaign, and the website itself never led there', async t => {
    const apply = site.publish('/apply-again', element)
    const landing = site.publish('/first-page', `${script}<a href="/apply-again">Apply</a>`)
    const { page } = await openWindow(t, browser)
    await page.goto(landing)
    await page.getByRole('link', { name: 'Apply' }).click()
    const direct = await sendFrom(page)
    deepEqual([direct.landing, direct.referrer, direct.campaign], [landing, undefined, {}])
    await page.goto(`${apply}?utm_source=newsletter`)
    const led = await sendFrom(page)
    deepEqual([led.landing, led.campaign], [undefined, { source: 'newsletter' }])
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
    const warned = page.waitForEvent('console', message => message.type() === 'warning').catch(() => undefined)
    const ofElement = (request: Request) => request.url().includes('embed=element')
    const answered = isListed
      ? page.waitForEvent('requestfinished', ofElement)
      : page.waitForEvent('requestfailed', ofElement)
    await page.goto(publish('/listed', `${code}${frame}`))
    await answered
    const link = page.getByRole('link', { name: 'Ask about our programs' })
    if (isListed) await page.locator('frontdesk-form #email').waitFor()
    else {
      await link.waitFor()
      match((await warned)?.text() ?? '', new RegExp(`does not let ${origin} show its forms.* forms\\.embedOn`))
    }
    const inside = page.frameLocator('iframe').locator('#email')
    if (isListed) await inside.waitFor()
    equal(await inside.count(), isListed ? 1 : 0)
  }
})

describe('in an iframe, pasted from /forms', () => {
  const iframe = snippet('For students', '<iframe')
  const script = element.slice(0, element.indexOf('<frontdesk-form'))

  test('in every language, the form fits the height of the code without a script, on a phone, with everything wrong, too', async t => {
    const asDelivered = await startForms(t, {})
    for (const [title, language] of [
      ['For students', 'en'],
      ['For workplaces', 'en'],
      ['For students', 'es'],
    ] as const) {
      const found = asDelivered.snippet(title, '<iframe')
      const code = found.slice(found.indexOf('<iframe')).replace('embed=iframe', `embed=iframe&amp;lang=${language}`)
      const { page } = await openWindow(t, browser, { ...PHONE, javaScriptEnabled: false })
      await page.goto(site.publish(`/${encodeURIComponent(title)}-${language}`, code))
      const frame = page.frameLocator('iframe')
      const heightOf = () => frame.locator('html').evaluate(one => one.getBoundingClientRect().height)
      const room = Number(/height="(\d+)"/.exec(code)?.[1])
      const empty = await heightOf()
      ok(empty <= room && empty > room - 700, `${title}, ${language}: ${empty} pixels of ${room}`)
      await press(frame)
      await frame.locator('.problems').waitFor()
      const wrong = await heightOf()
      ok(wrong <= room && wrong > room - 200, `${title}, ${language}: ${wrong} pixels of ${room}`)
    }
  })

  for (const javaScriptEnabled of [true, false])
    test(`a phone shows what came of a press, which the form says far above its button, with${javaScriptEnabled ? '' : 'out'} JavaScript`, async t => {
      const { page } = await openWindow(t, browser, { ...PHONE, javaScriptEnabled })
      await page.goto(site.publish('/far', `<p>About us</p>${iframe.slice(iframe.indexOf('<iframe'))}<p>Map</p>`))
      const frame = page.frameLocator('iframe')
      const isShown = async (place: Locator) => {
        const { y = -1, height = 0 } = (await place.boundingBox()) ?? {}
        return y >= 0 && y + height <= 844
      }
      const shown = async (place: Locator) => {
        while (!(await isShown(place)));
      }
      await press(frame)
      await shown(frame.locator('.problems'))
      const email = await fillIn(frame)
      await frame.locator('form button[part=button]').scrollIntoViewIfNeeded()
      equal(await isShown(frame.locator('.problems')), false)
      await press(frame)
      await shown(frame.getByRole('heading', { name: 'Thank you' }))
      await frame.getByRole('button', { name: 'Evening' }).click()
      await frame.getByText('evenings are best').waitFor()
      await shown(frame.getByRole('heading', { name: 'Thank you' }))
      await service.settle()
      ok(email)
    })

  test('with the script, it is as high as its form, and knows its page and campaign', async t => {
    const url = site.publish('/iframe-script', `${script}${iframe}`)
    const { page, errors } = await openWindow(t, browser)
    await page.goto(`${url}?utm_source=flyer`)
    const frame = page.frameLocator('iframe')
    const heights = async () => [
      await frame.locator('html').evaluate(one => Math.ceil(one.getBoundingClientRect().height)),
      await page.locator('iframe').evaluate(one => one.getBoundingClientRect().height),
    ]
    await press(frame)
    await frame.locator('.problems').waitFor()
    await page.waitForFunction("document.querySelector('iframe').style.height.endsWith('px')")
    const [inside, outside] = await heights()
    equal(inside, outside)
    const email = await fillIn(frame)
    await press(frame)
    await thanks(frame)
    const { placement, page: where, campaign } = await onlySubmissionOf(email)
    deepEqual([placement, where, campaign], ['iframe', url, { source: 'flyer' }])
    deepEqual(errors, [])
  })

  test('on a dark page, the page is seen behind it', async t => {
    const { page } = await openWindow(t, browser, { viewport: { width: 600, height: 600 } })
    const dark = iframe.replace('embed=iframe', 'embed=iframe&amp;theme=dark')
    await page.goto(site.publish('/iframe-dark', `<style>body { background: #0b1020 }</style>${dark}`))
    await page.waitForFunction("document.querySelector('iframe').style.height.endsWith('px')")
    equal(await page.locator('iframe').evaluate(one => one.style.colorScheme), 'dark')
    const around = await page.screenshot({ clip: { x: 2, y: 300, width: 2, height: 2 } })
    const { x = 0 } = (await page.locator('iframe').boundingBox()) ?? {}
    const within = await page.screenshot({ clip: { x: x + 1, y: 300, width: 2, height: 2 } })
    ok(around.equals(within), 'no box of another color')
  })

  for (const javaScriptEnabled of [true, false])
    test(`on a page that is not light, it has a ground of its own, with${javaScriptEnabled ? '' : 'out'} JavaScript`, async t => {
      const { page } = await openWindow(t, browser, { javaScriptEnabled, colorScheme: 'dark' })
      const groundOn = async (style: string, isFitted = javaScriptEnabled) => {
        await page.goto(site.publish('/iframe-ground', `<style>${style}</style>${iframe}`))
        const body = page.frameLocator('iframe').locator(isFitted ? 'body.fitted' : 'body')
        return body.evaluate(one => {
          const of = (name: string) => one.ownerDocument.defaultView?.getComputedStyle(one.querySelector(name) ?? one)
          return [of('main')?.backgroundColor, of('label')?.color, of('main')?.paddingLeft === '4px']
        })
      }
      const ink = 'rgb(29, 37, 48)'
      const card = ['rgb(255, 255, 255)', ink, false]
      deepEqual(await groundOn('body { background: #0b1020; color: #dfe6ff }'), card)
      deepEqual(await groundOn('main { background: linear-gradient(#5b1a6b, #8a2a4b) }'), card)
      const onLight = javaScriptEnabled ? ['rgba(0, 0, 0, 0)', ink, true] : card
      deepEqual(await groundOn(''), onLight)
      deepEqual(await groundOn('body { background: #f3ece0 }'), onLight)
    })

  test('it says that it was sent, even where the page around does not let it lead to the page of the school', async t => {
    const workplace = snippet('For workplaces', '<iframe')
    const held = workplace.replace('<iframe', '<iframe sandbox="allow-forms allow-same-origin allow-scripts"')
    const { page } = await openWindow(t, browser)
    await page.goto(site.publish('/held', held))
    const frame = page.frameLocator('iframe')
    const email = await fillIn(frame)
    await frame.locator('#company').fill('Westside Clinic')
    await frame.locator('#address').fill('1 Main Street, Austin')
    await press(frame)
    await frame.getByRole('link', { name: 'localhost' }).waitFor()
    await onlySubmissionOf(email)
    equal(await frame.locator('#email').count(), 0)
  })

  test('without the script, the website around it is its page, and not where the person came from', async t => {
    const { page } = await openWindow(t, browser)
    await page.goto(site.publish('/bare', iframe.slice(iframe.indexOf('<iframe'))))
    const frame = page.frameLocator('iframe')
    const email = await fillIn(frame)
    await press(frame)
    await thanks(frame)
    const { page: where, referrer, campaign } = await onlySubmissionOf(email)
    deepEqual([where, referrer, campaign], [`${site.origin}/`, undefined, {}])
  })

  test('the page around it cannot answer for the person', async t => {
    const { page } = await openWindow(t, browser)
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
    const other = site.publish('/other', `<script>parent.postMessage({ frontdesk: 'height', height: 7 }, '*')</script>`)
    const { page } = await openWindow(t, browser)
    await page.goto(site.publish('/around', `${script}<iframe src="${other}" height="150"></iframe>`))
    await page.evaluate("postMessage({ frontdesk: 'height', height: 7 }, '*')")
    await page.evaluate('new Promise(requestAnimationFrame)')
    equal(await page.locator('iframe').evaluate(one => one.style.height), '')
  })
})
