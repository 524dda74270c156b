/** What grows: the guide says of everything that is stored what deletes it. */
import { deepEqual, ok } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tables } from '../../src/store/move/tables.ts'
import { startApp } from '../support/app.ts'
import { aSite } from '../support/bodies.ts'

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

test('the guide says the same of every file that the service makes in its data folder', async t => {
  const { dataDir, postSite, settle } = await startApp(t, { mail: 'real' })
  await postSite(aSite())
  await settle()
  const files = readdirSync(dataDir).filter(name => name !== 'frontdesk.db')
  ok(files.includes('mail'))
  deepEqual(
    files.filter(name => !section.includes(`\`${name}\``) && !section.includes(`\`${name}/\``)),
    [],
  )
})

test('the guide names for everything what bounds it, and never someone who has to remember it', () => {
  const rows = section.split('\n').filter(line => line.startsWith('| `'))
  const bounds = rows.map(row => row.split('|').at(-2)?.trim() ?? '')
  ok(rows.length > 20)
  deepEqual(
    bounds.filter(bound => bound === '' || /^you\b/.test(bound)),
    [],
  )
})
