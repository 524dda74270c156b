/**
 * Tells a worker whether other workers use the same SQLite file. Each worker holds a shared lock on a file beside the
 * database. The operating system releases the lock when the process ends, however it ends.
 */
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './result-codes.ts'

/** How long we wait while another worker finds out whether it is alone, in milliseconds. */
const TIMEOUT = 1000

export class WorkerLock {
  readonly #lock: DatabaseSync

  /** The lock for workers on the database `file`. Creates nothing yet. */
  constructor(file: string) {
    this.#lock = new DatabaseSync(`${file}-workers`, { open: false })
  }

  /**
   * Joins the workers on the file until the lock is closed. Returns whether it is alone at that moment. The caller must
   * not have claimed anything before.
   */
  join(): boolean {
    this.#lock.open()
    // Does not wait: everything else on this thread, including submissions, would wait as well.
    const alone = this.#excludesOthers()
    this.#lock.exec(`pragma busy_timeout = ${TIMEOUT}`)
    // A read transaction holds the shared lock until it ends.
    this.#lock.exec('begin; select count(*) from sqlite_master')
    return alone
  }

  #excludesOthers(): boolean {
    try {
      this.#lock.exec('begin exclusive; commit')
      return true
    } catch (error) {
      if (isBusy(error)) return false
      throw error
    }
  }

  close(): void {
    if (this.#lock.isOpen) this.#lock.close()
  }
}
