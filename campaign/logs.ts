/** What the replicas of a campaign have logged: every error, in the classes that are expected and others. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How often each kind of error was logged. */
export type Errors = { expected: Map<string, number>; others: Map<string, number> }

/** What a replica may say of a database that was taken from it, or of its own end, and nothing else. */
const EXPECTED = new Set([
  'the database is unavailable',
  'the worker could not claim tasks',
  'a task failed unexpectedly',
  'a submission could not be filed',
])
const OF_THE_DATABASE =
  /Connection terminated|terminating connection|timeout|ECONNREFUSED|ECONNRESET|EPIPE|database system is|did not respond in time|Client has encountered a connection error/

/** A job that a replica told to end could not wait for: its claim was given back before. */
const CUT_SHORT = /driver has already been destroyed|thread ended with code 0/

const ERROR = 50

type Line = {
  level: number
  msg: string
  lane?: string
  reason?: string
  err?: { message?: string; code?: string }
}

/** Reads all logs of a folder; `excused` says that the database may have gone away. */
export function readErrors(folder: string, { excused }: { excused: boolean }): Errors {
  const errors: Errors = { expected: new Map(), others: new Map() }
  for (const { level, msg, lane, reason, err } of linesOf(folder)) {
    if (level < ERROR) continue
    const message = err?.message ?? reason ?? ''
    const databaseGone = excused && OF_THE_DATABASE.test(message)
    const fine = level === ERROR && EXPECTED.has(msg) && (databaseGone || CUT_SHORT.test(message))
    const kind = `${msg}${lane ? ` (${lane})` : ''}: ${message || 'no cause'}`
    const counts = fine ? errors.expected : errors.others
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
  linesOf(folder).filter(line => line.msg === 'a task failed unexpectedly' && line.lane === lane)
    .length

function linesOf(folder: string): Line[] {
  return globSync(join(folder, '*/*.log')).flatMap(file =>
    readFileSync(file, 'utf8').split('\n').flatMap(readLine),
  )
}

function readLine(text: string): Line[] {
  // Of most lines nobody wants to know more.
  if (!/"level":[56]0/.test(text)) return []
  try {
    return [JSON.parse(text)]
  } catch {
    return [] // Cut short by a kill.
  }
}
