/** Locks on SQLite files, and whether another process holds them. */
import type { DatabaseSync } from 'node:sqlite'
import { isBusy } from './result-codes.ts'

/** How long a statement waits for another process's write to end, in milliseconds. */
export const BUSY_TIMEOUT = 10_000

/** Work that can be done later waits only this long for another process's write to end, in milliseconds. */
const SHORT_WAIT = 20

/**
 * Does some work that waits at most SHORT_WAIT for a lock, since others wait for this work meanwhile. Throws what the
 * work throws, for example that the database is busy.
 */
export function waitingShortly<T>(raw: DatabaseSync, work: () => T): T {
  raw.exec(`pragma busy_timeout = ${SHORT_WAIT}`)
  try {
    return work()
  } finally {
    raw.exec(`pragma busy_timeout = ${BUSY_TIMEOUT}`)
  }
}

/** Locks everyone else out of a database until it is closed. Returns false when someone has it open. */
export function lockOut(raw: DatabaseSync): boolean {
  // An exclusive connection allows no other, not even an idle one.
  raw.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive')
  try {
    raw.exec('begin immediate; commit')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}
