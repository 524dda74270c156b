/** Pseudorandom numbers, which are the same for the same seed and purpose. */
import { hash } from 'node:crypto'

export class Random {
  #state: number

  /** Each purpose has its own numbers, so that using more for one does not change those of another. */
  constructor(seed: number, purpose: string) {
    this.#state = Number.parseInt(hash('sha256', `${seed} ${purpose}`).slice(0, 8), 16)
  }

  /** A number in [0, 1). The generator is Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  /** A number in [low, high). */
  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  /** One of the items. Throws if there are none. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('There is nothing to pick from.')
    return items[Math.floor(this.next() * items.length)] as T
  }
}

/** The seed of the short campaigns among the tests: always 1 in CI, random elsewhere. */
export const seedOfTests = (): number => (process.env['CI'] === undefined ? Math.floor(Math.random() * 1_000_000) : 1)
