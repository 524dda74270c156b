import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { at, local, moment } from './local-time.ts'

const { settings } = checkSettings({})
// The school is in New York, and open from 9:00 until 17:00.
const calendar = createCalendar(settings)
const after = (state: string | null, start: string, minutes: number, days = 0) =>
  local(calendar.hoursFor({ state, phoneE164: null }).school.after(at(start), { days, minutes }))

describe('the hours in which the staff call a person', () => {
  test('begin when the school is open and quiet hours are over where they live', () => {
    // In the west of Texas it is 9:00 when it is 11:00 at the school.
    equal(after('TX', '2026-11-22T23:00', 5), '2026-11-23T11:05:00')
    equal(after('TX', '2026-11-23T09:30', 5), '2026-11-23T11:05:00')
    equal(after('TX', '2026-11-23T11:30', 5), '2026-11-23T11:35:00')
    equal(after('NY', '2026-11-22T23:00', 5), '2026-11-23T09:05:00')
    equal(after(null, '2026-11-22T23:00', 5), '2026-11-23T09:05:00')
  })

  test('leave minutes over for the first calling hour of the next day', () => {
    equal(after('TX', '2026-11-23T16:58', 15), '2026-11-24T11:13:00')
    equal(after('TX', '2026-11-24T16:58', 60, 1), '2026-11-26T11:58:00')
  })

  test('count days as the school does', () => {
    equal(after('TX', '2026-11-23T08:00', 0, 1), '2026-11-24T11:00:00')
    equal(after('TX', '2026-11-23T15:00', -60, 1), '2026-11-24T14:00:00')
    equal(after('TX', '2026-11-23T11:30', -60, 1), '2026-11-24T11:00:00')
  })

  test('are school hours from the first calling hour on, where calling hours never overlap with them', () => {
    // It is 0:00 until 8:00 in Guam while the school is open. At 18:00 at the school, it is 9:00 there.
    equal(after('GU', '2026-11-23T10:00', 5), '2026-11-24T09:05:00')
    equal(after('GU', '2026-11-23T19:00', 5), '2026-11-24T09:05:00')
    equal(
      local(calendar.hoursFor({ state: 'GU', phoneE164: null }).school.open(at('2026-11-23T10:00'))),
      '2026-11-23T10:00:00',
    )
  })

  test('never let a person be late before calling hours', () => {
    const state = fc.constantFrom(null, 'NY', 'TX', 'CA', 'HI', 'AK', 'GU', 'AS', 'PR')
    const delay = fc.record({ days: fc.integer({ min: 0, max: 3 }), minutes: fc.integer({ min: 1, max: 600 }) })
    fc.assert(
      fc.property(state, moment, delay, (state, start, delay) => {
        const due = calendar.hoursFor({ state, phoneE164: null }).school.after(start, delay)
        const { open, until } = calendar.callWindow({ state, phoneE164: null }, start)
        return due > (open ? start : (until ?? start))
      }),
    )
  })
})
