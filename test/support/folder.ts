/** A folder of its own for a test, gone after it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
