import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { DAY, type DayPart, dayParts } from '../../src/platform/time.ts'
import { at, local, moment, wallAt } from './local-time.ts'

// The school is in New York, and open from 9:00 until 17:00, on Thursdays until 20:00.
const { settings } = checkSettings({ school: { hours: { thursday: '09:00-20:00' } } })
const calendar = createCalendar(settings)
const hoursOf = (bestTime: DayPart | null, state: string) =>
  calendar.hoursFor({ state, phoneE164: null, bestTime }).school
const after = (bestTime: DayPart | null, start: string, minutes: number, { state = 'NY', days = 0 } = {}) =>
  local(hoursOf(bestTime, state).after(at(start), { days, minutes }))

describe('a person who has said which time is best to call', () => {
  test('is called at that time of the day, within school hours', () => {
    equal(after('morning', '2026-11-23T14:00', 5), '2026-11-24T09:05:00')
    equal(after('morning', '2026-11-24T10:00', 5), '2026-11-24T10:05:00')
    equal(after('afternoon', '2026-11-24T10:00', 5), '2026-11-24T12:05:00')
    equal(after('evening', '2026-11-24T10:00', 15), '2026-11-26T17:15:00')
    equal(after(null, '2026-11-23T14:00', 5), '2026-11-23T14:05:00')
  })

  test('is called at that time of day where they live, at hours when calls are allowed there', () => {
    // 17:00 in the west of Texas and in New York is not at the same moment: most Texans are an hour behind.
    equal(after('evening', '2026-11-26T10:00', 5, { state: 'TX' }), '2026-11-26T18:05:00')
    equal(after('morning', '2026-11-23T08:00', 5, { state: 'CA' }), '2026-11-23T12:05:00')
  })

  test('has minutes left over for the next such time, and days counted as the school does', () => {
    equal(after('morning', '2026-11-23T11:50', 15), '2026-11-24T09:05:00')
    equal(after('morning', '2026-11-23T14:00', 0, { days: 1 }), '2026-11-25T09:00:00')
  })

  test('is called as everyone else if that time does not come within four days, or never', () => {
    equal(after('evening', '2026-11-20T10:00', 5), '2026-11-20T10:05:00')
    const usual = createCalendar(checkSettings({}).settings)
    const never = usual.hoursFor({ state: 'NY', phoneE164: null, bestTime: 'evening' }).school
    equal(local(never.after(at('2026-11-24T10:00'), { days: 0, minutes: 5 })), '2026-11-24T10:05:00')
  })

  test('is never called later than four days after they might have been, nor before', () => {
    const state = fc.constantFrom('NY', 'TX', 'CA', 'HI', 'AK', 'PR')
    fc.assert(
      fc.property(state, moment, fc.constantFrom(...dayParts), (state, start, bestTime) => {
        const [best, usual] = [hoursOf(bestTime, state).open(start), hoursOf(null, state).open(start)]
        ok(best >= usual && best < usual + 4 * DAY)
        const { time } = wallAt(best, calendar.zonesOf({ state, phoneE164: null }).zones[0] ?? '')
        const part = time < '12:00' ? 'morning' : time < '17:00' ? 'afternoon' : 'evening'
        ok(best === usual || part === bestTime)
      }),
    )
  })
})
