/**
 * `npm run campaign:mutants`: plants each defect of the table in a copy of the source, and runs a simulated month on it,
 * which must find it. Exits with 1 if it does not, or if it finds anything without a defect.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { type Mutant, mutants } from './mutant-table.ts'
import { print, whole } from './report.ts'

/** What a month needs of the project. */
const NEEDED = ['src', 'content', 'campaign', 'test', 'package.json', 'frontdesk.config.ts']

const project = fileURLToPath(new URL('..', import.meta.url))

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1,8' },
    leads: { type: 'string', default: '150' },
    only: { type: 'string', default: '' },
  },
})
const { only } = values
const seeds = values.seeds.split(',').map(seed => whole('seeds', seed, 0))
const leads = whole('leads', values.leads, 1)

type Size = { leads: number; pace: number }

const sizeOf = ({ month = { leads, pace: 8 } }: Mutant): Size => month

/** The first violation that one of the months of this size finds, in the source with this defect, or without any. */
async function findViolation(size: Size, mutant?: Mutant): Promise<string | undefined> {
  for (const seed of seeds) {
    const [found] = await violationsWith(size, seed, mutant)
    if (found !== undefined) return found
  }
  return undefined
}

async function violationsWith(size: Size, seed: number, mutant: Mutant | undefined): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-mutant-'))
  try {
    for (const path of NEEDED) cpSync(join(project, path), join(folder, path), { recursive: true })
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
    if (mutant !== undefined) {
      const file = join(folder, mutant.file)
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(mutant.text, () => mutant.by),
      )
    }
    const month = ['--seed', `${seed}`, '--leads', `${size.leads}`, '--pace', `${size.pace}`, '--kills', '0']
    const args = ['campaign/follow-up.ts', ...month]
    const options = { cwd: folder, maxBuffer: 2 ** 28 }
    const { stdout } = await promisify(execFile)(process.execPath, args, options).catch(error => {
      // A month that found something exits with 1.
      if (typeof error.stdout === 'string' && error.stdout.includes('VIOLATION: ')) return { stdout: error.stdout }
      throw error
    })
    const [, kept] = / violations\. See (\S+)/.exec(stdout) ?? []
    if (kept !== undefined) rmSync(kept, { recursive: true, force: true })
    return [...stdout.matchAll(/^VIOLATION: (.*)$/gm)].map(([, text = '']) => text)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const chosen = mutants.filter(({ breaks }) => breaks.includes(only))
// What a mutant breaks shows only where a month of the same size finds nothing without it.
for (const [, [mutant]] of Map.groupBy(chosen, one => JSON.stringify(sizeOf(one)))) {
  const size = sizeOf(mutant as Mutant)
  const found = await findViolation(size)
  if (found === undefined) continue
  throw new Error(`Without a defect, the month of ${size.leads} leads finds: ${found}. Choose other --seeds.`)
}
let missed = 0
for (const mutant of chosen) {
  const found = await findViolation(sizeOf(mutant), mutant)
  if (found === undefined) missed++
  print(found === undefined ? `NOT CAUGHT: ${mutant.breaks}` : `caught: ${mutant.breaks} (${found})`)
}
process.exitCode = missed === 0 ? 0 : 1
