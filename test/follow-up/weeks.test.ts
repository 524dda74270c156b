import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import {
  numberOfWeek,
  reportMorning,
  weekBefore,
  weekOf,
  weekOfNumber,
  weeksToReport,
} from '../../src/follow-up/weeks.ts'
import { HOUR } from '../../src/platform/time.ts'

/** In New York, open from 9:00 to 17:00 on weekdays. */
const calendarWith = (holidays: string[] = []) =>
  createCalendar({ ...defaultSettings, school: { ...defaultSettings.school, holidays } })

const calendar = calendarWith()

describe('a week', () => {
  test('begins on its Monday at midnight of the school, even when the clocks change', () => {
    for (const day of ['2026-10-26', '2026-10-29', '2026-11-01']) {
      const { first, last, from, until } = weekOf(day, calendar)
      deepEqual([first, last], ['2026-10-26', '2026-11-01'])
      equal(from, Date.parse('2026-10-26T04:00Z'))
      equal(until - from, (7 * 24 + 1) * HOUR)
    }
    equal(weekBefore(weekOf('2026-01-01', calendar), calendar).first, '2025-12-22')
    deepEqual(weekOfNumber(numberOfWeek(weekOf('2026-11-22', calendar)), calendar), weekOf('2026-11-22', calendar))
  })

  test('is reported on the first school morning of the next one', () => {
    const morning = (holidays: string[]) => {
      const calendar = calendarWith(holidays)
      return new Date(reportMorning(weekOf('2026-11-20', calendar), calendar)).toISOString()
    }
    equal(morning([]), '2026-11-23T14:00:00.000Z')
    equal(morning(['2026-11-23']), '2026-11-24T14:00:00.000Z')
  })

  test('is to be reported until its morning has come, however long the school is closed', () => {
    const weeks = (now: string, holidays: string[] = []) =>
      weeksToReport(Date.parse(now), calendarWith(holidays)).map(({ first }) => first)
    deepEqual(weeks('2026-11-23T13:59Z'), ['2026-11-16', '2026-11-23'])
    deepEqual(weeks('2026-11-23T14:00Z'), ['2026-11-23'])
    deepEqual(weeks('2026-11-23T04:59Z'), ['2026-11-16'])
    deepEqual(weeks('2026-11-24T13:00Z', ['2026-11-23']), ['2026-11-16', '2026-11-23'])
  })
})
