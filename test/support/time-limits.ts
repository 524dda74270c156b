/**
 * Stores in the process of a test wait longer for PostgreSQL than a service does: where the whole machine stands still
 * for some seconds, an ordinary test must not fail for it.
 */
import type { TestContext } from 'node:test'
import { timeLimits } from '../../src/store/postgres/time-limits.ts'
import { BUSY_SERVER } from './templates.ts'

const usual = { ...timeLimits }
const long: typeof usual = {
  connection: BUSY_SERVER,
  intake: BUSY_SERVER,
  counting: BUSY_SERVER,
  statement: BUSY_SERVER,
}
Object.assign(timeLimits, long)

/** In this test, stores that are opened from now on wait as long as those of a service. */
export function usualTimeLimits(t: TestContext): void {
  Object.assign(timeLimits, usual)
  t.after(() => Object.assign(timeLimits, long))
}
