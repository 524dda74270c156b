/**
 * A file that someone has moved over the database by hand, such as a backup, while the log of the former database still
 * lies beside it. SQLite would apply that log to the file: it would become the former database again, or be damaged for
 * good as soon as it is closed. So it must not even be opened.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'

/** SQLite's primary result code for a damaged file (sqlite.org/rescode.html). */
const CORRUPT = 11

/**
 * Whether the log beside the file, if there is one, can be its own. A file with a log says in its header that it uses
 * one (bytes 18 and 19, sqlite.org/fileformat.html); our backups do not.
 */
export const hasOwnLog = (file: string): boolean =>
  // The log first: another process may just begin to use one, and then writes the header before it.
  !hasLog(file) || versionsOf(file).some(version => version !== 1)

/** Throws if the log beside the file belongs to another database, and says what to do. */
export function requireOwnLog(file: string): void {
  if (hasOwnLog(file)) return
  throw new Error(
    `${file}-wal is the log of another database; probably a backup was moved over ${file}. Nothing was changed. ` +
      'To use the backup, stop every Frontdesk that runs here, move the backup into another folder, and run ' +
      'npx frontdesk restore with its path: that also puts the log aside',
  )
}

/** What was thrown when a database was opened; if it is damaged, with what to do. */
export function orDamaged(error: unknown): unknown {
  const { errcode = 0, message } = error as { errcode?: number; message: string }
  if ((errcode & 0xff) !== CORRUPT) return error
  return new Error(
    `${message}; perhaps something was copied over it while it was in use. Restore a backup that has not been opened ` +
      'in its place: npx frontdesk restore BACKUP --replace',
    { cause: error },
  )
}

const hasLog = (file: string): boolean => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

/** The bytes of the header that say which file format it needs to be written and read; 0 without a header. */
function versionsOf(file: string): number[] {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < 20) return [0]
  const header = Buffer.alloc(20)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, header)
  } finally {
    closeSync(descriptor)
  }
  return [...header.subarray(18)]
}
