/** Someone who fills in a form, in a browser with or without scripts. */
import type { TestContext } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, FrameLocator, Page } from 'playwright-core'

export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true }

/** A window, whose pages must not report errors, such as what a policy forbids. */
export async function openWindow(t: TestContext, browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  t.after(() => context.close())
  return { context, ...(await newPage(context)) }
}

export async function newPage(context: BrowserContext) {
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

/** Another address each time. */
export const newEmail = (): string => `ana.${++people}@example.com`

/** Fills in what a student must, and returns the email address. */
export async function fillIn(page: Page | FrameLocator): Promise<string> {
  const email = newEmail()
  await page.locator('#firstName').fill('Ana')
  await page.locator('#lastName').fill('Ruiz')
  await page.locator('#email').fill(email)
  await page.locator('#phone').fill('512 555 0100')
  return email
}

export const press = (page: Page | FrameLocator): Promise<void> => page.locator('form button[part=button]').click()

export const thanks = (page: Page | FrameLocator): Promise<void> => page.locator('[data-frontdesk=sent]').waitFor()
