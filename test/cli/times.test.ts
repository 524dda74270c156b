import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseTime } from '../../src/cli/terminal/arguments.ts'
import { createTimes, wait } from '../../src/cli/terminal/times.ts'
import { defaultSettings } from '../../src/config/settings.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'

const zone = 'America/Chicago'
const school = { ...defaultSettings.school, timeZone: zone, country: 'US' }
/** Saturday, 3:25 PM in Chicago. */
const now = Date.parse('2026-11-21T21:25:00Z')

describe('times for people', () => {
  test('are relative while they are near, in the time zone of the school', () => {
    const { near } = createTimes(school, now)
    const expected: [number, string][] = [
      [0, 'now'],
      [-12 * MINUTE, '12 min ago'],
      [12 * MINUTE, 'in 12 min'],
      [-2 * HOUR, 'today 1:25 PM'],
      [-16 * HOUR, 'yesterday 11:25 PM'],
      [18 * HOUR, 'tomorrow 9:25 AM'],
      [-4 * DAY, 'Tue 3:25 PM'],
      [-30 * DAY, 'Oct 22, 4:25 PM'],
      [-400 * DAY, 'Oct 17, 2025'],
    ]
    deepEqual(
      expected.map(([distance]) => near(now + distance)),
      expected.map(([, words]) => words),
    )
    equal(createTimes(school, now, 'Pacific/Honolulu').short(now), 'today 11:25 AM')
  })

  test('are shown in full on request', () => {
    equal(createTimes(school, now).full(now), 'Sat, Nov 21, 2026, 3:25 PM CST')
  })

  test('say how long someone waits in the largest unit', () => {
    const waits = [-MINUTE, 0, 12 * MINUTE, 5 * HOUR + 59 * MINUTE, DAY, 3.5 * DAY]
    deepEqual(waits.map(wait), ['0 min', '0 min', '12 min', '5 h', '1 day', '3 days'])
  })
})

describe('a time that someone types', () => {
  test('is one at the school, unless it has an offset', () => {
    const expected: [string, string][] = [
      ['2026-11-21', '2026-11-21T06:00:00Z'],
      ['2026-07-01', '2026-07-01T05:00:00Z'],
      ['2026-11-21T08:00', '2026-11-21T14:00:00Z'],
      ['2026-11-21T08:00Z', '2026-11-21T08:00:00Z'],
      ['2026-11-21T08:00+01:00', '2026-11-21T07:00:00Z'],
      ['2d', '2026-11-19T21:25:00Z'],
      ['90m', '2026-11-21T19:55:00Z'],
    ]
    deepEqual(
      expected.map(([text]) => parseTime(text, now, zone)),
      expected.map(([, time]) => Date.parse(time)),
    )
    for (const text of ['yesterday', '2026-11-31', '2026', '7', '2026-11-21T08:00Q', ''])
      throws(() => parseTime(text, now, zone), /is not a time; use 2026-11-21, /, text)
  })
})
