/** The page of security requirements: each names the test that holds it, which must exist. */
import { deepEqual, ok } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const page = readFileSync('docs/security-requirements.md', 'utf8')
const rows = page.split('\n').filter(line => /^\| (?!Requirement )/.test(line))

test('each security requirement names a test that exists', () => {
  ok(rows.length > 20, 'no rows were found')
  const held = rows.map(row => ({
    row,
    tests:
      row
        .split('|')
        .at(-2)
        ?.match(/test\/[\w./-]+\.test\.ts/g) ?? [],
  }))
  deepEqual(
    held.filter(({ tests }) => tests.length === 0 || !tests.every(file => existsSync(file))).map(({ row }) => row),
    [],
  )
})
