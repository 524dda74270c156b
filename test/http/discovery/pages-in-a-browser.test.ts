/** The public pages, as people see and use them. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { assertAccessible, assertReadable } from '../../support/accessibility.ts'
import { startBrowser } from '../../support/browser.ts'
import { requireProgram } from '../../support/packages.ts'
import { startPublicApp } from '../../support/public-app.ts'
import {
  assertFits,
  assertInView,
  blocksOf,
  LOADING,
  lookAt,
  newPage,
  PAGES,
  settings,
  startInTwoParts,
  stylesOf,
} from './opened-page.ts'

const browser = await startBrowser({ after })
const { base, learn } = await startPublicApp({ after } as TestContext, { settings })

const PHONE = 390
const DESKTOP = 1440

async function open(t: TestContext, path: string, width: number, options?: BrowserContextOptions) {
  const opened = await newPage(t, browser, width, options)
  await opened.page.goto(base + path)
  return opened
}

for (const path of PAGES) {
  describe(path, () => {
    test('can be used by everyone, in light and in dark, on a phone, a tablet and a desktop', async t => {
      const { page } = await open(t, path, 320)
      for (const width of [320, 820, DESKTOP]) {
        await page.setViewportSize({ width, height: 800 })
        await assertAccessible(page)
      }
      await page.emulateMedia({ colorScheme: 'dark' })
      await assertReadable(page)
      await page.setViewportSize({ width: 320, height: 800 })
      await assertReadable(page)
    })

    test('fits every screen, and scrolls nothing but code to the side', async t => {
      const { page } = await open(t, path, 320)
      for (const width of [320, PHONE, 640, 641, 820, 959, 960, 1279, 1280, DESKTOP, 1920]) {
        await page.setViewportSize({ width, height: 800 })
        await assertFits(page)
      }
    })

    test('shows no column name beside an empty cell where a row is a block', async t => {
      const { page } = await open(t, path, PHONE)
      equal(await page.locator('td:empty').filter({ visible: true }).count(), 0)
    })

    test('loads nothing from elsewhere, gets all it asks for, and logs no problem', async t => {
      const { page, origins, complaints } = await open(t, path, DESKTOP)
      // A browser without a window shows no icon, and asks for none.
      await page.locator('link[rel=icon]').evaluateAll(links =>
        Promise.all(
          links.map(({ ownerDocument, href }) => {
            const image = ownerDocument.createElement('img')
            image.src = href
            return image.decode()
          }),
        ),
      )
      for await (const button of copyButtons(page)) await button.click()
      // `/forms` shows a form.
      deepEqual([...origins], path === '/forms' ? [base, learn] : [base])
      deepEqual(complaints, [])
    })

    test('moves nothing while it loads', async t => {
      // Browsers count only what moves in view.
      const viewport = { width: PHONE, height: 6000 }
      const { page } = await newPage(t, browser, PHONE, { viewport })
      const slow = await startInTwoParts(t, base)
      await page.goto(slow.base + path, { waitUntil: 'commit' })
      await page.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length > 0`)
      slow.sendTheRest()
      await page.waitForLoadState()
      const { moved, shown, read } = await page.evaluate<Record<string, number>>(LOADING)
      ok(Number(shown) < Number(read), `shown after ${shown} ms, read after ${read} ms`)
      equal(moved, 0)
    })

    test('says the same, in the same place, without JavaScript, and has no dead button', async t => {
      const { page } = await open(t, path, PHONE)
      const { page: bare } = await open(t, path, PHONE, { javaScriptEnabled: false })
      equal(await bare.getByRole('button').count(), 0)
      // Choices that only a script could follow are left out.
      equal(await bare.locator('.choices').filter({ visible: true }).count(), 0)
      for (const one of [page, bare]) await one.locator('.choices').evaluateAll(all => all.map(each => each.remove()))
      deepEqual(await blocksOf(bare), await blocksOf(page))
      await page.locator('.copy, .trial').evaluateAll(all => all.map(element => element.remove()))
      equal(await bare.locator('main').innerText(), await page.locator('main').innerText())
    })

    test('outlines the element that has the focus, and keeps it in view', async t => {
      const { page } = await open(t, path, DESKTOP)
      const stops = await page
        .locator('a[href], button, summary, select, :checked, input:not([type=radio]), [tabindex="0"]')
        .filter({ visible: true })
        .count()
      const focused = page.locator(':focus')
      for (let stop = 0; stop < stops; stop++) {
        await page.keyboard.press('Tab')
        const { hidden, outline, role, text } = await lookAt(focused)
        equal(outline, 'solid 3px', text)
        if (role !== 'group') equal(hidden, '', text)
      }
      await page.keyboard.press('Tab')
      equal(await focused.count(), 0, 'Hidden elements can have the focus')
    })

    test('begins with a link past the navigation', async t => {
      const { page } = await open(t, path, PHONE)
      await page.keyboard.press('Tab')
      const skip = page.getByRole('link', { name: 'Skip to content' })
      await assertInView(skip)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      equal(await page.locator('main :focus').count(), 1)
    })

    test('is printed whole on Letter paper, code on any, in dark ink, without the controls of a screen', async t => {
      const { page } = await open(t, path, LETTER)
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      await assertReadable(page)
      await assertFits(page)
      await page.setViewportSize({ width: 320, height: 800 })
      for (const code of await page.locator('pre').all()) {
        const [needed, there] = await code.evaluate(pre => [pre.scrollWidth, pre.clientWidth])
        equal(needed, there)
      }
      for (const element of await page.locator('nav, .search, .skip, button').all()) {
        ok(!(await element.isVisible()), `${element} is printed`)
      }
      deepEqual(await stylesOf(page.locator('body'), 'color'), ['rgb(29, 37, 48)'])
      ok(await page.locator('.printed').isVisible(), 'the URL is not printed')
    })

    test('keeps its shape in forced colors', async t => {
      const { page } = await open(t, path, PHONE, { forcedColors: 'active' })
      await assertReadable(page)
      await assertFits(page)
      const nav = page.getByRole('navigation', { name: 'Pages' })
      const borders = await stylesOf(nav.getByRole('link'), 'border-bottom-color')
      const [paper] = await stylesOf(page.locator('body'), 'background-color')
      equal(borders.filter(color => color !== paper).length, 1, 'only this page is underlined')
    })

    test('moves nothing by itself for people who want no motion', async t => {
      const { page } = await open(t, path, DESKTOP)
      const styles = ['scroll-behavior', 'transition-duration', 'animation-name']
      const found = await stylesOf(page.locator('html, html *'), ...styles)
      deepEqual([...new Set(found)], ['auto 0s none'])
    })
  })
}

/** The buttons that copy code, in their order, each made visible. */
async function* copyButtons(page: Page): AsyncGenerator<Locator> {
  await page.locator('main details').evaluateAll(all => all.map(details => (details.open = true)))
  for (const button of await page.locator('.copy:not(.whole)').all()) {
    await button.evaluate(button => button.closest('.tab')?.querySelector('input').click())
    yield button
  }
}

