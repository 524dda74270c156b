/** How long we wait for PostgreSQL, in milliseconds. Tests that are not about these limits allow more. */
export const timeLimits = {
  /** For a connection to be made, or to become free. A request during a failing attempt may wait for a second one. */
  connection: 1200,
  /**
   * A submission that waits longer than this for the server gets a 503. This is also the limit for a statement of the
   * intake. After we give up, the server may still carry it out.
   */
  intake: 2000,
  /** For counting. A request is counted twice before it is stored, and all of it must not take more than 3 seconds. */
  counting: 500,
  /** For any other statement. */
  statement: 5000,
}
