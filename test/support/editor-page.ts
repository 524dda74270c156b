/** A page of the console with an editor, in a real browser, as a manager opens it. */
import type { TestContext } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { startConsole } from './console.ts'

type Options = BrowserContextOptions & { service?: Parameters<typeof startConsole>[1] }

/** `said` waits until a screen reader hears these words. `asOf` reads the page as it is stored. */
export async function openEditor(
  t: TestContext,
  browser: Browser,
  path: string,
  { service: how, ...options }: Options = {},
) {
  const service = await startConsole(t, how)
  const manager = await service.client('manager')
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  })
  t.after(() => context.close())
  const url = service.origin.console
  await context.addCookies([{ name: 'session', value: manager.cookies.get('session') ?? '', url }])
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  await page.goto(`${url}${path}`)
  const said = (words: string) => page.locator('[data-say]', { hasText: words }).waitFor({ state: 'attached' })
  return { service, page, errors, said, preview: page.frameLocator('.preview iframe'), asOf: () => manager.get(path) }
}
