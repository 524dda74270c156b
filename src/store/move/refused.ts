/** A move that is not possible. Its message says what to do. */
export class MoveRefused extends Error {
  override name = 'MoveRefused'
}
