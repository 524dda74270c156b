/** The console when a file that every page needs is gone, so that not even the page of an error can be made. */
import { equal, match } from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startConsole } from '../support/console.ts'
import { temporaryFolder } from '../support/folder.ts'

test('says so in words, and the log says why', async t => {
  const logo = join(temporaryFolder(t), 'logo.svg')
  writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>')
  const service = await startConsole(t, { settings: { school: { brand: { logo } } } })
  rmSync(logo)
  const { status, text, headers } = await (await service.client()).get('/sign-in')
  equal(status, 500)
  match(text, /The console cannot show its pages. Its log says why./)
  equal(headers.get('cache-control'), 'no-store')
  match(service.log.join(''), /ENOENT.*logo\.svg/)
})
