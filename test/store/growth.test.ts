/** What grows: the guide says of everything that is stored what deletes it. */
import { deepEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tables } from '../../src/store/move/tables.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
const [, section = ''] = /\n## What grows, and what bounds it\n(.*?)\n## /s.exec(guide) ?? []

test('the guide says of every table how it grows and what deletes its rows', () => {
  const named = new Set([...section.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name))
  deepEqual(
    tables.map(({ name }) => name as string).filter(name => !named.has(name)),
    [],
  )
  ok(tables.length > 40)
})
