import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { holidayProblem } from '../../src/follow-up/holidays.ts'
import { hoursProblem, type SchoolWeek, schoolDays, schoolHours } from '../../src/follow-up/school-hours.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { at, firstMinute, isOpen, local, moment, school, wallAt } from './local-time.ts'

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

  test('apply on their weekday, even before 1970', () => {
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
    for (const text of [...noDates, '', '2026-11-26T00:00', '1-1', '26-11-26', '2026-11', '--12-25']) {
      ok(holidayProblem(text)?.startsWith('a date such as'), text)
      throws(() => schoolDays({ hours: week, holidays: [text] }), RangeError)
    }
  })

  test('closes that day, every year, or in leap years only', () => {
    const hours = Object.fromEntries(Object.keys(week).map(day => [day, '09:00-17:00']))
    const spansOf = schoolDays({ hours: hours as typeof week, holidays: ['2026-11-26', '12-25', '02-29'] })
    const isOpen = (date: string) => spansOf(dayOf(date)).length > 0
    for (const date of ['2026-11-26', '2026-12-25', '2027-12-25', '2028-02-29', '2032-02-29']) {
      ok(!isOpen(date), date)
    }
    for (const date of ['2027-11-26', '2026-12-24', '2027-02-28', '2027-03-01', '2028-02-28']) {
      ok(isOpen(date), date)
    }
  })
})

const hours = {
  monday: '09:00-17:00',
  tuesday: '09:00-17:00',
  wednesday: '09:00-12:00, 13:00-17:00',
  thursday: '09:00-17:00',
  friday: '09:00-15:00',
  saturday: 'closed',
  sunday: 'closed',
}
const newYork: SchoolWeek = { timeZone: 'America/New_York', hours, holidays: ['2026-11-26', '12-25'] }
const times = schoolHours(newYork)

const open = (start: string) => local(times.open(at(start)))
const minutesAfter = (start: string, minutes: number) => local(times.after(at(start), { days: 0, minutes }))
const daysAfter = (start: string, days: number, minutes = 0) => local(times.after(at(start), { days, minutes }))

const minutes = fc.integer({ min: 0, max: 3000 })
const days = fc.integer({ min: 1, max: 30 })

