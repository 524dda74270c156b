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
 * The configuration may be right, but what it names cannot be used: a database, a folder, a port. The message says so
 * in a sentence or two, and what to do. Someone has to act: trying again is pointless.
 */
export class StartError extends Error {
  override name = 'StartError'
}

/** Does one step of the start. If it throws, rejects with a ConfigError that says `what` failed. */
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
