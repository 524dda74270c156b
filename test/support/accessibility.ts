/** Checks with axe-core whether everyone can use a page. */
import { AssertionError } from 'node:assert'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AxeResults, Result, RunOptions } from 'axe-core'
import type { CDPSession, Page } from 'playwright-core'

/** WCAG 2.2 at level AA, everything that it includes, and axe-core's own advice beyond it. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Its rules about colors. The others say the same of a page in light and in dark, and take longer. */
const COLORS = ['color-contrast', 'link-in-text-block']

/** In half as many letters as its package exports it: each page that opens must read it. */
const program = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What the program calls itself in a page. */
declare const axe: typeof import('axe-core')

/** Throws an AssertionError that lists what is wrong with the page as it stands, and how to change it. */
export async function assertAccessible(page: Page): Promise<void> {
  const runOnly: RunOptions['runOnly'] = { type: 'tag', values: TAGS }
  // Only the colors need the lines of code broken. A page without code is examined in one pass.
  if ((await page.locator('pre').count()) === 0) return assertNone(page, problemsIn(await examine(page, { runOnly })))
  const rules = Object.fromEntries(COLORS.map(rule => [rule, { enabled: false }]))
  const { violations } = await examine(page, { runOnly, rules })
  assertNone(page, [...violations, ...(await inColors(page))])
}

/**
 * Throws the same for colors alone: for a page that `assertAccessible` has examined, in another mode or at
 * another width.
 */
export async function assertReadable(page: Page): Promise<void> {
  assertNone(page, await inColors(page))
}

/** What is wrong with the colors. Code is measured with its lines broken, so that none is scrolled out of sight. */
async function inColors(page: Page): Promise<Result[]> {
  await breakLines(page, true)
  const found = await examine(page, { runOnly: { type: 'rule', values: COLORS } })
  await breakLines(page, false)
  return problemsIn(found)
}

/** A contrast that axe-core cannot measure, as over an image, counts as too low. */
const problemsIn = ({ violations, incomplete }: AxeResults): Result[] => [
  ...violations,
  ...incomplete.filter(({ id }) => id === 'color-contrast'),
]

async function examine(page: Page, options: RunOptions): Promise<AxeResults> {
  if (!(await page.evaluate('"axe" in globalThis'))) await load(page)
  const resultTypes: RunOptions['resultTypes'] = ['violations', 'incomplete']
  return page.evaluate(options => axe.run(options), { ...options, resultTypes })
}

/**
 * In a page without JavaScript, only promises go on: no timer ever goes off. The program uses short ones to let a page
 * breathe, and long ones as limits.
 */
const TIMERS = `if (matchMedia('(scripting: none)').matches)
  globalThis.setTimeout = (run, time = 0) => { if (time < 1000) Promise.resolve().then(run) }`

const debuggers = new WeakMap<Page, CDPSession>()

/**
 * Runs the program in the page. The debugger does, because no CSP applies there: a context that bypasses the
 * CSP would no longer test the page that people get. `page.evaluate` would compile it for each page again.
 */
async function load(page: Page): Promise<void> {
  const session = debuggers.get(page) ?? (await page.context().newCDPSession(page))
  debuggers.set(page, session)
  const { exceptionDetails } = await session.send('Runtime.evaluate', { expression: `${TIMERS}\n${program}` })
  if (exceptionDetails) throw new Error(`axe-core does not run: ${exceptionDetails.text}`)
}

function assertNone(page: Page, found: Result[]): void {
  if (found.length === 0) return
  throw new AssertionError({ message: `${page.url()} is not accessible:\n${describe(found)}` })
}

const breakLines = (page: Page, broken: boolean): Promise<void> =>
  page.locator('pre').evaluateAll((all, broken) => {
    for (const { style } of all) {
      style.whiteSpace = broken ? 'pre-wrap' : ''
      style.wordBreak = broken ? 'break-all' : ''
    }
  }, broken)

function describe(found: Result[]): string {
  return found
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => {
        const change = failureSummary.replace(/\n\s*/g, '\n      ')
        return `  ${id}: ${help}\n    at ${target.join(' ')}\n    ${change}`
      }),
    )
    .join('\n')
}
