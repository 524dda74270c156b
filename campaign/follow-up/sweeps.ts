/** How often the service deletes what is old in a simulated month: a few times a day, as it does in real time. */
import { HOUR } from '../../src/platform/time.ts'
import type { WorldTime } from './world-time.ts'

const EVERY = 6 * HOUR

export class Sweeps {
  readonly #time: Pick<WorldTime, 'elapsed'>
  #next = 0

  constructor(time: Pick<WorldTime, 'elapsed'>) {
    this.#time = time
  }

  /** Whether it is time again. */
  isDue(): boolean {
    const { elapsed } = this.#time
    if (elapsed < this.#next) return false
    this.#next = elapsed + EVERY
    return true
  }
}
