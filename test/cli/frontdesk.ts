/** The real command line, run as the operator runs it: a process of its own beside the service. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestApp } from '../support/app.ts'
import { urlOf } from '../support/engines.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url))

export type Run = { code: number; out: string; err: string }

export type Frontdesk = (...args: string[]) => Promise<Run>

/** Nothing of our own environment but the path reaches it, nor the settings of this folder. */
export const frontdeskIn =
  (dataDir: string, env: Record<string, string> = {}): Frontdesk =>
  (...args) =>
    new Promise(resolve => {
      const options = {
        cwd: dataDir,
        env: { PATH: process.env['PATH'], DATA_DIR: dataDir, ...env },
        timeout: 20_000,
      }
      execFile(process.execPath, [PROGRAM, ...args], options, (error, out, err) => {
        const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0
        resolve({ code, out, err })
      })
    })

/** On the same folder and database as a service. */
export const frontdeskBeside = ({ dataDir, database }: TestApp): Frontdesk =>
  frontdeskIn(dataDir, { DATABASE_URL: urlOf(database) })

/** The lines of a table without its header, each split into its columns. */
export const rowsOf = (table: string): string[][] =>
  table
    .trimEnd()
    .split('\n')
    .slice(1)
    .map(line => line.split(/ {2,}/))
