/** The page of security requirements: each names the tests that hold it, which must exist. */
import { deepEqual, ok } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const page = readFileSync('docs/security-requirements.md', 'utf8')
const rows = page.split('\n').filter(line => /^\| (?!Requirement )/.test(line))

/** Whether a file has a test whose title begins in this way. */
const has = (file: string, title: string): boolean =>
  existsSync(file) &&
  readFileSync(file, 'utf8')
    .split('\n')
    .some(line => /^\s*test\(/.test(line) && line.includes(title))

test('each security requirement names tests that exist', () => {
  ok(rows.length > 40, 'no rows were found')
  const held = rows.map(row => ({ row, tests: [...row.matchAll(/`(test\/[\w./-]+\.test\.ts)`: “([^”]+)”/g)] }))
  deepEqual(
    held
      .filter(({ tests }) => tests.length === 0 || !tests.every(([, file = '', title = '']) => has(file, title)))
      .map(({ row }) => row),
    [],
  )
})
