import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { holidayProblem, hoursProblem, schoolDays } from '../../src/follow-up/school-hours.ts'
import { DAY, HOUR } from '../../src/time.ts'

const closed = 'closed'
const week = {
  monday: closed,
  tuesday: closed,
  wednesday: closed,
  thursday: closed,
  friday: closed,
  saturday: closed,
  sunday: closed,
}
const dayOf = (date: string) => Date.parse(date) / DAY

describe('the opening hours of a day', () => {
  test('are closed, or one or several openings', () => {
    const texts = ['closed', '09:00-17:00', '00:00-24:00', '09:00-12:00, 13:00-17:00']
    for (const text of [...texts, '09:00-12:00,12:00-17:00', '09:00-09:01']) {
      equal(hoursProblem(text), undefined, text)
    }
  })

  test('are in order, within the day, and written in full', () => {
    const disorder = ['17:00-09:00', '09:00-09:00', '13:00-17:00, 09:00-12:00']
    const overlapping = ['09:00-13:00, 12:00-17:00', '00:00-24:00, 09:00-17:00']
    const noTimes = ['24:00-24:00', '09:00-24:01', '09:00-25:00', '09:60-17:00', '9:00-17:00']
    const noHours = ['', 'Closed', '09:00', '09:00-', '09:00-17:00,', '09:00-12:00-17:00']
    const more = ['09:00-17:00-x', '09:00-17:00 x', '09:00–17:00', '09:00-17:00, closed']
    for (const text of [...disorder, ...overlapping, ...noTimes, ...noHours, ...more]) {
      ok(hoursProblem(text)?.startsWith("'closed' or opening hours"), text)
      throws(() => schoolDays({ hours: { ...week, friday: text }, holidays: [] }), RangeError)
    }
  })

  test('hold on their weekday, also before 1970', () => {
    const spansOf = schoolDays({ hours: { ...week, monday: '09:00-17:00' }, holidays: [] })
    const spans = [{ from: 9 * HOUR, to: 17 * HOUR }]
    for (const monday of ['2026-11-23', '1970-01-05', '1969-12-29', '1900-01-01']) {
      deepEqual(spansOf(dayOf(monday)), spans)
      for (let other = 1; other <= 6; other++) deepEqual(spansOf(dayOf(monday) + other), [])
    }
  })
})

describe('a holiday', () => {
  test('is a date of the calendar, once or every year', () => {
    for (const text of ['2026-11-26', '12-25', '02-29', '2028-02-29']) {
      equal(holidayProblem(text), undefined, text)
    }
    const noDates = ['2026-02-29', '2026-02-30', '02-30', '13-01', '00-10', '2026-11-31', '11-31']
    for (const text of [
      ...noDates,
      '',
      '2026-11-26T00:00',
      '1-1',
      '26-11-26',
      '2026-11',
      '--12-25',
    ]) {
      ok(holidayProblem(text)?.startsWith('a date such as'), text)
      throws(() => schoolDays({ hours: week, holidays: [text] }), RangeError)
    }
  })

  test('closes that day, every year, or in leap years only', () => {
    const hours = Object.fromEntries(Object.keys(week).map(day => [day, '09:00-17:00']))
    const spansOf = schoolDays({
      hours: hours as typeof week,
      holidays: ['2026-11-26', '12-25', '02-29'],
    })
    const isOpen = (date: string) => spansOf(dayOf(date)).length > 0
    for (const date of ['2026-11-26', '2026-12-25', '2027-12-25', '2028-02-29', '2032-02-29']) {
      ok(!isOpen(date), date)
    }
    for (const date of ['2027-11-26', '2026-12-24', '2027-02-28', '2027-03-01', '2028-02-28']) {
      ok(isOpen(date), date)
    }
  })
})
