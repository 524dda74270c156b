/** Overwriting what was deleted: SQLite keeps earlier versions of pages in its log. */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** How often to try, and how long to wait in between, in milliseconds. */
const TRIES = 20
const INTERVAL = 100

/**
 * Empties the log, so that nothing deleted stays in it. Returns false if another program reads the file
 * for too long. Never waits for it inside SQLite, which would hold the lock that writers need.
 */
export async function overwriteDeleted(db: DatabaseSync): Promise<boolean> {
  const { timeout } = db.prepare('pragma busy_timeout').get() as { timeout: number }
  db.exec('pragma busy_timeout = 0')
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries > 0) await sleep(INTERVAL)
      const result = db.prepare('pragma wal_checkpoint(truncate)').get()
      if (result?.['busy'] === 0) return true
    }
    return false
  } finally {
    db.exec(`pragma busy_timeout = ${timeout}`)
  }
}
