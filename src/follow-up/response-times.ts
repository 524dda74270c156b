/** How quickly the school responds, as percentiles and in bands. */
import { MINUTE } from '../platform/time.ts'

const bands = [
  { label: '0–5 min', most: 5 * MINUTE },
  { label: '5–15 min', most: 15 * MINUTE },
  { label: '15–60 min', most: 60 * MINUTE },
  { label: 'over 60 min', most: Infinity },
] as const

export type SpeedSummary = {
  count: number
  /** Half of the responses came within this time, in milliseconds; null if there are none. */
  p50: number | null
  p95: number | null
  bands: { label: (typeof bands)[number]['label']; count: number }[]
}

/**
 * Summarizes response times, in milliseconds and in any order. Percentiles are by nearest rank, so
 * each is one of the times; a time at the limit of two bands belongs to the quicker one.
 */
export function summarize(durations: readonly number[]): SpeedSummary {
  const sorted = durations.toSorted((one, other) => one - other)
  const percentile = (percent: number) => sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? null
  const bandOf = (duration: number) => bands.find(({ most }) => duration <= most)?.label
  const counts = Map.groupBy(durations, bandOf)
  return {
    count: durations.length,
    p50: percentile(50),
    p95: percentile(95),
    bands: bands.map(({ label }) => ({ label, count: counts.get(label)?.length ?? 0 })),
  }
}
