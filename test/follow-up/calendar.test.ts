import { equal, notEqual, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { at, local } from './local-time.ts'

const { settings } = checkSettings({ followUp: { zones: { NSW: ['Australia/Sydney'] } } })
const calendar = createCalendar(settings)
const hoursIn = (state: string | null) => calendar.hoursFor({ state, phoneE164: null })

describe('the calendar', () => {
  test('knows the school by its hours', () => {
    equal(local(calendar.school.open(at('2026-11-21T10:00'))), '2026-11-23T09:00:00')
    equal(calendar.school.elapsed(at('2026-11-20T16:00'), at('2026-11-23T10:00')), 2 * 3_600_000)
  })

  test('keeps the quiet hours where a student lives or, without a state, where the school is', () => {
    const night = at('2026-11-23T05:00')
    equal(local(hoursIn(null).student.open(night)), '2026-11-23T09:00:00')
    equal(local(hoursIn('CA').student.open(night)), '2026-11-23T12:00:00')
    equal(hoursIn('NSW').student.open(at('2026-11-23T03:00')), at('2026-11-23T03:00'))
  })

  test('makes the hours of a set of zones once', () => {
    equal(hoursIn('WA'), hoursIn('CA'))
    equal(hoursIn(null), hoursIn('NY'))
    notEqual(hoursIn('TX'), hoursIn('CA'))
  })

  test("gives the day in the school's time zone", () => {
    equal(calendar.today(Date.parse('2026-11-22T04:59:59.999Z')), '2026-11-21')
    equal(calendar.today(Date.parse('2026-11-22T05:00:00Z')), '2026-11-22')
  })

  test('rejects a school without a valid time zone', () => {
    const school = { ...settings.school, timeZone: 'Mars/Olympus' }
    throws(() => createCalendar({ ...settings, school }), RangeError)
  })
})
