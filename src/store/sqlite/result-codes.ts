/** What an error of SQLite means, by its primary result code (sqlite.org/rescode.html). */

const BUSY = 5

/** Busy, locked, I/O error, full, locking protocol: they may pass without anyone's help, or once there is space. */
const PASSING = new Set([BUSY, 6, 10, 13, 15])

/** Those, and out of memory, read-only, corrupt, cannot open, not a database: they say nothing about the statement. */
const AWAY = new Set([...PASSING, 7, 8, 11, 14, 26])

/** The low byte of an extended code is its primary code: SQLITE_BUSY_RECOVERY is busy, too. */
const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff

/** Whether a statement failed because someone else has the file locked. */
export const isBusy = (error: unknown): boolean => codeOf(error) === BUSY

/** Whether an error is about the file or its disk, not about the statement. */
export const isAway = (error: unknown): boolean => AWAY.has(codeOf(error))

/** Whether the file may become available while we wait, as on a disk that is full. */
export const mayPass = (error: unknown): boolean => PASSING.has(codeOf(error))
