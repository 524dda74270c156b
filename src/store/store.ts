/** The store, as the rest of the program uses it: where submissions, leads and tasks are. `openStore` opens one. */
import type { Clock } from '../platform/time.ts'
import type { Arrival, Outcome } from './acceptance/arrival.ts'
import type { Load } from './acceptance/batcher.ts'
import type { Hit, Window } from './acceptance/counting-windows.ts'
import type { StoreMethods } from './store-methods.ts'

export type Store = StoreMethods & {
  /**
   * Stores a submission for good, with the task to file it. Once the promise resolves, it is on the
   * disk. Throws StoreUnavailable when it may not be; the same key may then be tried again.
   */
  accept(arrival: Arrival): Promise<Outcome>
  /** Does the same with callbacks. None of them may throw. */
  acceptWith(arrival: Arrival, done: (outcome: Outcome) => void, failed: (error: unknown) => void): void
  /**
   * The outcome that `accept` would have at this moment if the arrival came alone. Stores and counts nothing. It cannot
   * tell whether the disk is full. Throws StoreUnavailable if the outcome is not known in time.
   */
  dryRun(arrival: Arrival): Promise<Outcome>
  /**
   * Writes a row that changes nothing, to find out whether a submission could be stored at this moment. Throws
   * StoreUnavailable with the reason if the row cannot be written.
   */
  probe(): Promise<void>
  /** Counts a hit under a key, for rate limits. Throws StoreUnavailable. */
  count(key: string, hit: Hit): Promise<Window>
  /** Does the same synchronously; undefined if the counts are not in memory. */
  countNow: ((key: string, hit: Hit) => Window) | undefined
  /** How many submissions wait to be stored, for how long, and how long the batch under way has taken. */
  load(): Load
  /** How long background work should pause now, in milliseconds; 0 when little or nothing comes in. */
  backgroundDelay(): number
  /** Whether a transaction keeps all others waiting, even submissions. */
  readonly oneWriter: boolean
  /**
   * Call it once, before this process claims tasks. On SQLite it frees the claims of processes that have ended, unless
   * another process works on the same file; on PostgreSQL, their leases end soon.
   */
  beginWork(): Promise<void>
  /**
   * Tries once to remove deleted data from SQLite's log. An erasure leaves it there if another program is reading the
   * file. PostgreSQL removes deleted data on its own.
   */
  overwriteDeleted(): Promise<void>
  /** What to change in the settings of the database server, in sentences. */
  serverNotes(): Promise<string[]>
  /** The time that all processes on this database agree on. */
  clock: Clock
  /** Tells the workers of other processes that something may be due. Without this, they find it by polling. */
  announce(): void
  /** Calls `listener` whenever another process has announced something. */
  onAnnouncement(listener: () => void): void
  /** Tells all processes on PostgreSQL that settings were edited in the console. Others find out by polling. */
  announceSettings(): void
  /** Calls `listener` whenever another process has announced that settings were edited. */
  onSettingsEdited(listener: () => void): void
  /** Tells everyone who looks at leads, in all processes on PostgreSQL, that some have changed. */
  announceLeads(): void
  /** Calls `listener` whenever leads may have changed. Returns a function that stops this. */
  onLeadsChanged(listener: () => void): () => void
  /**
   * Does what a start needs from the database. If the database goes away meanwhile, `work` runs again, for as long as
   * the timeout of `openStore` allows, so it must be safe to do twice. Throws with a plain reason.
   */
  atStart<T>(work: () => Promise<T>): Promise<T>
  /** Rejects only when the store fails for good; the process should then end. */
  failure: Promise<never>
  /** Closes the store after all earlier calls are done. */
  close(): Promise<void>
}

export type OpenOptions = {
  /** Default: the system's clock on SQLite, the database's on PostgreSQL. */
  clock?: Clock | undefined
  /** How long to wait for a database that is unavailable: a server that is away, a full disk. In ms. Default: 0. */
  timeout?: number
  /** Called each time the database was unavailable, with the reason. */
  onWaiting?: (reason: string) => void
}
