/** The command line beside a service: in this process, or in one of its own as an operator runs it. */

import { execFile } from 'node:child_process'
import { runCommand } from '../../src/cli/cli.ts'
import type { TestApp } from '../support/app.ts'
import { urlOf } from '../support/engines.ts'
import { HANGS_AFTER } from '../support/process.ts'
import { program } from '../support/program.ts'
import '../support/store-threads.ts'
import '../support/time-limits.ts'

export type Run = { code: number; out: string; err: string }

export type Frontdesk = (...args: string[]) => Promise<Run>

/** A process has one working folder, so one command runs at a time. */
let before: Promise<unknown> = Promise.resolve()

/** Neither our environment nor the settings of this folder reach it. */
export const frontdeskIn =
  (dataDir: string, env: Record<string, string> = {}): Frontdesk =>
  (...args) => {
    const run = before.then(() => runHere(dataDir, { DATA_DIR: dataDir, ...env }, args))
    before = run.catch(() => {})
    return run
  }

async function runHere(folder: string, env: Record<string, string>, args: string[]): Promise<Run> {
  const home = process.cwd()
  const run = { code: 0, out: '', err: '' }
  const writeTo = (stream: 'out' | 'err') => ({
    write: (text: string, written?: () => void) => {
      run[stream] += text
      written?.()
    },
  })
  process.chdir(folder)
  try {
    run.code = await runCommand(args, { env, stdout: writeTo('out'), stderr: writeTo('err') })
  } finally {
    process.chdir(home)
  }
  return run
}

/** The same in a process of its own; of our environment only the path reaches it. */
export const spawnedFrontdeskIn =
  (dataDir: string, env: Record<string, string> = {}): Frontdesk =>
  (...args) =>
    new Promise(resolve => {
      const options = {
        cwd: dataDir,
        env: { PATH: process.env['PATH'], DATA_DIR: dataDir, ...env },
        timeout: HANGS_AFTER,
      }
      execFile(process.execPath, [program(), ...args], options, (error, out, err) => {
        const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0
        resolve({ code, out, err })
      })
    })

/** On the same folder and database as a service. */
export const frontdeskBeside = ({ dataDir, database }: TestApp): Frontdesk =>
  frontdeskIn(dataDir, { DATABASE_URL: urlOf(database) })

/** As `frontdeskBeside`, in a process of its own. */
export const spawnedFrontdeskBeside = ({ dataDir, database }: TestApp): Frontdesk =>
  spawnedFrontdeskIn(dataDir, { DATABASE_URL: urlOf(database) })

/** The lines of a table without its header, each split into its columns. */
export const rowsOf = (table: string): string[][] =>
  table
    .trimEnd()
    .split('\n')
    .slice(1)
    .map(line => line.split(/ {2,}/))
