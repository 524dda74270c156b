/** When nightly exports are due on the days on which the clocks change. */
import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { nextAt } from '../../src/tasks/nightly-exports.ts'

/** The local dates of exports that are due at an hour, from a moment on, each a few seconds after it was due. */
function datesOf(hour: number, zone: string, from: string, count: number): string[] {
  let now = Date.parse(from)
  return Array.from({ length: count }, () => {
    now = nextAt(hour, now, zone) + 5_000
    return Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate().toString()
  })
}

test('a nightly export has a file for each day, even if the hour is skipped or comes twice', () => {
  // Nuuk goes from 23:00 on Saturday to Sunday, and in the fall from Sunday back to 23:00.
  const spring = ['2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30']
  deepEqual(datesOf(23, 'America/Nuuk', '2026-03-27T12:00:00Z', 4), spring)
  const fall = ['2026-10-23', '2026-10-24', '2026-10-25', '2026-10-26']
  deepEqual(datesOf(23, 'America/Nuuk', '2026-10-23T12:00:00Z', 4), fall)
  const chicago = ['2026-03-07', '2026-03-08', '2026-03-09']
  deepEqual(datesOf(2, 'America/Chicago', '2026-03-06T12:00:00Z', 3), chicago)
})
