/** Options of the benchmarks. */

/** The option `--name` as a number. Throws if it is not a whole number of at least `least`. */
export function wholeNumber(name: string, raw: string, least = 1): number {
  const value = Number(raw)
  if (Number.isInteger(value) && value >= least) return value
  throw new Error(`--${name} must be a whole number of at least ${least}`)
}
