/**
 * The databases that a restore moves aside, and the copies that a restore or a backup leaves behind when it is killed.
 * They contain people who may be erased later, so they are not kept for good.
 */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DAY, momentInName } from '../platform/time.ts'

/** How many days someone can still look into a replaced database. */
export const DAYS_REPLACED = 30

/** The name under which the database `file` is moved aside at that moment. */
export const replacedName = (file: string, now: number): string => `${file}${REPLACED}${momentInName(now)}`

const REPLACED = '.replaced-'

/** How names of unfinished copies end (`store/sqlite/backup.ts`). SQLite may have files of its own beside them. */
const UNFINISHED = /\.(restored|unfinished)(-[a-z]+)?$/

/** Removes replaced databases that are too old, and copies of the database `file` that no one has finished in a day. */
export function removeReplaced(file: string, now: number): void {
  const ours = `${basename(file)}${REPLACED}`
  const oldest = `${ours}${momentInName(now - DAYS_REPLACED * DAY)}`
  removeIn(dirname(file), name => name.startsWith(ours) && name < oldest)
  removeUnfinished(dirname(file), { of: `${basename(file)}.`, now })
}

/** Removes the copies in a folder whose names begin with `of` and that were not finished within a day. */
export function removeUnfinished(folder: string, { of, now }: { of: string; now: number }): void {
  const isOld = (name: string) => (statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? now) < now - DAY
  removeIn(folder, name => name.startsWith(of) && UNFINISHED.test(name) && isOld(name))
}

function removeIn(folder: string, isOld: (name: string) => boolean): void {
  for (const name of readdirSync(folder)) if (isOld(name)) rmSync(join(folder, name), { force: true })
}
