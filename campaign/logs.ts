/** Reads the errors in the logs of a campaign's replicas, and tells expected ones from others. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How often each kind of error was logged. */
export type Errors = { expected: Map<string, number>; others: Map<string, number> }

/** The only errors that a replica may log, when it loses its database or is shutting down. */
const EXPECTED = new Set([
  'the database is unavailable',
  'the worker could not claim tasks',
  'a task failed unexpectedly',
  'a submission could not be filed',
])
const OF_THE_DATABASE =
  /Connection terminated|terminating connection|timeout|ECONNREFUSED|ECONNRESET|EPIPE|database system is|did not respond in time|Client has encountered a connection error/

/** The error of a job that a replica could not finish before its shutdown released the claim. */
const CUT_SHORT = /driver has already been destroyed|thread ended with code 0/

const ERROR = 50

type Line = { level: number; msg: string; lane?: string; reason?: string; err?: { message?: string; code?: string } }

/** Reads all logs in a folder. With `excused`, errors about a lost database are expected. */
export function readErrors(folder: string, { excused }: { excused: boolean }): Errors {
  const errors: Errors = { expected: new Map(), others: new Map() }
  for (const { level, msg, lane, reason, err } of linesOf(folder)) {
    if (level < ERROR) continue
    const message = err?.message ?? reason ?? ''
    const databaseGone = excused && OF_THE_DATABASE.test(message)
    const isExpected = level === ERROR && EXPECTED.has(msg) && (databaseGone || CUT_SHORT.test(message))
    const kind = `${msg}${lane ? ` (${lane})` : ''}: ${message || 'no cause'}`
    const counts = isExpected ? errors.expected : errors.others
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  for (const file of globSync(join(folder, '*/*.err'))) {
    const warning = /^(?:\(node:\d+\)|.*Error\b).*/m.exec(readFileSync(file, 'utf8'))?.[0]
    if (warning !== undefined) errors.others.set(`on standard error: ${warning}`, 1)
  }
  return errors
}

/** How many jobs were cut short by the end of their replica. */
export const cutShort = (folder: string): number =>
  linesOf(folder).filter(({ err }) => CUT_SHORT.test(err?.message ?? '')).length

/** How many jobs of a lane failed in a way that only the lease repairs. */
export const failedJobs = (folder: string, lane: string): number =>
  linesOf(folder).filter(line => line.msg === 'a task failed unexpectedly' && line.lane === lane).length

function linesOf(folder: string): Line[] {
  return globSync(join(folder, '*/*.log')).flatMap(file => readFileSync(file, 'utf8').split('\n').flatMap(readLine))
}

function readLine(text: string): Line[] {
  // Most lines are not errors and need no parsing.
  if (!/"level":[56]0/.test(text)) return []
  try {
    return [JSON.parse(text)]
  } catch {
    return [] // A kill cut the line short.
  }
}
