/** A configuration that cannot be used; `problems` says why, one sentence each. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * The configuration may be right, but it names something that cannot be used: a database, a folder, a port. The message
 * says so in a sentence or two, and what to do. Trying again does not help: someone has to act.
 */
export class StartError extends Error {
  override name = 'StartError'
}

/** Carries out one step of the start. If it throws, rejects with a ConfigError that says `what` failed. */
export async function orConfigError<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new ConfigError([`${what}: ${(error as Error).message}`])
  }
}

/** Like `orConfigError`, with a StartError. */
export async function orStartError<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new StartError(`${what}: ${(error as Error).message}`)
  }
}
