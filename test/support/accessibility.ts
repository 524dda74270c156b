/** Checks with axe-core whether everyone can use a page. */
import { AssertionError } from 'node:assert'
import axe, { type AxeResults, type Result, type RunOnly } from 'axe-core'
import type { Page } from 'playwright-core'

/** WCAG 2.2 at level AA, everything that it includes, and axe-core's own advice beyond it. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Throws an AssertionError that lists what is wrong with the page as it stands, and how to change it.
 * A contrast that axe-core cannot measure, as over an image, counts as too low. Code that is scrolled
 * out of sight is measured with its lines broken, so that all of it is visible.
 */
export async function assertAccessible(page: Page): Promise<void> {
  // The debugger runs it, because no CSP applies there: a context that bypasses the CSP would no
  // longer test the page that people get.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
  const { violations, incomplete } = await examine(page, { type: 'tag', values: TAGS })
  const found = [...violations]
  if (incomplete.some(isContrast)) {
    await breakLines(page, true)
    const again = await examine(page, { type: 'rule', values: ['color-contrast'] })
    await breakLines(page, false)
    found.push(...again.violations, ...again.incomplete)
  }
  if (found.length > 0) {
    throw new AssertionError({ message: `${page.url()} is not accessible:\n${describe(found)}` })
  }
}

const isContrast = ({ id }: Result): boolean => id === 'color-contrast'

const examine = (page: Page, runOnly: RunOnly): Promise<AxeResults> =>
  page.evaluate(runOnly => axe.run({ runOnly, resultTypes: ['violations', 'incomplete'] }), runOnly)

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
