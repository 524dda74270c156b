/** Whether everybody can use a page, as far as axe-core can tell. */
import { AssertionError } from 'node:assert'
import axe, { type Result } from 'axe-core'
import type { Page } from 'playwright-core'

/** WCAG 2.2 at level AA, with all that it includes, and what axe-core advises beyond it. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Throws an AssertionError that lists what is wrong with the page as it stands, and how to change it.
 * A contrast that cannot be told, as over an image, counts as too low.
 */
export async function assertAccessible(page: Page): Promise<void> {
  // By the debugger, which no CSP binds: a context that bypasses it would no longer test the page
  // that people get.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
  const { violations, incomplete } = await page.evaluate(
    values =>
      axe.run({ runOnly: { type: 'tag', values }, resultTypes: ['violations', 'incomplete'] }),
    TAGS,
  )
  const unclear = incomplete.filter(({ id }) => id.startsWith('color-contrast'))
  const found = [...violations, ...unclear]
  if (found.length > 0) {
    throw new AssertionError({ message: `${page.url()} is not accessible:\n${describe(found)}` })
  }
}

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
