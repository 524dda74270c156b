/**
 * `npm test`: all tests, or those in files and folders that the arguments name. Options:
 * --test-name-pattern WORDS: only the tests whose names have them, those of their suites included;
 * --touched: only those of what has changed (see support/touched.ts), without a browser or a process of their own;
 * --engine sqlite: what is tested on each engine, on that one alone.
 *
 * Two queues run side by side: a file that mostly waits, for a frozen server or the end of a lease,
 * would otherwise hold the place of one that computes. A worker that is done with one queue helps with the other. The
 * files of a folder share a process, and so do all small folders, and all files with a browser: to start it and load
 * the service costs more than most files do.
 */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { shareCompiledCode } from './support/compiled-code.ts'
import { removeKept } from './support/kept.ts'
import { shareDatabases } from './support/share-databases.ts'
import { type Outcome, TestReport } from './support/test-report.ts'
import { touchedTests } from './support/touched.ts'

/** Each in a process of its own. What takes the longest comes first, so that no core is idle at the end. */
const WAITING = [
  'campaign/*',
  // It may have to install a browser, for which everything else in its process would wait.
  'test/forms/autofill-in-a-browser*',
  'test/process/*-killed*',
  'test/process/postgres-replicas*',
  'test/process/*',
  'test/mail/inbound/mailbox*',
]

/** They wait, too, and share a process for its browser. */
const BROWSER = ['test/**/*-a-browser*']

/** Stands for all folders that are not in the list below. */
const SMALL = 'the small folders'

/** The others, by the time that they compute, the longest first. */
const FOLDERS = ['test/tasks', 'test/console', 'test/store', 'test/cli', SMALL, 'test/http', 'test/http/discovery']

/** Files that share a process, and what the report calls them. */
type Group = { name: string; files: string[] }

/** For a single test on a machine that is busy and slow, in milliseconds: only one that hangs takes so long. */
const TIMEOUT = 900_000

/** Only the gate runs a group that failed again, with the same numbers, because CI is set. */
const secondRuns = process.env['CI'] !== undefined && process.argv.length === 2

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
    touched: { type: 'boolean', default: false },
    engine: { type: 'string' },
  },
})
process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const named = options.touched ? touchedTests() : positionals
if (options.engine !== undefined) onlyOn(options.engine)
if (named.length === 0) buildProgram()
shareCompiledCode()
removeKept()
const report = new TestReport()
const waiting = filesOf(WAITING)
const browser = filesOf(BROWSER).filter(file => !waiting.includes(file))
const others = Map.groupBy(
  filesOf(['test/**/*']).filter(file => !waiting.includes(file) && !browser.includes(file)),
  file => (FOLDERS.includes(dirname(file)) ? dirname(file) : SMALL),
)
const waitingQueue: Group[] = [
  { name: 'in a browser', files: browser },
  ...waiting.map(file => ({ name: file, files: [file] })),
].filter(() => !options.touched)
const queue: Group[] = FOLDERS.map(name => ({ name, files: others.get(name) ?? [] }))

/** If more groups than this fail, a busy machine is not the reason. */
const MOST_UNSTEADY = 3

const failed: { group: Group; outcome: Outcome }[] = []

const databases = await shareDatabases()
try {
  const work = async (first: Group[], then: Group[]) => {
    await workOff(first)
    await workOff(then)
  }
  const [waits, computes] = [() => work(waitingQueue, queue), () => work(queue, waitingQueue)]
  await Promise.all([waits(), waits(), waits(), computes(), computes(), computes()])
  for (const { group, outcome } of failed) await confirm(group, outcome)
} finally {
  await databases.close()
}
report.finish()
process.exitCode = report.passed ? 0 : 1

/** In a whole run, the processes that tests start are those of the bundle. */
function buildProgram(): void {
  execFileSync('npm', ['run', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] })
  process.env['TEST_PROGRAM'] = fileURLToPath(new URL('../dist/bin/frontdesk.js', import.meta.url))
}

/** For a quick run. The gate never leaves an engine out. */
function onlyOn(engine: string): void {
  if (process.env['CI']) throw new Error('CI is set, where both engines are tested: leave --engine out.')
  if (engine !== 'sqlite' && engine !== 'postgres') throw new Error(`There is no engine ${engine}: sqlite or postgres.`)
  process.env['TEST_ENGINE'] = engine
}

function filesOf(patterns: string[]): string[] {
  return [...new Set(patterns.flatMap(pattern => globSync(`${pattern}.test.ts`).toSorted()))].filter(
    file => named.length === 0 || named.some(path => file.startsWith(path)),
  )
}

/** Runs groups of files, each in one process, until none is left. */
async function workOff(groups: Group[]): Promise<void> {
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    if (group.files.length === 0) continue
    const outcome = await runGroup(group)
    if (outcome.passed) report.add(outcome)
    else failed.push({ group, outcome })
  }
}

/** Runs a group that has failed once more, without others beside it, and reports how that ends. */
async function confirm(group: Group, before: Outcome): Promise<void> {
  const last = !secondRuns || failed.length > MOST_UNSTEADY || group.name.startsWith('campaign/')
  if (last) report.add(before)
  else report.add(await runGroup(group, ', again and alone'), before)
}

function runGroup({ name, files }: Group, how = ''): Promise<Outcome> {
  const entry = 'test/support/one-process.ts'
  const title = files.length === 1 ? files[0] : name
  const testNamePatterns = options['test-name-pattern']
  return report.follow(`${title}${how}`, run({ files: [entry], argv: files, timeout: TIMEOUT, testNamePatterns }))
}
