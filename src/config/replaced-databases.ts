/**
 * The databases that a restore moves aside. They contain people who are erased later, so they are not kept
 * for good.
 */
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DAY, momentInName } from '../platform/time.ts'

/** How many days someone can still look into a replaced database. */
export const DAYS_REPLACED = 30

/** The name under which the database `file` is moved aside at that moment. */
export const replacedName = (file: string, now: number): string => `${file}${REPLACED}${momentInName(now)}`

const REPLACED = '.replaced-'

/** Removes the replaced databases that are too old, with their log files. Returns their names. */
export function removeReplaced(file: string, now: number): string[] {
  const ours = `${basename(file)}${REPLACED}`
  const oldest = `${ours}${momentInName(now - DAYS_REPLACED * DAY)}`
  const old = readdirSync(dirname(file)).filter(name => name.startsWith(ours) && name < oldest)
  for (const name of old) rmSync(join(dirname(file), name), { force: true })
  return old
}
