/** The hosted forms in a browser without scripts: everyone can use them, on every screen. */
import { equal, match, notEqual, ok } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { assertAccessible, assertReadable } from '../support/accessibility.ts'
import { startApp } from '../support/app.ts'
import { startBrowser } from '../support/browser.ts'
import { countRows } from '../support/engines.ts'
import { formUrl } from '../support/forms.ts'

const allowed = ['1 - Soon', '2 - Later, when my children are older']
const browser = await startBrowser({ after })
const app = await startApp({ after } as TestContext, {
  settings: {
    school: { phone: '+1 312 555 0142' },
    contacts: { privacy: 'https://school.example/privacy' },
    studentInterest: { answers: { timeline: { allowed }, source: { allowed } } },
    forms: { student: { fields: { employer: 'optional' } }, site: { consent: {} } },
  },
})

async function open(t: TestContext, kind: 'student' | 'site', options: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 390, height: 800 },
    ...options,
  })
  t.after(() => context.close())
  const page = await context.newPage()
  await page.goto(formUrl(app, kind))
  return page
}

/** Sends the form with everything wrong that can be; done once its problems are there and have the focus. */
async function sendWrong(page: Page): Promise<void> {
  await page.fill('#firstName', 'B')
  await page.fill('#email', 'ben@')
  await page.fill('#phone', '512')
  await page.fill('#message', 'Why? '.repeat(400))
  await page.click('button')
  await page.locator('.problems:focus').waitFor()
}

/** As a style sheet that a program adopts: the policy of the page forbids others. */
const SPACE_OUT = `{
  const spaced = new CSSStyleSheet()
  spaced.replaceSync('* { letter-spacing: 0.12em !important; line-height: 1.5 !important; word-spacing: 0.16em !important }')
  document.adoptedStyleSheets.push(spaced)
}`

const scrollWidth = (page: Page) => page.evaluate('document.documentElement.scrollWidth')

for (const kind of ['student', 'site'] as const) {
  describe(`the form of a ${kind}`, () => {
    test('can be used by everyone, with and without problems, in light and in dark, on every screen', async t => {
      const page = await open(t, kind, { javaScriptEnabled: true })
      // The script would find the problems first.
      await page.route('**/form.js', route => route.abort())
      await page.reload()
      await assertAccessible(page)
      await sendWrong(page)
      for (const width of [320, 820, 1440]) {
        await page.setViewportSize({ width, height: 800 })
        await assertAccessible(page)
        equal(await scrollWidth(page), width)
      }
      await page.emulateMedia({ colorScheme: 'dark' })
      await assertReadable(page)
      await page.emulateMedia({ colorScheme: 'dark', contrast: 'more' })
      await assertReadable(page)
    })

    test('draws boxes like fields in the dark, and leaves them to the browser where a person chose the colors', async t => {
      const page = await open(t, kind, { colorScheme: 'dark' })
      const box = page.locator('.tick input').first()
      const look = () =>
        page.evaluate<string[]>(`['#email', '.tick input'].map(one => {
          const { appearance, backgroundColor } = getComputedStyle(document.querySelector(one))
          return appearance + ' ' + backgroundColor
        })`)
      const [field, unticked] = await look()
      equal(unticked?.replace('none', ''), field?.replace('auto', ''))
      await box.check()
      notEqual((await look())[1], unticked)
      await page.emulateMedia({ forcedColors: 'active' })
      match((await look())[1] ?? '', /^auto/)
    })

    test('has room for larger letters, and large targets', async t => {
      const page = await open(t, kind, { viewport: { width: 640, height: 400 } })
      await sendWrong(page)
      // 200 percent zoom of a screen of 640 pixels, and spaced text (WCAG 2.2, 1.4.12).
      await page.setViewportSize({ width: 320, height: 400 })
      await page.evaluate(SPACE_OUT)
      equal(await scrollWidth(page), 320)
      const heights = await page
        .locator(
          'main :is(button, select, input:not([type=hidden], [type=checkbox], [type=radio], .trap *), textarea, .boxes label)',
        )
        .evaluateAll(all => all.map(one => one.getBoundingClientRect().height))
      ok(
        heights.every(height => height >= 44),
        heights.join(' '),
      )
    })
  })
}

test('without scripts, another language keeps what was typed, and sends nothing', async t => {
  const page = await open(t, 'student')
  await page.fill('#firstName', 'Ana')
  await page.fill('#message', '¿Cuánto cuesta?')
  await page.locator('input[name=timeline]').first().check()
  equal(await page.getByRole('link', { name: 'Español' }).isVisible(), false, 'a link would lose it')
  await page.getByRole('button', { name: 'Español' }).click()
  await page.getByRole('heading', { name: 'Pregunta por nuestros programas' }).waitFor()
  equal(await page.locator('.problems').count(), 0)
  equal(await page.inputValue('#firstName'), 'Ana')
  equal(await page.inputValue('#message'), '¿Cuánto cuesta?')
  ok(await page.locator('input[name=timeline]').first().isChecked())
  await page.getByRole('button', { name: 'English' }).click()
  await page.fill('#lastName', 'Ruiz')
  await page.fill('#email', 'ana.languages@example.com')
  await page.fill('#phone', '512 555 0100')
  // Enter presses the first button, which sends the form.
  await page.press('#phone', 'Enter')
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  equal(await countRows(app.database, 'submissions'), 1)
})

test('first and last name share a line on a phone, and not where there is no room', async t => {
  const page = await open(t, 'student', { viewport: { width: 375, height: 640 } })
  await sendWrong(page)
  const tops = async () => {
    const boxes = await Promise.all(['#firstName', '#lastName'].map(id => page.locator(id).boundingBox()))
    return boxes.map(box => Math.round(box?.y ?? 0))
  }
  const [first, last] = await tops()
  equal(first, last)
  await page.setViewportSize({ width: 320, height: 640 })
  const [above = 0, below = 0] = await tops()
  ok(above + 50 < below)
})

test('with scripts, the links change the language, and no buttons stand beside them', async t => {
  const page = await open(t, 'student', { javaScriptEnabled: true })
  await page.getByRole('link', { name: 'Español' }).waitFor()
  equal(await page.getByRole('button', { name: 'Español' }).count(), 0)
})

test('a summary of the problems takes the focus, and leads to each field', async t => {
  const page = await open(t, 'student')
  await sendWrong(page)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL(/#lastName$/)
  await page.keyboard.type('x')
  equal(await page.inputValue('#lastName'), 'x')
})

test('the hidden field is there for programs alone: no one sees, hears or reaches it', async t => {
  const page = await open(t, 'student')
  const named = { name: 'Leave this field empty' }
  equal(await page.locator('#subject').count(), 1)
  equal(await page.locator('#subject').isVisible(), false)
  equal(await page.getByRole('textbox', { includeHidden: true, ...named }).count(), 1)
  equal(await page.getByRole('textbox', named).count(), 0)
})

test('colors of the system and paper keep every border and word', async t => {
  const page = await open(t, 'site', { forcedColors: 'active', reducedMotion: 'reduce' })
  await sendWrong(page)
  equal(await page.evaluate("getComputedStyle(document.getElementById('email')).borderTopWidth"), '2px')
  await page.emulateMedia({ media: 'print', forcedColors: 'none' })
  ok(await page.locator('#email-problem').isVisible())
  equal(await page.evaluate('getComputedStyle(document.body).colorScheme'), 'light')
})
