/** The store: where submissions, leads and tasks are kept. `openStore` is its only way in. */
import type { DatabaseAddress } from '../config/environment.ts'
import type { Clock } from '../time.ts'
import type { Arrival, Outcome } from './acceptance.ts'
import type { Hit, Window } from './counting-windows.ts'
import type { StoreMethods } from './store-methods.ts'

export type Store = StoreMethods & {
  /**
   * Keeps a submission for good, with the task to file it. When the promise is kept, it is on the
   * disk. Throws StoreUnavailable when it may not be; the same key may then be tried again.
   */
  accept(arrival: Arrival): Promise<Outcome>
  /**
   * What `accept` would answer at this moment, were the arrival to come alone. Keeps and counts
   * nothing. Whether there is room on the disk it cannot tell. Throws StoreUnavailable when the
   * answer is not known in time.
   */
  dryRun(arrival: Arrival): Promise<Outcome>
  /** Counts a hit under a key, for limits. Throws StoreUnavailable. */
  count(key: string, hit: Hit): Promise<Window>
  /** How much waits to be kept, and for how long the oldest of it has, in milliseconds. */
  load(): { waiting: number; stalledFor: number }
  /**
   * For how long work in the background should rest now so that taking in goes first, in
   * milliseconds; 0 in a quiet moment.
   */
  backgroundDelay(): number
  /** The time that all who share the database agree on. */
  clock: Clock
  /** Tells the workers of other processes that something may be due; they find it soon without, too. */
  announce(): void
  /** Calls `listener` whenever another process has announced something. */
  onAnnouncement(listener: () => void): void
  /**
   * Does what a start needs of the database, which may be done twice: again, for as long as `openStore`
   * was told to wait, where the server went away in the middle. Throws with a plain reason.
   */
  atStart<T>(work: () => Promise<T>): Promise<T>
  /** Rejects only when the store fails for good; the process should then end. */
  failure: Promise<never>
  /** Ends after what was asked before has been done. */
  close(): Promise<void>
}

export type OpenOptions = {
  /** The system's clock on SQLite, the database's on PostgreSQL, unless another is given. */
  clock?: Clock | undefined
  /** For how long a server that cannot be reached yet is waited for, in milliseconds. Default: not. */
  timeout?: number
  /** Called each time it could not be reached, with the reason. */
  onWaiting?: (reason: string) => void
}

/**
 * Opens the store and brings its schema up to date.
 *
 * Throws with a plain reason when that cannot be done.
 */
export async function openStore(
  database: DatabaseAddress,
  options: OpenOptions = {},
): Promise<Store> {
  // One engine's code is never loaded for the other.
  if (database.engine === 'sqlite') {
    const { openSqliteStore } = await import('./sqlite/store.ts')
    return openSqliteStore(database.file, options.clock ?? { now: () => Date.now() })
  }
  const { openPostgresStore } = await import('./postgres/store.ts')
  return openPostgresStore(database.url, options)
}
