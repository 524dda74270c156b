/** A move that cannot be, with the way on in the words of its message. */
export class MoveRefused extends Error {
  override name = 'MoveRefused'
}
