/** A configuration that cannot be used; `problems` says why, one sentence each. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Does one step of the start. If it throws, rejects with a ConfigError that says `what` failed. */
export async function orConfigError<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new ConfigError([`${what}: ${(error as Error).message}`])
  }
}
