/**
 * Latencies counted in log-linear buckets: exact below 128 µs, within one part in 64 above, in a
 * few kilobytes however many are recorded.
 */
const SUB_BUCKET_BITS = 6
const SUB_BUCKETS = 1 << SUB_BUCKET_BITS
/** Up to 2^31 µs, 36 minutes; anything longer is counted there. */
const BUCKETS = (32 - SUB_BUCKET_BITS) * SUB_BUCKETS
const LARGEST = 2 ** 31 - 1

/** Milliseconds; `null` where nothing was recorded. */
export type Percentiles = Record<'p50' | 'p90' | 'p99' | 'max', number | null>

export class Histogram {
  #counts = new Uint32Array(BUCKETS)
  #total = 0
  #max = 0

  record(milliseconds: number): void {
    const micros = Math.min(Math.max(Math.round(milliseconds * 1000), 0), LARGEST)
    const bucket = bucketOf(micros)
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#total++
    if (micros > this.#max) this.#max = micros
  }

  percentiles(): Percentiles {
    if (this.#total === 0) return { p50: null, p90: null, p99: null, max: null }
    return {
      p50: this.#quantile(0.5),
      p90: this.#quantile(0.9),
      p99: this.#quantile(0.99),
      max: this.#max / 1000,
    }
  }

  /** The upper end of the bucket that holds the quantile, so never a flattering figure. */
  #quantile(share: number): number {
    let left = Math.ceil(this.#total * share)
    const bucket = this.#counts.findIndex(count => {
      left -= count
      return left <= 0
    })
    return Math.min(upperEnd(bucket), this.#max) / 1000
  }
}

/** Below 2 × SUB_BUCKETS each value is its own bucket; above, each power of two has SUB_BUCKETS. */
function bucketOf(micros: number): number {
  const shift = Math.max(31 - Math.clz32(micros | 1) - SUB_BUCKET_BITS, 0)
  return shift * SUB_BUCKETS + (micros >> shift)
}

function upperEnd(bucket: number): number {
  const shift = Math.max(Math.floor(bucket / SUB_BUCKETS) - 1, 0)
  return (bucket - shift * SUB_BUCKETS + 1) * 2 ** shift - 1
}
