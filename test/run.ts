/**
 * `npm test`: all tests, or those in files and folders that the arguments name.
 *
 * Two queues run side by side: a file that mostly waits, for a frozen server or the end of a lease,
 * would otherwise hold the place of one that computes. The files of a folder share a process, and so do
 * all small folders, since to start one and load the service costs more than most files do.
 */
import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { globalSetup, globalTeardown } from './support/global-setup.ts'
import { TestReport } from './support/test-report.ts'

/** Each in a process of its own. What takes the longest comes first, so that no core is idle at the end. */
const WAITING = [
  'campaign/*',
  'test/**/*-in-a-browser*',
  'test/process/*',
  'test/mail/inbound/mailbox*',
]

/** Stands for all folders that are not in the list below. */
const SMALL = 'the small folders'

/** The others, by the time that they compute, the longest first. */
const FOLDERS = [
  'test/tasks',
  'test/http',
  'test/cli',
  'test/store',
  'test/console',
  SMALL,
  'test/http/discovery',
]

/** For a single test on a busy machine, in milliseconds: only one that hangs takes so long. */
const TIMEOUT = 300_000

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const report = new TestReport()
const waiting = filesOf(WAITING)
const others = Map.groupBy(
  filesOf(['test/**/*']).filter(file => !waiting.includes(file)),
  file => (FOLDERS.includes(dirname(file)) ? dirname(file) : SMALL),
)
const waitingQueue = waiting.map(file => [file])
const queue = FOLDERS.map(folder => others.get(folder) ?? [])

await globalSetup()
try {
  await Promise.all([waitingQueue, waitingQueue, queue, queue].map(workOff))
} finally {
  await globalTeardown()
}
report.finish()
process.exitCode = report.passed ? 0 : 1

function filesOf(patterns: string[]): string[] {
  const named = process.argv.slice(2)
  return patterns
    .flatMap(pattern => globSync(`${pattern}.test.ts`).toSorted())
    .filter(file => named.length === 0 || named.some(path => file.startsWith(path)))
}

/** Runs groups of files, each in one process, until none is left. */
async function workOff(groups: string[][]): Promise<void> {
  for (let files = groups.shift(); files !== undefined; files = groups.shift()) {
    const [file] = files
    if (file === undefined) continue
    const folders = new Set(files.map(dirname))
    const name = files.length === 1 ? file : folders.size === 1 ? dirname(file) : SMALL
    const entry = 'test/support/one-process.ts'
    await report.follow(name, run({ files: [entry], argv: files, timeout: TIMEOUT }))
  }
}
