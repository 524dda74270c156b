import { equal, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { schoolClock } from '../../src/follow-up/school-clock.ts'
import type { SchoolHours } from '../../src/follow-up/school-hours.ts'
import { DAY, HOUR, MINUTE } from '../../src/time.ts'
import { at, firstMinute, isOpen, local, moment, school, wallAt } from './local-time.ts'

const hours = {
  monday: '09:00-17:00',
  tuesday: '09:00-17:00',
  wednesday: '09:00-12:00, 13:00-17:00',
  thursday: '09:00-17:00',
  friday: '09:00-15:00',
  saturday: 'closed',
  sunday: 'closed',
}
const newYork: SchoolHours = {
  timeZone: 'America/New_York',
  hours,
  holidays: ['2026-11-26', '12-25'],
}
const clock = schoolClock(newYork)

const open = (start: string) => local(clock.open(at(start)))
const minutesAfter = (start: string, minutes: number) =>
  local(clock.after(at(start), { days: 0, minutes }))
const daysAfter = (start: string, days: number, minutes = 0) =>
  local(clock.after(at(start), { days, minutes }))

const minutes = fc.integer({ min: 0, max: 3000 })
const days = fc.integer({ min: 1, max: 30 })

describe('the school clock', () => {
  test('is open during opening hours, their last moment excluded', () => {
    equal(open('2026-11-23T09:00'), '2026-11-23T09:00:00')
    equal(open('2026-11-23T16:59:59.999'), '2026-11-23T16:59:59.999')
    equal(open('2026-11-23T17:00'), '2026-11-24T09:00:00')
    equal(open('2026-11-25T12:00'), '2026-11-25T13:00:00')
    equal(open('2026-11-27T15:00'), '2026-11-30T09:00:00')
  })

  test('is closed on holidays and for long closures', () => {
    equal(open('2026-11-26T10:00'), '2026-11-27T09:00:00')
    equal(open('2026-12-25T10:00'), '2026-12-28T09:00:00')
    const weeks = Array.from({ length: 21 }, (_, i) => `2026-07-${String(i + 6).padStart(2, '0')}`)
    const summer = schoolClock({ ...newYork, holidays: weeks })
    equal(local(summer.open(at('2026-07-03T15:00'))), '2026-07-27T09:00:00')
    equal(
      local(summer.after(at('2026-07-03T14:00'), { days: 1, minutes: 0 })),
      '2026-07-27T14:00:00',
    )
  })

  test('counts the minutes in which the school is open, to the millisecond', () => {
    equal(minutesAfter('2026-11-23T10:00:30', 5), '2026-11-23T10:05:30')
    equal(minutesAfter('2026-11-23T16:58', 5), '2026-11-24T09:03:00')
    equal(minutesAfter('2026-11-25T11:45', 60), '2026-11-25T13:45:00')
    equal(minutesAfter('2026-11-25T16:30', 60), '2026-11-27T09:30:00')
    equal(minutesAfter('2026-11-28T12:00', 15), '2026-11-30T09:15:00')
    equal(minutesAfter('2026-11-23T09:00', 480), '2026-11-24T09:00:00')
  })

  test('counts the days on which the school opens, at the same time of the day', () => {
    equal(daysAfter('2026-11-20T10:00:30.5', 1), '2026-11-23T10:00:30.5')
    equal(daysAfter('2026-11-25T10:00', 1), '2026-11-27T10:00:00')
    equal(daysAfter('2026-11-23T10:00', 14), '2026-12-14T10:00:00')
    equal(daysAfter('2026-11-21T23:00', 1), '2026-11-24T09:00:00')
  })

  test('fits the time of the day into the openings of the day', () => {
    equal(daysAfter('2026-11-24T12:30', 1), '2026-11-25T13:00:00')
    equal(daysAfter('2026-11-25T16:30', 1), '2026-11-27T14:59:00')
    equal(daysAfter('2026-11-25T15:00', 1), '2026-11-27T14:59:00')
    equal(daysAfter('2026-11-25T14:59:30', 1), '2026-11-27T14:59:30')
  })

  test('adds minutes to days by opening hours, and takes them off the wall clock', () => {
    equal(daysAfter('2026-11-23T16:30', 1, 60), '2026-11-25T09:30:00')
    equal(daysAfter('2026-11-23T10:00', 2, -30), '2026-11-25T09:30:00')
    equal(daysAfter('2026-11-23T10:00', 2, -24 * 60), '2026-11-24T10:00:00')
    equal(daysAfter('2026-11-23T10:00', 2, -12 * 60), '2026-11-25T09:00:00')
    equal(daysAfter('2026-11-23T10:00', 1, -7 * 24 * 60), '2026-11-23T10:00:00')
  })

  test('knows the hour that a clock change skips and the one that it repeats', () => {
    const night = schoolClock({ ...newYork, hours: { ...hours, sunday: '01:00-03:30' } })
    const before = at('2026-03-08T01:30')
    equal(local(night.after(before, { days: 0, minutes: 45 })), '2026-03-08T03:15:00')
    equal(night.elapsed(at('2026-03-08T00:00'), at('2026-03-09T00:00')), 1.5 * HOUR)
    equal(night.elapsed(at('2026-11-01T00:00'), at('2026-11-02T00:00')), 3.5 * HOUR)
    const twice = schoolClock({ ...newYork, hours: { ...hours, sunday: '01:00-01:30' } })
    const first = at('2026-11-01T01:00')
    equal(twice.after(first, { days: 0, minutes: 30 }), first + HOUR)
    equal(twice.open(first + 30 * MINUTE), first + HOUR)
  })

  test('goes through midnight where an opening ends at 24:00 and the next begins at 0:00', () => {
    const late = { ...hours, monday: '18:00-24:00', tuesday: '00:00-02:00' }
    const clock = schoolClock({ ...newYork, hours: late })
    equal(
      local(clock.after(at('2026-11-23T23:50'), { days: 0, minutes: 20 })),
      '2026-11-24T00:10:00',
    )
    equal(local(clock.open(at('2026-11-24T00:00'))), '2026-11-24T00:00:00')
  })

  test('throws for a school that never opens, and at once for what is not valid', () => {
    const holidays = Object.keys(hours)
    const never = schoolClock({
      ...newYork,
      hours: Object.fromEntries(holidays.map(day => [day, 'closed'])) as typeof hours,
    })
    throws(() => never.open(0), /does not open for 400 days/)
    throws(() => never.after(0, { days: 3, minutes: 0 }), RangeError)
    throws(() => never.after(0, { days: 0, minutes: 0 }), RangeError)
    equal(never.elapsed(0, 1000 * DAY), 0)
    throws(() => schoolClock({ ...newYork, timeZone: 'America/Nowhere' }), RangeError)
    throws(() => schoolClock({ ...newYork, hours: { ...hours, monday: 'noon' } }), RangeError)
  })

  test('throws, rather than search for ever, where only a leap day is left', () => {
    const every = (_: unknown, i: number) =>
      new Date(Date.UTC(2028, 0, 1) + i * DAY).toISOString().slice(5, 10)
    const holidays = Array.from({ length: 366 }, every).filter(date => date !== '02-29')
    const clock = schoolClock({ ...newYork, holidays })
    const leapDay = at('2028-02-29T10:00')
    equal(clock.open(leapDay), leapDay)
    throws(() => clock.after(leapDay, { days: 1, minutes: 0 }), RangeError)
    throws(() => clock.after(leapDay, { days: 0, minutes: 600 }), RangeError)
  })

  test('opens at the first minute at which the school is open', () => {
    fc.assert(
      fc.property(school, moment, (school, moment) => {
        fc.pre(!school.holidays.some(date => date.length === 10))
        equal(
          schoolClock(school).open(moment),
          firstMinute(moment, at => isOpen(at, school)),
        )
      }),
      { numRuns: 60 },
    )
  })

  test('measures what a count of the open minutes gives', () => {
    fc.assert(
      fc.property(school, moment, minutes, (school, start, minutes) => {
        const from = Math.floor(start / MINUTE) * MINUTE
        let open = 0
        for (let i = 0; i < minutes; i++) if (isOpen(from + i * MINUTE, school)) open++
        const clock = schoolClock(school)
        equal(clock.elapsed(from, from + minutes * MINUTE), open * MINUTE)
        equal(clock.elapsed(from + minutes * MINUTE, from), 0)
      }),
      { numRuns: 60 },
    )
  })

  test('is open after a delay, and so many minutes have passed', () => {
    fc.assert(
      fc.property(school, moment, minutes, (school, start, minutes) => {
        const clock = schoolClock(school)
        const end = clock.after(start, { days: 0, minutes })
        ok(end >= start)
        ok(isOpen(end, school))
        equal(clock.elapsed(start, end), minutes * MINUTE)
      }),
    )
  })

  test('comes to the same moment in one delay or two', () => {
    fc.assert(
      fc.property(school, moment, minutes, minutes, (school, start, one, two) => {
        const { after } = schoolClock(school)
        const both = after(start, { days: 0, minutes: one + two })
        equal(after(after(start, { days: 0, minutes: one }), { days: 0, minutes: two }), both)
      }),
    )
  })

  test('lets so many open days pass, and is open then', () => {
    // At 9:00 no zone here changes its clocks, so that an open day has an open moment.
    const noon = /(^|, )0\d:\d\d-1[2-9]/
    const everyDay = school.map(school => ({
      ...school,
      hours: Object.fromEntries(
        Object.entries(school.hours).map(([day, text]) => [day, noon.test(text) ? text : 'closed']),
      ) as SchoolHours['hours'],
    }))
    const opens = (date: string, { hours, holidays }: SchoolHours) =>
      hours[wallAt(Date.parse(date), 'UTC').weekday] !== 'closed' &&
      !holidays.includes(date) &&
      !holidays.includes(date.slice(5))
    fc.assert(
      fc.property(everyDay, moment, days, (school, start, days) => {
        // Samoa skipped a whole day, 30 December 2011.
        fc.pre(school.timeZone !== 'Pacific/Apia')
        const clock = schoolClock(school)
        const end = clock.after(start, { days, minutes: 0 })
        ok(isOpen(end, school))
        const first = wallAt(clock.open(start), school.timeZone).date
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
