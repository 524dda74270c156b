/** A time limit for work that cannot be canceled. */

/** The work was not done in time. It may still continue, or fail, without anyone noticing. */
export class TimeoutError extends Error {
  override name = 'TimeoutError'
}

/**
 * Resolves or rejects as `work` does. If that takes longer than this many milliseconds, rejects with a TimeoutError.
 * Waiting for it does not keep the process alive.
 */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TimeoutError(`timed out after ${milliseconds} ms`)), milliseconds).unref()
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
