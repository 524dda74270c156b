/**
 * `npm test`: all tests, or those in files and folders that the arguments name.
 *
 * Two queues run side by side: a file that mostly waits, for a frozen server or the end of a lease,
 * would else hold the place of one that computes. Files that start no service share one process.
 */
import { globSync } from 'node:fs'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { globalSetup, globalTeardown } from './support/global-setup.ts'
import { TestReport } from './support/test-report.ts'

const ALL = ['test/**/*.test.ts']
const WAITING = ['campaign/*.test.ts', 'test/process/*.test.ts']
const PURE = ['test/{config,content,follow-up,leads,mail}/*.test.ts', 'test/*.test.ts']

/** For a single test, in milliseconds. */
const TIMEOUT = 120_000

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const named = process.argv.slice(2)
const waiting = filesOf(WAITING)
const pure = filesOf(PURE)
const others = filesOf(ALL).filter(file => !waiting.includes(file) && !pure.includes(file))
const report = new TestReport()

await globalSetup()
try {
  await Promise.all([inQueue(waiting), inOneProcess(pure), inQueue(others)])
} finally {
  await globalTeardown()
}
report.finish()
process.exitCode = report.passed ? 0 : 1

function filesOf(patterns: string[]): string[] {
  const files = patterns.flatMap(pattern => globSync(pattern).toSorted())
  return files.filter(file => named.length === 0 || named.some(path => file.startsWith(path)))
}

async function inQueue(files: string[]): Promise<void> {
  if (files.length > 0) await report.follow(run({ files, concurrency: 2, timeout: TIMEOUT }))
}

async function inOneProcess(argv: string[]): Promise<void> {
  const files = ['test/support/one-process.ts']
  if (argv.length > 0) await report.follow(run({ files, argv, timeout: TIMEOUT }))
}
