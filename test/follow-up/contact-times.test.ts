import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { defaultSettings } from '../../src/config/settings.ts'
import {
  contactBands,
  contactTime,
  summarizeContactTimes,
} from '../../src/follow-up/contact-times.ts'
import { schoolHours } from '../../src/follow-up/school-hours.ts'
import { timeZone } from '../../src/follow-up/time-zones.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'

// Monday to Friday from 9:00 to 17:00.
const time = {
  zone: timeZone('America/New_York'),
  school: schoolHours({ ...defaultSettings.school, timeZone: 'America/New_York' }),
}
const at = (text: string) =>
  Temporal.ZonedDateTime.from(`${text}[America/New_York]`).epochMilliseconds

const summaryOf = (codes: number[]) =>
  summarizeContactTimes(
    new Map([...Map.groupBy(codes, code => code)].map(([code, all]) => [code, all.length])),
  )

const bandOf = (code: number) => contactBands[summaryOf([code]).bands.indexOf(1)]

function bands(from: string, contact: string) {
  const { wall, working } = contactTime(time, at(from), at(contact))
  return [bandOf(wall), bandOf(working)]
}

describe('how long it took to reach someone', () => {
  test('is in the band that people expect, by the clock and in school hours', () => {
    for (const [from, contact, wall, working] of [
      ['2026-11-18T10:00', '2026-11-18T10:05', 'within 5 min', 'within 5 min'],
      ['2026-11-18T10:00', '2026-11-18T10:06', 'within 1 hour', 'within 1 hour'],
      ['2026-11-18T10:00', '2026-11-18T11:01', 'same day', 'same day'],
      ['2026-11-18T16:50', '2026-11-19T09:10', 'next day', 'within 1 hour'],
      ['2026-11-18T10:00', '2026-11-19T16:00', 'next day', 'next day'],
      ['2026-11-18T10:00', '2026-11-20T09:00', 'later', 'later'],
      // Friday evening and Saturday count from Monday's opening.
      ['2026-11-20T22:00', '2026-11-23T09:03', 'later', 'within 5 min'],
      ['2026-11-20T22:00', '2026-11-23T16:00', 'later', 'same day'],
      ['2026-11-21T12:00', '2026-11-24T16:00', 'later', 'next day'],
      ['2026-11-20T10:00', '2026-11-23T16:00', 'later', 'next day'],
      // Someone called on a Saturday.
      ['2026-11-21T12:00', '2026-11-21T14:00', 'same day', 'within 5 min'],
      ['2026-11-18T23:50', '2026-11-19T00:20', 'within 1 hour', 'within 5 min'],
      // The clock was set back meanwhile.
      ['2026-11-18T10:00', '2026-11-18T09:00', 'within 5 min', 'within 5 min'],
    ] as const)
      deepEqual(bands(from, contact), [wall, working], `${from} ${contact}`)
  })

  test('has percentiles near those of the times themselves', () => {
    const from = at('2026-11-18T10:00')
    const duration = fc.oneof(fc.nat(HOUR), fc.nat(3 * DAY), fc.nat(200 * DAY))
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 60 }), durations => {
        const codes = durations.map(duration => contactTime(time, from, from + duration).wall)
        const { count, bands, p50, p95 } = summaryOf(codes)
        equal(count, durations.length)
        equal(
          bands.reduce((sum, n) => sum + n, 0),
          count,
        )
        const sorted = durations.toSorted((one, other) => one - other)
        for (const [percent, found] of [
          [50, p50],
          [95, p95],
        ] as const) {
          const exact = sorted[Math.ceil((percent * count) / 100) - 1] ?? 0
          ok(Math.abs((found ?? 0) - exact) <= Math.max(MINUTE, exact / 4), `${found} ${exact}`)
        }
      }),
    )
  })

  test('has no percentiles when no one was reached, and is a year at most', () => {
    deepEqual(summaryOf([]), { count: 0, bands: [0, 0, 0, 0, 0], p50: null, p95: null })
    const { wall } = contactTime(time, at('2026-11-18T10:00'), at('2029-11-18T10:00'))
    equal(summaryOf([wall]).p50, 365 * DAY)
  })
})