describe('school hours', () => {
  test('include all moments of an opening except the last', () => {
    equal(open('2026-11-23T09:00'), '2026-11-23T09:00:00')
    equal(open('2026-11-23T16:59:59.999'), '2026-11-23T16:59:59.999')
    equal(open('2026-11-23T17:00'), '2026-11-24T09:00:00')
    equal(open('2026-11-25T12:00'), '2026-11-25T13:00:00')
    equal(open('2026-11-27T15:00'), '2026-11-30T09:00:00')
  })

  test('exclude holidays and long closures', () => {
    equal(open('2026-11-26T10:00'), '2026-11-27T09:00:00')
    equal(open('2026-12-25T10:00'), '2026-12-28T09:00:00')
    const weeks = Array.from({ length: 21 }, (_, i) => `2026-07-${String(i + 6).padStart(2, '0')}`)
    const summer = schoolHours({ ...newYork, holidays: weeks })
    equal(local(summer.open(at('2026-07-03T15:00'))), '2026-07-27T09:00:00')
    equal(local(summer.after(at('2026-07-03T14:00'), { days: 1, minutes: 0 })), '2026-07-27T14:00:00')
  })

  test('count the minutes in which the school is open, to the millisecond', () => {
    equal(minutesAfter('2026-11-23T10:00:30', 5), '2026-11-23T10:05:30')
    equal(minutesAfter('2026-11-23T16:58', 5), '2026-11-24T09:03:00')
    equal(minutesAfter('2026-11-25T11:45', 60), '2026-11-25T13:45:00')
    equal(minutesAfter('2026-11-25T16:30', 60), '2026-11-27T09:30:00')
    equal(minutesAfter('2026-11-28T12:00', 15), '2026-11-30T09:15:00')
    equal(minutesAfter('2026-11-23T09:00', 480), '2026-11-24T09:00:00')
  })

  test('count the days on which the school opens, at the same time of the day', () => {
    equal(daysAfter('2026-11-20T10:00:30.5', 1), '2026-11-23T10:00:30.5')
    equal(daysAfter('2026-11-25T10:00', 1), '2026-11-27T10:00:00')
    equal(daysAfter('2026-11-23T10:00', 14), '2026-12-14T10:00:00')
    equal(daysAfter('2026-11-21T23:00', 1), '2026-11-24T09:00:00')
  })

  test('fit the time of the day into the openings of the day', () => {
    equal(daysAfter('2026-11-24T12:30', 1), '2026-11-25T13:00:00')
    equal(daysAfter('2026-11-25T16:30', 1), '2026-11-27T14:59:00')
    equal(daysAfter('2026-11-25T15:00', 1), '2026-11-27T14:59:00')
    equal(daysAfter('2026-11-25T14:59:30', 1), '2026-11-27T14:59:30')
  })

  test('add minutes to days within opening hours, and subtract them from the wall clock', () => {
    equal(daysAfter('2026-11-23T16:30', 1, 60), '2026-11-25T09:30:00')
    equal(daysAfter('2026-11-23T10:00', 2, -30), '2026-11-25T09:30:00')
    equal(daysAfter('2026-11-23T10:00', 2, -24 * 60), '2026-11-24T10:00:00')
    equal(daysAfter('2026-11-23T10:00', 2, -12 * 60), '2026-11-25T09:00:00')
    equal(daysAfter('2026-11-23T10:00', 1, -7 * 24 * 60), '2026-11-23T10:00:00')
  })

  test('handle the hour that a clock change skips and the one that it repeats', () => {
    const night = schoolHours({ ...newYork, hours: { ...hours, sunday: '01:00-03:30' } })
    const before = at('2026-03-08T01:30')
    equal(local(night.after(before, { days: 0, minutes: 45 })), '2026-03-08T03:15:00')
    equal(night.elapsed(at('2026-03-08T00:00'), at('2026-03-09T00:00')), 1.5 * HOUR)
    equal(night.elapsed(at('2026-11-01T00:00'), at('2026-11-02T00:00')), 3.5 * HOUR)
    const twice = schoolHours({ ...newYork, hours: { ...hours, sunday: '01:00-01:30' } })
    const first = at('2026-11-01T01:00')
    equal(twice.after(first, { days: 0, minutes: 30 }), first + HOUR)
    equal(twice.open(first + 30 * MINUTE), first + HOUR)
  })

  test('continue through midnight if an opening ends at 24:00 and the next begins at 0:00', () => {
    const late = { ...hours, monday: '18:00-24:00', tuesday: '00:00-02:00' }
    const times = schoolHours({ ...newYork, hours: late })
    equal(local(times.after(at('2026-11-23T23:50'), { days: 0, minutes: 20 })), '2026-11-24T00:10:00')
    equal(local(times.open(at('2026-11-24T00:00'))), '2026-11-24T00:00:00')
  })

  test('throw for a school that never opens, and at once for an invalid week or zone', () => {
    const holidays = Object.keys(hours)
    const never = schoolHours({
      ...newYork,
      hours: Object.fromEntries(holidays.map(day => [day, 'closed'])) as typeof hours,
    })
    throws(() => never.open(0), /does not open for 400 days/)
    throws(() => never.after(0, { days: 3, minutes: 0 }), RangeError)
    throws(() => never.after(0, { days: 0, minutes: 0 }), RangeError)
    equal(never.elapsed(0, 1000 * DAY), 0)
    throws(() => schoolHours({ ...newYork, timeZone: 'America/Nowhere' }), RangeError)
    throws(() => schoolHours({ ...newYork, hours: { ...hours, monday: 'noon' } }), RangeError)
  })

  test('throw, rather than search forever, if only a leap day is left', () => {
    const every = (_: unknown, i: number) => new Date(Date.UTC(2028, 0, 1) + i * DAY).toISOString().slice(5, 10)
    const holidays = Array.from({ length: 366 }, every).filter(date => date !== '02-29')
    const times = schoolHours({ ...newYork, holidays })
    const leapDay = at('2028-02-29T10:00')
    equal(times.open(leapDay), leapDay)
    throws(() => times.after(leapDay, { days: 1, minutes: 0 }), RangeError)
    throws(() => times.after(leapDay, { days: 0, minutes: 600 }), RangeError)
  })

  test('open at the first minute at which the school is open', () => {
    fc.assert(
      fc.property(school, moment, (school, moment) => {
        fc.pre(!school.holidays.some(date => String(date).length === 10))
        equal(
          schoolHours(school).open(moment),
          firstMinute(moment, at => isOpen(at, school)),
        )
      }),
      { numRuns: 60 },
    )
  })

  test('measure as many minutes as a count of the open minutes gives', () => {
    fc.assert(
      fc.property(school, moment, minutes, (school, start, minutes) => {
        const from = Math.floor(start / MINUTE) * MINUTE
        let open = 0
        for (let i = 0; i < minutes; i++) if (isOpen(from + i * MINUTE, school)) open++
        const times = schoolHours(school)
        equal(times.elapsed(from, from + minutes * MINUTE), open * MINUTE)
        equal(times.elapsed(from + minutes * MINUTE, from), 0)
      }),
      { numRuns: 60 },
    )
  })

  test('are open after a delay, and that many minutes have passed', () => {
    fc.assert(
      fc.property(school, moment, minutes, (school, start, minutes) => {
        const times = schoolHours(school)
        const end = times.after(start, { days: 0, minutes })
        ok(end >= start)
        ok(isOpen(end, school))
        equal(times.elapsed(start, end), minutes * MINUTE)
      }),
    )
  })

  test('reach the same moment in one delay or two', () => {
    fc.assert(
      fc.property(school, moment, minutes, minutes, (school, start, one, two) => {
        const { after } = schoolHours(school)
        const both = after(start, { days: 0, minutes: one + two })
        equal(after(after(start, { days: 0, minutes: one }), { days: 0, minutes: two }), both)
      }),
    )
  })

  test('let that many open days pass, and are open then', () => {
    // At 9:00 no zone here changes its clocks, so that an open day has an open moment.
    const noon = /(^|, )0\d:\d\d-1[2-9]/
    const everyDay = school.map(school => ({
      ...school,
      hours: Object.fromEntries(
        Object.entries(school.hours).map(([day, text]) => [day, noon.test(text) ? text : 'closed']),
      ) as SchoolWeek['hours'],
    }))
    const opens = (date: string, { hours, holidays }: SchoolWeek) =>
      hours[wallAt(Date.parse(date), 'UTC').weekday] !== 'closed' &&
      !holidays.includes(date) &&
      !holidays.includes(date.slice(5))
    fc.assert(
      fc.property(everyDay, moment, days, (school, start, days) => {
        // Samoa skipped a whole day, 30 December 2011.
        fc.pre(school.timeZone !== 'Pacific/Apia')
        const times = schoolHours(school)
        const end = times.after(start, { days, minutes: 0 })
        ok(isOpen(end, school))
        const first = wallAt(times.open(start), school.timeZone).date
        const last = wallAt(end, school.timeZone).date
        let passed = 0
        for (let date = Temporal.PlainDate.from(first); date.toString() < last; ) {
          date = date.add({ days: 1 })
          if (opens(date.toString(), school)) passed++
        }
        equal(passed, days)
      }),
    )
  })
})
