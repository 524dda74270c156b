/** The public pages, opened in a browser by a person who has never been here. */
import { deepEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { PartialSettings } from '../../../src/config/settings.ts'

export const PAGES = ['/developers', '/docs/api', '/forms', '/pricing']

/** Everything that an operator can have on these pages. */
export const settings: PartialSettings = {
  school: {
    name: 'Northside Trade School',
    phone: '+1 214 555 0100',
    website: 'www.northside.example',
    postalAddress: '100 Main Street, Dallas, TX 75201',
  },
  contacts: { developers: 'api@northside.example', security: 'mailto:security@northside.example' },
  pricing: { charges: [{ what: 'Tuition', price: '$4,900', note: 'for the whole program' }] },
}

/** A window without motion, `width` pixels wide, and what it loads and logs. */
export async function newPage(t: TestContext, browser: Browser, width: number, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, reducedMotion: 'reduce', ...options })
  t.after(() => context.close())
  const page = await context.newPage()
  const origins = new Set<string>()
  const complaints: string[] = []
  page.on('request', request => origins.add(new URL(request.url()).origin))
  page.on('response', response => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  page.on('requestfailed', request => complaints.push(`failed: ${request.url()}`))
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(String(error)))
  return { page, origins, complaints }
}

/** Nothing reaches beyond the sides of the window, and only code scrolls to the side. */
export async function assertFits(page: Page): Promise<void> {
  const beyond = await page.locator('body *').evaluateAll(all => {
    const { documentElement, defaultView } = all[0].ownerDocument
    const scrolls = (element: (typeof all)[0]) =>
      element.scrollWidth > element.clientWidth &&
      (element === documentElement || /auto|scroll/.test(defaultView.getComputedStyle(element).overflowX))
    return [documentElement, ...all]
      .filter(element => {
        const { left, right } = element.getBoundingClientRect()
        const isOutside = left < 0 || right > documentElement.clientWidth + 0.5
        if (element.closest('pre')) return element.matches('pre') && isOutside
        return isOutside || scrolls(element)
      })
      .map(element => element.outerHTML.slice(0, 80))
  })
  deepEqual(beyond, [], `at ${page.viewportSize()?.width} pixels`)
}

/** The whole of the element is in the window, and nothing lies on it. */
export async function assertInView(element: Locator): Promise<void> {
  const { hidden } = await lookAt(element)
  deepEqual(hidden, '', `${element} is out of view, ${hidden}`)
}

/** What a person sees of an element, asked of the browser once: each question takes a while. Throws if it is not there. */
export const lookAt = (element: Locator) =>
  element.evaluateAll(([focused], which) => {
    if (focused === undefined) throw new Error(`no element is ${which}`)
    // A radio button is seen as its label.
    const element = focused.closest('.tab > label') ?? focused
    const style = element.ownerDocument.defaultView.getComputedStyle(element)
    const outline = `${style.outlineStyle} ${style.outlineWidth}`
    const { role, innerText: text } = element
    const look = (hidden: string) => ({ hidden, outline, role, text })
    const { left, top, right, bottom } = element.getBoundingClientRect()
    const { innerHeight, innerWidth } = element.ownerDocument.defaultView
    if (top < 0 || bottom > innerHeight || left < 0 || right > innerWidth) {
      return look(`at ${top} to ${bottom} of ${innerHeight}`)
    }
    const [line] = element.getClientRects()
    const middle = [(line.left + line.right) / 2, (line.top + line.bottom) / 2]
    const shown = element.ownerDocument.elementFromPoint(...middle)
    return look(element.contains(shown) ? '' : `under ${shown?.outerHTML.slice(0, 80)}`)
  }, String(element))

/** The computed values of some properties, of each element in one text. */
export const stylesOf = (elements: Locator, ...properties: string[]): Promise<string[]> =>
  elements.evaluateAll(
    (all, properties) =>
      all.map(element => {
        const style = element.ownerDocument.defaultView.getComputedStyle(element)
        return properties.map(property => style.getPropertyValue(property)).join(' ')
      }),
    properties,
  )

/** How far the browser says that things moved, and when the page was shown and read. */
export const LOADING = `new Promise(resolve => {
  let moved = 0
  const add = entries => { for (const { value } of entries) moved += value }
  const observer = new PerformanceObserver(list => add(list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  const tell = () => {
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    if (!paint) return requestAnimationFrame(tell)
    add(observer.takeRecords())
    const [{ domInteractive: read }] = performance.getEntriesByType('navigation')
    resolve({ moved, shown: paint.startTime, read })
  }
  requestAnimationFrame(() => requestAnimationFrame(tell))
})`

/**
 * Passes on what `base` serves, but sends the last script of each page only after `sendTheRest`: until then, a browser
 * shows what it has.
 */
export async function startInTwoParts(t: TestContext, base: string): Promise<{ base: string; sendTheRest(): void }> {
  const rest = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const answer = await fetch(base + request.url, { headers: { accept: request.headers.accept ?? '*/*' } })
    const body = Buffer.from(await answer.arrayBuffer())
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type })
    const end = type.startsWith('text/html') ? body.lastIndexOf('<script') : -1
    if (end < 0) return response.end(body)
    response.write(body.subarray(0, end))
    await rest.promise
    return response.end(body.subarray(end))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sendTheRest: rest.resolve }
}

/** The elements of the content, with their places. */
export const blocksOf = (page: Page): Promise<string[]> =>
  page.locator('main *:not(.copy, figcaption, .trial, .trial *)').evaluateAll(all =>
    all.map(element => {
      const { x, y, width, height } = element.getBoundingClientRect()
      return `${element.tagName} ${[x, y, width, height].map(Math.round)}`
    }),
  )
