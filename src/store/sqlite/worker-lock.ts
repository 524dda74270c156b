/**
 * Tells a worker whether others work on the same SQLite file. Each holds a shared lock on a file beside
 * it, which the operating system releases when the process ends, however it ends.
 */
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './locks.ts'

/** How long we wait for another worker to find out whether it is alone, in milliseconds. */
const TIMEOUT = 1000

export class WorkerLock {
  readonly #lock: DatabaseSync

  /** For the workers on the database `file`. Creates nothing yet. */
  constructor(file: string) {
    this.#lock = new DatabaseSync(`${file}-workers`, { open: false })
  }

  /**
   * Joins the workers on the file until the lock is closed. Returns whether there was no other at that
   * moment; the caller then must not have claimed anything yet.
   */
  join(): boolean {
    this.#lock.open()
    // Without waiting: everything else on this thread, submissions too, would wait as well.
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
