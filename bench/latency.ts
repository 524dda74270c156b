/** Latencies, counted in the HDR histogram of Node.js: within 0.1 %, never below what was recorded. */
import { createHistogram } from 'node:perf_hooks'

/** Milliseconds; `null` where nothing was recorded. */
export type Percentiles = Record<'p50' | 'p90' | 'p99' | 'max', number | null>

/** Microseconds, 36 minutes; a longer latency is counted here. */
const LONGEST = 2 ** 31 - 1

export class Latencies {
  readonly #histogram = createHistogram({ lowest: 1, highest: LONGEST, figures: 3 })

  record(milliseconds: number): void {
    const micros = Math.round(milliseconds * 1000)
    this.#histogram.record(Math.min(Math.max(micros, 1), LONGEST))
  }

  percentiles(): Percentiles {
    if (this.#histogram.count === 0) return { p50: null, p90: null, p99: null, max: null }
    const at = (percent: number) => this.#histogram.percentile(percent) / 1000
    return { p50: at(50), p90: at(90), p99: at(99), max: this.#histogram.max / 1000 }
  }
}
