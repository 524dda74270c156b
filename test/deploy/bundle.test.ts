/** What `npm run build` makes, from which the image is made. In a whole run, other tests start it, too. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bundle, ENTRIES } from '../../deploy/build.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program, SOURCE } from '../support/program.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The command of the bundle, which a run of this file alone makes first. */
async function bundled(t: TestContext): Promise<string> {
  if (program() !== SOURCE) return program()
  const folder = temporaryFolder(t)
  await bundle(folder)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'bin/frontdesk.js')
}

test('the bundle has every command of the source, and sets up a school as the source does', async t => {
  const built = await bundled(t)
  const run = (command: string, ...args: string[]) => {
    const cwd = temporaryFolder(t)
    writeFileSync(join(cwd, 'answers.json'), JSON.stringify({ dataDir: join(cwd, 'data'), schoolName: 'Mesa' }))
    const printed = execFileSync(process.execPath, [command, ...args], { cwd, encoding: 'utf8', env: {} })
    return { cwd, printed }
  }
  equal(run(built, '--help').printed, run(SOURCE, '--help').printed)
  const [ours, theirs] = [SOURCE, built].map(command => {
    const { cwd } = run(command, 'init', '--answers', 'answers.json')
    return readdirSync(join(cwd, 'school'))
      .toSorted()
      .map(name => [name, readFileSync(join(cwd, 'school', name), 'utf8').replaceAll(/^import type .*|\/\S+/gm, '')])
  })
  ok(ours?.length)
  deepEqual(theirs, ours)
})

test('the bundle holds the code of each thread', () => {
  const started = globSync('src/**/*.ts', { cwd: root }).flatMap(file =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/threadCode\('([^']+)'\)/g)].flatMap(([, name]) => name ?? []),
  )
  deepEqual(ENTRIES.toSorted(), ['main', ...started].toSorted())
})
