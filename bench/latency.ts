/** Latencies in Node's HDR histogram: accurate within 0.1%, and never below the recorded value. */
import { createHistogram } from 'node:perf_hooks'

/** In milliseconds; `null` if nothing was recorded. */
export type Percentiles = Record<'p50' | 'p90' | 'p99' | 'max', number | null>

/** 36 minutes, in microseconds. Longer latencies count as this. */
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
