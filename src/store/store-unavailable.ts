/** The one error of a store whose database is away. */

/**
 * The database could not be reached, did not respond in time, or could not write: a connection that
 * was refused or lost, a full disk, a thread that ended. The same request may succeed later. Errors
 * of the program and violated constraints are not of this kind; they keep their own classes.
 */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}
