/** Random numbers that a seed repeats, for simulations. */

export type Random = {
  /** In [0, 1). */
  next(): number
  chance(share: number): boolean
  /** An index; the larger its weight, the more likely. */
  weighted(weights: readonly number[]): number
}

/** Mulberry32: small, and random enough for a simulation. */
export function randomFrom(seed: number): Random {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    chance: share => next() < share,
    weighted: weights => {
      let left = next() * weights.reduce((sum, one) => sum + one, 0)
      const found = weights.findIndex(weight => {
        left -= weight
        return left < 0
      })
      return found === -1 ? weights.length - 1 : found
    },
  }
}
