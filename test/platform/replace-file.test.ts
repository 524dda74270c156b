/** Writing a whole file that other programs read. */
import { deepEqual, equal, rejects } from 'node:assert/strict'
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { replaceFile } from '../../src/platform/replace-file.ts'
import { temporaryFolder } from '../support/folder.ts'

async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

test('until all of a file is written, the one before stands in its place', async t => {
  const folder = join(temporaryFolder(t), 'not', 'there yet')
  const read = () => readFileSync(join(folder, 'a.csv'), 'utf8')
  await replaceFile(folder, 'a.csv', pieces('one,', 'two'))
  equal(read(), 'one,two')
  const seen: string[] = []
  async function* slowly() {
    yield Buffer.from('three,')
    seen.push(read())
    yield Buffer.from('four')
    seen.push(read())
  }
  await replaceFile(folder, 'a.csv', slowly())
  deepEqual(seen, ['one,two', 'one,two'])
  equal(read(), 'three,four')
})

test('a file that fails half way leaves nothing of itself, and the one before stays', async t => {
  const folder = temporaryFolder(t)
  await replaceFile(folder, 'a.csv', pieces('one'))
  async function* failing() {
    yield Buffer.from('two')
    throw new Error('the database is away')
  }
  await rejects(replaceFile(folder, 'a.csv', failing()), /the database is away/)
  deepEqual(readdirSync(folder), ['a.csv'])
  equal(readFileSync(join(folder, 'a.csv'), 'utf8'), 'one')
})

test('a program that may write into the folder cannot have another file overwritten by a link', async t => {
  const folder = temporaryFolder(t)
  const other = join(temporaryFolder(t), 'other.db')
  writeFileSync(other, 'precious')
  for (const name of ['a.csv', '.a.csv.part']) symlinkSync(other, join(folder, name))
  await replaceFile(folder, 'a.csv', pieces('one'))
  equal(readFileSync(other, 'utf8'), 'precious')
  equal(lstatSync(join(folder, 'a.csv')).isFile(), true)
  deepEqual(readdirSync(folder), ['a.csv'])
})
