/**
 * `npm run campaign:mutants`: plants each defect of the table in a copy of the source, and runs a simulated month on it,
 * which must find it. Exits with 1 if it does not, or if it finds anything without a defect.
 */
import { execFile } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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
    results: { type: 'string' },
  },
})
const { only, results } = values
const seeds = values.seeds.split(',').map(seed => whole('seeds', seed, 0))
const leads = whole('leads', values.leads, 1)

type Size = { leads: number; pace: number }

const sizeOf = ({ month = { leads, pace: 8 } }: Mutant): Size => month

/** What the months of one mutant, or without one, have found. */
type Result = { what: string; seed: number; seconds: number; found?: string | undefined }

/** What earlier runs with the same `--results` file have written, so that a run that ended early goes on. */
const known = new Map(
  (results !== undefined && existsSync(results) ? readFileSync(results, 'utf8').split('\n') : [])
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Result)
    .map(one => [one.what, one]),
)

/** The first violation that one of the months of this size finds, in the source with this defect, or without any. */
async function findViolation(size: Size, mutant?: Mutant): Promise<Result> {
  const what = mutant?.breaks ?? `no defect in ${size.leads} leads`
  const before = known.get(what)
  if (before !== undefined) return before
  const begun = performance.now()
  let result: Result = { what, seed: 0, seconds: 0 }
  for (const seed of seeds) {
    const [found] = await violationsWith(size, seed, mutant)
    result = { what, seed, seconds: Math.round((performance.now() - begun) / 1000), found }
    if (found !== undefined) break
  }
  if (results !== undefined) appendFileSync(results, `${JSON.stringify(result)}\n`)
  return result
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
if (chosen.length === 0) throw new Error('--only must be part of what a mutant breaks')
// What a mutant breaks shows only where a month of the same size finds nothing without it.
for (const [, [mutant]] of Map.groupBy(chosen, one => JSON.stringify(sizeOf(one)))) {
  const size = sizeOf(mutant as Mutant)
  const { found } = await findViolation(size)
  if (found === undefined) continue
  throw new Error(`Without a defect, the month of ${size.leads} leads finds: ${found}. Choose other --seeds.`)
}
let missed = 0
for (const mutant of chosen) {
  const { found, seed, seconds } = await findViolation(sizeOf(mutant), mutant)
  if (found === undefined) missed++
  const how = found === undefined ? 'NOT CAUGHT' : `caught by seed ${seed}`
  print(`${how} in ${seconds} s: ${mutant.breaks}${found === undefined ? '' : ` (${found})`}`)
}
process.exitCode = missed === 0 ? 0 : 1