describe('the button beside code', () => {
  const permissions = ['clipboard-read', 'clipboard-write']
  const clipboardOf = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()')

  for (const path of PAGES) {
    test(`copies the code that the Markdown of the page has there: ${path}`, async t => {
      const { page } = await open(t, path, PHONE, { permissions })
      const markdown = await (await fetch(`${base}${path}.md`)).text()
      const fences = Array.from(
        markdown.matchAll(/^```[^\n]+\n(.*?)\n```$|^`POST (\S+)`$/gms),
        ([, code, url]) => code ?? url,
      )
      const copied: string[] = []
      for await (const button of copyButtons(page)) {
        await button.click()
        await button.filter({ hasText: 'Copied' }).waitFor()
        copied.push(await clipboardOf(page))
      }
      deepEqual(copied, fences)
    })
  }

  test('copies a first request that can be pasted into a shell', async t => {
    requireProgram('/usr/bin/curl', 'curl')
    const { page } = await open(t, '/developers', DESKTOP, { permissions })
    await page.getByRole('button', { name: 'Copy: curl' }).click()
    const running = promisify(execFile)('/bin/sh')
    running.child.stdin?.end(await clipboardOf(page))
    match((await running).stdout, /^\{"valid": ?true\}$/)
  })

  test('is reached and pressed by the keyboard, says so, and is ready again soon', async t => {
    const { page } = await newPage(t, browser, DESKTOP, { permissions })
    await page.clock.install()
    await page.goto(`${base}/developers#first-request`)
    const button = page.getByRole('button', { name: 'Copy: curl' })
    await page.getByRole('radio', { name: 'curl' }).focus()
    await page.keyboard.press('Tab')
    ok(await button.evaluate(button => button.matches(':focus')))
    for (const key of ['Enter', 'Space']) {
      await page.evaluate('navigator.clipboard.writeText("")')
      await page.keyboard.press(key)
      await page
        .getByRole('status')
        .filter({ hasText: /^Copied$/ })
        .waitFor()
      match(await clipboardOf(page), /^curl /m)
      equal(await button.innerText(), 'Copied')
      await page.clock.fastForward(3000)
      equal(await page.getByRole('status').innerText(), '')
      equal(await button.innerText(), 'Copy')
    }
  })

  test('copies in the old way if the browser keeps its clipboard from the page', async t => {
    const { page } = await newPage(t, browser, PHONE, { permissions })
    await page.addInitScript('delete Navigator.prototype.clipboard')
    await page.goto(`${base}/developers`)
    await page.getByText('Python', { exact: true }).first().click()
    await page.getByRole('button', { name: 'Copy: Python' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /^Copied$/ })
      .waitFor()
    const { page: other } = await open(t, '/pricing', PHONE, { permissions })
    equal(await clipboardOf(other), await page.getByRole('group', { name: 'Python' }).textContent())
  })

  test('selects the code, and says so, if it may not copy anything', async t => {
    const { page } = await newPage(t, browser, PHONE)
    await page.addInitScript('delete Navigator.prototype.clipboard')
    await page.addInitScript('document.execCommand = () => false')
    await page.goto(`${base}/developers`)
    await page.getByText('Python', { exact: true }).first().click()
    const button = page.getByRole('button', { name: 'Copy: Python' })
    await button.click()
    await page.getByRole('status').filter({ hasText: 'Selected.' }).waitFor()
    equal(await button.innerText(), 'Selected')
    const selected = await page.evaluate('String(getSelection())')
    equal(selected, await page.getByRole('group', { name: 'Python' }).innerText())
  })
})

