import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { summarize } from '../../src/follow-up/response-times.ts'
import { MINUTE } from '../../src/platform/time.ts'

const counts = (durations: number[]) => summarize(durations).bands.map(band => band.count)

describe('the summary of response times', () => {
  test('has no percentiles if there are no times', () => {
    deepEqual(summarize([]), {
      count: 0,
      p50: null,
      p95: null,
      bands: [
        { label: '0–5 min', count: 0 },
        { label: '5–15 min', count: 0 },
        { label: '15–60 min', count: 0 },
        { label: 'over 60 min', count: 0 },
      ],
    })
  })

  test('gives percentiles by nearest rank, in whatever order the times come', () => {
    const percentiles = (durations: number[]) => {
      const { p50, p95 } = summarize(durations)
      return [p50, p95]
    }
    deepEqual(percentiles([7]), [7, 7])
    deepEqual(percentiles([40, 15, 50, 20, 35]), [35, 50])
    deepEqual(percentiles([4, 3, 2, 1]), [2, 4])
    deepEqual(percentiles(Array.from({ length: 20 }, (_, i) => 20 - i)), [10, 19])
    deepEqual(percentiles(Array.from({ length: 1000 }, (_, i) => 1000 - i)), [500, 950])
  })

  test('counts a time at a limit in the quicker band', () => {
    deepEqual(counts([0, 5 * MINUTE]), [2, 0, 0, 0])
    deepEqual(counts([5 * MINUTE + 1, 15 * MINUTE]), [0, 2, 0, 0])
    deepEqual(counts([15 * MINUTE + 1, 60 * MINUTE]), [0, 0, 2, 0])
    deepEqual(counts([60 * MINUTE + 1, 1e12]), [0, 0, 0, 2])
  })

  test('has at least that many times at or below a percentile, and fewer below it', () => {
    const times = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(times, durations => {
        const before = [...durations]
        const summary = summarize(durations)
        for (const [percent, value] of [
          [50, summary.p50],
          [95, summary.p95],
        ] as const) {
          ok(value !== null && durations.includes(value))
          ok(durations.filter(d => d <= value).length * 100 >= percent * durations.length)
          ok(durations.filter(d => d < value).length * 100 < percent * durations.length)
        }
        equal(
          summary.bands.reduce((sum, band) => sum + band.count, 0),
          durations.length,
        )
        deepEqual(durations, before)
      }),
    )
  })
})
