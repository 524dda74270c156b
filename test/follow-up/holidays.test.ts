/** Holidays as schools write them: a day or several, once or every year. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { daysOfHoliday, endProblem } from '../../src/follow-up/holidays.ts'
import { at, local } from './local-time.ts'

test('a holiday is a day, or all days from its first to its last, also across the end of a year', () => {
  deepEqual(daysOfHoliday('12-25'), ['12-25'])
  deepEqual(daysOfHoliday({ date: '2026-11-26', name: 'Thanksgiving' }), ['2026-11-26'])
  deepEqual(daysOfHoliday({ date: '2026-11-26', until: '2026-11-28' }), ['2026-11-26', '2026-11-27', '2026-11-28'])
  deepEqual(daysOfHoliday({ date: '12-30', until: '01-02' }), ['12-30', '12-31', '01-01', '01-02'])
  deepEqual(daysOfHoliday({ date: '02-28', until: '03-01' }), ['02-28', '02-29', '03-01'])
})

test('a holiday that ends before it begins, lasts too long, or mixes dates with and without years is a problem', () => {
  equal(endProblem('2026-11-26'), undefined)
  equal(endProblem({ date: '12-30', until: '01-02' }), undefined)
  match(endProblem({ date: '2026-11-26', until: '2026-11-25' }) ?? '', /2026-11-26 or later/)
  match(endProblem({ date: '2026-11-26', until: '2028-11-25' }) ?? '', /at most 366 days/)
  match(endProblem({ date: '2026-11-26', until: '11-28' }) ?? '', /with its year/)
  const { problems } = checkSettings({ school: { holidays: [{ date: '2026-11-26', until: '2026-11-25' }] } })
  deepEqual(problems, ['frontdesk.config.ts: school.holidays[0].until must be 2026-11-26 or later'])
  match(
    checkSettings({ school: { holidays: [{ date: '11/26' }] } }).problems.join(),
    /holidays\[0\]\.date must be a date/,
  )
})

test('a calendar follows hours and holidays that are replaced while it is used', () => {
  const settings = { ...defaultSettings, school: { ...defaultSettings.school } }
  const calendar = createCalendar(settings)
  const { zone } = calendar
  const thursday = at('2026-11-26T10:00')
  equal(calendar.school.open(thursday), thursday)
  settings.school.holidays = [{ date: '2026-11-26', until: '2026-11-27', name: 'Thanksgiving' }]
  equal(local(calendar.school.open(thursday)), '2026-11-30T09:00:00')
  equal(local(calendar.hoursFor({ state: null, phoneE164: null }).school.open(thursday)), '2026-11-30T09:00:00')
  settings.school.hours = { ...settings.school.hours, saturday: '10:00-12:00' }
  equal(local(calendar.school.open(thursday)), '2026-11-28T10:00:00')
  equal(zone.localTime(thursday).day, calendar.zone.localTime(thursday).day)
})
