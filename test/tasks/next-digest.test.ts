import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { nextDigest } from '../../src/tasks/messages/quarantine-digest.ts'

/** The next digest, with its moment as text. */
function next(now: string, timeZone: string, hour: number): [number, string] {
  const { day, dueAt } = nextDigest(Date.parse(now), timeZone, hour)
  return [day, new Date(dueAt).toISOString().replace(/(:00)?\.000Z$/, 'Z')]
}

describe('the next digest', () => {
  const newYork = 'America/New_York'

  test('is today if the hour is still to come, and tomorrow if it is not', () => {
    deepEqual(next('2026-11-21T12:59:59.999Z', newYork, 8), [20261121, '2026-11-21T13:00Z'])
    deepEqual(next('2026-11-21T13:00Z', newYork, 8), [20261122, '2026-11-22T13:00Z'])
    deepEqual(next('2026-11-21T20:00Z', newYork, 8), [20261122, '2026-11-22T13:00Z'])
  })

  test('keeps the hour when the clocks change', () => {
    deepEqual(next('2026-03-07T13:00Z', newYork, 8), [20260308, '2026-03-08T12:00Z'])
    deepEqual(next('2026-10-31T12:00Z', newYork, 8), [20261101, '2026-11-01T13:00Z'])
  })

  test('waits for the next day if the change skips its hour', () => {
    deepEqual(next('2026-03-07T07:00Z', newYork, 2), [20260309, '2026-03-09T06:00Z'])
  })

  test('comes once on the day whose change repeats its hour', () => {
    deepEqual(next('2026-11-01T00:00Z', newYork, 1), [20261101, '2026-11-01T05:00Z'])
    deepEqual(next('2026-11-01T05:00Z', newYork, 1), [20261102, '2026-11-02T06:00Z'])
    deepEqual(next('2026-11-01T05:30Z', newYork, 1), [20261102, '2026-11-02T06:00Z'])
  })

  test('handles offsets of a quarter of an hour, and midnight', () => {
    deepEqual(next('2026-11-21T02:00Z', 'Asia/Kathmandu', 8), [20261121, '2026-11-21T02:15Z'])
    deepEqual(next('2026-11-21T18:15Z', 'Asia/Kathmandu', 0), [20261123, '2026-11-22T18:15Z'])
  })

  test('handles offsets of any number of minutes, and a skipped day', () => {
    deepEqual(next('2026-11-21T02:00Z', '+05:37', 8), [20261121, '2026-11-21T02:23Z'])
    deepEqual(next('1960-01-01T00:00Z', 'Africa/Monrovia', 8), [19600101, '1960-01-01T08:44:30Z'])
    deepEqual(next('2011-12-29T20:00Z', 'Pacific/Apia', 8), [20111231, '2011-12-30T18:00Z'])
  })

  test('is always ahead, at the hour, and at most 25 hours away unless a change skips it', () => {
    const skipping = { 'America/New_York': 2, 'Europe/London': 1, 'Australia/Lord_Howe': 2 }
    const zone = fc.constantFrom(...Object.keys(skipping), 'Asia/Kathmandu', 'UTC')
    const now = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2040-01-01') })
    fc.assert(
      fc.property(now, zone, fc.integer({ min: 0, max: 23 }), (now, timeZone, hour) => {
        const { day, dueAt } = nextDigest(now, timeZone, hour)
        ok(dueAt > now)
        const skipped = skipping[timeZone as keyof typeof skipping] === hour
        ok(dueAt - now <= 25 * HOUR + (skipped ? DAY : 0))
        const local = new Date(dueAt).toLocaleString('sv-SE', { timeZone })
        equal(local.slice(11), `${String(hour).padStart(2, '0')}:00:00`)
        equal(day, Number(local.slice(0, 10).replaceAll('-', '')))
      }),
      { numRuns: 60 },
    )
  })
})
