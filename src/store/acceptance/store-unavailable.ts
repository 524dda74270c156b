/** The one error that a store throws if its database is unavailable. */

/**
 * The database could not be reached, did not respond in time, or could not write: a connection that was refused or
 * lost, a full disk, a thread that ended. The request may have been carried out anyway. It may succeed later, and a
 * submission with the same key is not stored twice. Programming errors and violated constraints keep their own classes.
 */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** Turns the error that a driver throws while its database is unavailable into an error of the store. */
export const unavailable = (error: unknown): StoreUnavailable =>
  error instanceof StoreUnavailable
    ? error
    : new StoreUnavailable(`The database is not available: ${(error as Error).message}`, { cause: error })
