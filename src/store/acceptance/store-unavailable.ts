/** The one error of a store whose database is away. */

/**
 * The database could not be reached, did not respond in time, or could not write: a connection that
 * was refused or lost, a full disk, a thread that ended. What was asked may have been done
 * nonetheless; the same request may succeed later, and a submission with the same key is not stored
 * twice. Errors of the program and violated constraints keep their own classes.
 */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** Turns the error that a driver throws while its database is away into an error of the store. */
export const unavailable = (error: unknown): StoreUnavailable =>
  error instanceof StoreUnavailable
    ? error
    : new StoreUnavailable(`The database is not available: ${(error as Error).message}`, { cause: error })
