/** The defects that `npm run campaign:mutants` plants in the source. */
import { equal, notEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { mutants } from '../../campaign/mutant-table.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

test('each defect for the simulated month to catch replaces a text that occurs once in its file', () => {
  for (const { breaks, file, text, by } of mutants) {
    equal(readFileSync(join(project, file), 'utf8').split(text).length, 2, breaks)
    notEqual(by, text)
  }
})
