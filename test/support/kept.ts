/** What a failed test leaves to look at. The next run removes it. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

/** Lists the folders that the next run removes, a line each. */
const LIST = fileURLToPath(new URL('../../node_modules/.cache/frontdesk-kept', import.meta.url))

/** Whether a test has failed, when everything that cleans up after it runs. False for a whole file. */
export const hasFailed = (t: TestContext): boolean => t.passed === false

/** Says where a folder is, and lists it. */
export function keep(t: TestContext, folder: string, content: string): void {
  mkdirSync(dirname(LIST), { recursive: true })
  appendFileSync(LIST, `${folder}\n`)
  t.diagnostic(`${content} of "${t.fullName}": ${folder}`)
}

export function removeKept(): void {
  if (!existsSync(LIST)) return
  for (const folder of readFileSync(LIST, 'utf8').split('\n'))
    if (folder) rmSync(folder, { recursive: true, force: true })
  rmSync(LIST)
}