describe('"On this page"', () => {
  const above = (page: Page) => page.getByRole('navigation', { name: 'On this page' })
  const beside = (page: Page) => page.getByRole('navigation', { name: 'Pages and sections' })

  for (const path of PAGES) {
    test(`stands beside the text on a wide screen, and stays there: ${path}`, async t => {
      const { page } = await open(t, path, DESKTOP)
      const contents = beside(page)
      await page.locator('main > :last-child').evaluate(end => end.scrollIntoView(false))
      await assertInView(contents)
      await assertLeadToHeadings(page, contents.locator('[href^="#"]'))
    })

    test(`sets the sections of the page further in than the pages: ${path}`, async t => {
      const { page } = await open(t, path, DESKTOP)
      const startOf = (words: string) =>
        beside(page)
          .locator(words)
          .first()
          .evaluate(one => {
            const text = one.ownerDocument.createRange()
            text.selectNodeContents(one)
            return text.getBoundingClientRect().x
          })
      const [current, other, section] = [
        await startOf('[aria-current=page]'),
        await startOf('a:not([href^="#"], [aria-current])'),
        await startOf('[href^="#"]'),
      ]
      equal(current, other)
      ok(section > current + 10, `${section} and ${current}`)
    })

    test(`is unfolded above the text, and as wide, on a small screen: ${path}`, async t => {
      const { page } = await open(t, path, 820, { javaScriptEnabled: false })
      const contents = above(page)
      equal(await contents.getByRole('link').count(), 0)
      const [box, text] = [await contents.boundingBox(), await page.locator('main').boundingBox()]
      deepEqual([box?.x, box?.width], [text?.x, text?.width])
      await contents.getByText('On this page').click()
      await assertLeadToHeadings(page, contents.getByRole('link'))
    })

    test(`has sections that a URL may open at: ${path}`, async t => {
      const { page } = await open(t, path, PHONE)
      const ids = await page.locator('main h2').evaluateAll(all => all.map(({ id }) => id))
      for (const id of ids) {
        // Another URL each time, which loads the page again: within one, the end of it only scrolls.
        await page.goto(`${base}${path}?from=${id}#${id}`)
        await assertInView(page.locator(`[id="${id}"]`))
      }
    })
  }

  async function assertLeadToHeadings(page: Page, links: Locator): Promise<void> {
    const headings = await page.locator('main :is(h2, h3)').allInnerTexts()
    deepEqual(await links.allInnerTexts(), headings)
    for (const link of await links.all()) {
      await link.click()
      const [, id = ''] = (await link.getAttribute('href'))?.split('#') ?? []
      await assertInView(page.locator(`[id="${id}"]`))
    }
  }
})

/** Letter is 8.5 inches of 96 pixels, less two margins of 2 cm. */
const LETTER = Math.floor(8.5 * 96 - (4 / 2.54) * 96)
