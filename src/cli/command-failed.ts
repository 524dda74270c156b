/** The command could not do what was asked; the message says why. Exit code 1. */
export class CommandFailed extends Error {
  override name = 'CommandFailed'
}
