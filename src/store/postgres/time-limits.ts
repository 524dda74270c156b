/** How long we wait for PostgreSQL, in milliseconds. Tests about something else allow more. */
export const timeLimits = {
  /**
   * For a connection to be made, or to become free. A request that comes while an attempt is failing may wait
   * for a second one.
   */
  connection: 1200,
  /**
   * A submission that waits longer than this for the server is answered with 503. Also for a statement of the
   * intake: one that was given up may still be carried out.
   */
  intake: 2000,
  /** For counting. A request is counted twice before it is stored, and all of it must not take more than 3 seconds. */
  counting: 500,
  /** For any other statement. */
  statement: 5000,
}
