import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { defaultSettings } from '../../src/config/settings.ts'
import { schoolHours } from '../../src/follow-up/school-hours.ts'
import { timeZone } from '../../src/follow-up/time-zones.ts'
import { contactBands, contactTime, summarizeContactTimes } from '../../src/follow-up/times-to-reach.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'

// Monday to Friday from 9:00 to 17:00.
const time = {
  zone: timeZone('America/New_York'),
  school: schoolHours({ ...defaultSettings.school, timeZone: 'America/New_York' }),
}
/** The days of one week and the next. */
const dates = {
  Wed: '2026-11-18',
  Thu: '2026-11-19',
  Fri: '2026-11-20',
  Sat: '2026-11-21',
  Mon: '2026-11-23',
  Tue: '2026-11-24',
}

type Moment = `${keyof typeof dates} ${string}`

/** A moment in New York, such as `Wed 10:00`. */
const at = (moment: Moment) => {
  const [day, time] = moment.split(' ') as [keyof typeof dates, string]
  return Temporal.ZonedDateTime.from(`${dates[day]}T${time}[America/New_York]`).epochMilliseconds
}

const summaryOf = (codes: number[], people = codes.length) =>
  summarizeContactTimes(new Map([...Map.groupBy(codes, code => code)].map(([code, all]) => [code, all.length])), people)

const bandOf = (code: number) => contactBands[summaryOf([code]).bands.indexOf(1)]

function bands(from: Moment, contact: Moment) {
  const { wall, working } = contactTime(time, at(from), at(contact))
  return [bandOf(wall), bandOf(working)]
}

describe('how long it took to reach someone', () => {
  test('is in the band that people expect, by the clock and in school hours', () => {
    for (const [from, contact, wall, working] of [
      ['Wed 10:00', 'Wed 10:05', 'within 5 min', 'within 5 min'],
      ['Wed 10:00', 'Wed 10:06', 'within 1 hour', 'within 1 hour'],
      ['Wed 10:00', 'Wed 11:01', 'same day', 'same day'],
      ['Wed 16:50', 'Thu 09:10', 'next day', 'within 1 hour'],
      ['Wed 10:00', 'Thu 16:00', 'next day', 'next day'],
      ['Wed 10:00', 'Fri 09:00', 'later', 'later'],
      ['Wed 23:50', 'Thu 00:20', 'within 1 hour', 'within 5 min'],
      // On Monday, the school opens again.
      ['Fri 10:00', 'Mon 16:00', 'later', 'next day'],
      ['Fri 22:00', 'Mon 09:03', 'later', 'within 5 min'],
      ['Fri 22:00', 'Mon 16:00', 'later', 'same day'],
      ['Sat 12:00', 'Sat 14:00', 'same day', 'within 5 min'],
      ['Sat 12:00', 'Tue 16:00', 'later', 'next day'],
      // The clock was set back meanwhile.
      ['Wed 10:00', 'Wed 09:00', 'within 5 min', 'within 5 min'],
    ] as const)
      deepEqual(bands(from, contact), [wall, working], `${from} ${contact}`)
  })

  test('has percentiles that are never shorter than the times themselves', () => {
    const from = at('Wed 10:00')
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
          ok(found !== null && found >= exact && found - exact <= Math.max(MINUTE, exact / 4), `${found} ${exact}`)
        }
      }),
    )
  })

  test('is said of half of all people only once half of them were reached', () => {
    const from = at('Wed 10:00')
    const codes = [1, 2, 3].map(minutes => contactTime(time, from, from + minutes * MINUTE).working)
    equal(summaryOf(codes, 6).p50, 3 * MINUTE)
    equal(summaryOf(codes, 7).p50, null)
    equal(summaryOf(codes, 7).p95, 3 * MINUTE)
  })

  test('has no percentiles when no one was reached, and is a year at most', () => {
    deepEqual(summaryOf([]), { count: 0, bands: [0, 0, 0, 0, 0], p50: null, p95: null })
    const from = at('Wed 10:00')
    const { wall } = contactTime(time, from, from + 3 * 365 * DAY)
    equal(summaryOf([wall]).p50, 365 * DAY)
  })
})
