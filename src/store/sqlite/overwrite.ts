/** Overwrites deleted data, since SQLite keeps earlier versions of pages in its log. */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** How often to try, and how long to wait in between, in milliseconds. */
const TRIES = 20
const INTERVAL = 100

/** Empties the log, so that nothing deleted stays in it. Returns false if another program reads for too long. */
export async function overwriteDeleted(db: DatabaseSync, { tries: most = TRIES } = {}): Promise<boolean> {
  for (let tries = 0; tries < most; tries++) {
    if (tries > 0) await sleep(INTERVAL)
    if (emptyLog(db)) return true
  }
  return false
}

/** Never waits for a reader inside SQLite: while it waits, it would hold the lock that writers need. */
function emptyLog(db: DatabaseSync): boolean {
  const { timeout } = db.prepare('pragma busy_timeout').get() as { timeout: number }
  db.exec('pragma busy_timeout = 0')
  try {
    return db.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0
  } finally {
    // Reset immediately: the statements between two tries wait for other writers, as always.
    db.exec(`pragma busy_timeout = ${timeout}`)
  }
}
