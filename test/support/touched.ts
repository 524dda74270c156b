/** The tests of what has changed since the branch left `main`, and is not committed yet. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { dirname } from 'node:path'

/** They read the whole project, and are quick. */
const ALWAYS = ['test/architecture.test.ts', 'test/words.test.ts']

/** The beginnings of the paths of these tests. A changed helper of the tests stands for none: run what uses it. */
export function touchedTests(): string[] {
  const base = git('merge-base', 'HEAD', 'main').trim()
  const changed = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')]
  const files = changed.flatMap(names => names.split('\n')).filter(name => name !== '')
  return [...new Set([...ALWAYS, ...files.flatMap(testsOf)])]
}

/** `src/leads/body/x.ts` is tested in `test/leads/`, `src/x.ts` in `test/x.test.ts`. */
function testsOf(file: string): string[] {
  if (file.endsWith('.test.ts')) return existsSync(file) ? [file] : []
  const path = file.replace(/^src\//, 'test/')
  const alone = path.replace(/\.ts$/, '.test.ts')
  if (existsSync(alone)) return [alone]
  for (let folder = dirname(path); folder.includes('/'); folder = dirname(folder)) {
    if (folder.startsWith('test/') && globSync(`${folder}/**/*.test.ts`).length > 0) return [`${folder}/`]
  }
  return file.startsWith('content/') ? ['test/content/'] : []
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' })
}
