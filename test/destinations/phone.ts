/**
 * A phone on which an admin follows a page of the documentation, and what the pages of the console have shown so far.
 * Each page is also checked on a desktop.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { type ConsoleClient, signInAgain, type TestConsole } from '../support/console.ts'

/** As narrow as phones are. */
const phone = { width: 360, height: 740 }
const desktop = { width: 1280, height: 800 }

export async function startPhone(t: TestContext, service: TestConsole, admin: ConsoleClient) {
  const browser = await startBrowser(t)
  const context = await browser.newContext({
    viewport: phone,
    reducedMotion: 'reduce',
    hasTouch: true,
    acceptDownloads: true,
  })
  t.after(() => context.close())
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  const url = service.origin.console
  let seen = ''

  /** Reads the page, which must fit on a desktop and on the phone. */
  async function look(): Promise<void> {
    seen += ` ${await page.evaluate('document.body.textContent')}`
    for (const screen of [desktop, phone]) {
      await page.setViewportSize(screen)
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      equal(wide, screen.width, `${page.url()} is ${wide} pixels wide on a screen of ${screen.width}`)
    }
  }

  return {
    page,
    look,
    async signIn() {
      await signInAgain({ store: service.app.store, clock: service.clock }, admin)
      await context.addCookies([{ name: 'session', value: admin.cookies.get('session') ?? '', url }])
      seen = ''
    },
    async open(path: string) {
      await page.goto(`${url}${path}`)
      await look()
    },
    async fromTheMenu(name: string) {
      await page.goto(`${url}/account`)
      await page.getByLabel('Show the menu').click()
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      await look()
    },
    async fill(fields: Record<string, string>) {
      for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text)
    },
    /** Presses a button that sends its form, and waits for what the next page says. */
    async press(name: string | RegExp, says: string | RegExp) {
      const button = page.getByRole('button', { name, exact: typeof name === 'string' }).first()
      // The page before may say the same already, so it must have gone.
      await Promise.all([page.waitForNavigation(), button.click()])
      await page.locator('body').getByText(says).first().waitFor()
      await look()
    },
    async reload() {
      await page.reload()
      await look()
    },
    /** Fails unless the console has shown everything that the steps of a guide name. */
    hasShown(steps: string[]) {
      const text = words(seen)
      const named = steps.flatMap(step =>
        [...step.matchAll(/(?<!\*)\*([^*]+)\*(?!\*)/g)].map(([, name = '']) => words(name)),
      )
      ok(named.length > 0)
      const missing = named.filter(name => !new RegExp(name.split('…').map(RegExp.escape).join('.{1,9}')).test(text))
      deepEqual([missing, errors], [[], []])
    },
  }
}

const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** The numbered steps under a heading of a page of the documentation that lead through the console. */
export function stepsOf(guide: string, heading: string): string[] {
  const text = readFileSync(new URL(`../../docs/${guide}.md`, import.meta.url), 'utf8')
  const [, section = ''] = text.split(new RegExp(`^##+ ${RegExp.escape(heading)}$`, 'm'))
  const steps = (section.split(/^##/m)[0] ?? '')
    .split(/^\d+\. /m)
    .slice(1)
    .map(words)
  const first = steps.findIndex(step => /(In|to) the console|^Open \*[A-Z]|inbox/.test(step))
  const test = steps.findIndex(step => /Send a test/.test(step))
  return steps.slice(first, test === -1 ? undefined : test + 1)
}
