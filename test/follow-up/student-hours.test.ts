import { equal, match, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { studentHours, zonesProblem } from '../../src/follow-up/student-hours.ts'
import { DAY, MINUTE } from '../../src/platform/time.ts'
import { at, firstMinute, isLoud, local, moment, zone } from './local-time.ts'

const quietHours = { from: '20:00', to: '09:00' }
const newYork = studentHours({ zones: ['America/New_York'], quietHours })
const texas = studentHours({ zones: ['America/Chicago', 'America/Denver'], quietHours })
const daysAfter = (start: string, days: number, minutes = 0) => local(newYork.after(at(start), { days, minutes }))

describe('student hours', () => {
  test('exclude the quiet hours, but not their last moment', () => {
    equal(local(newYork.open(at('2026-11-21T09:00'))), '2026-11-21T09:00:00')
    equal(local(newYork.open(at('2026-11-21T19:59:59.999'))), '2026-11-21T19:59:59.999')
    equal(local(newYork.open(at('2026-11-21T20:00'))), '2026-11-22T09:00:00')
    equal(local(newYork.open(at('2026-11-21T08:59:59.999'))), '2026-11-21T09:00:00')
  })

  test('are open only while no zone of the state has its quiet hours', () => {
    const chicago = 'America/Chicago'
    const open = (start: string) => local(texas.open(at(start, chicago)), chicago)
    equal(open('2026-11-21T09:30'), '2026-11-21T10:00:00')
    equal(open('2026-11-21T19:59'), '2026-11-21T19:59:00')
    equal(open('2026-11-21T20:00'), '2026-11-22T10:00:00')
  })

  test('can be closed at noon, until midnight, or never', () => {
    const open = (from: string, to: string, start: string) =>
      local(studentHours({ zones: ['America/New_York'], quietHours: { from, to } }).open(at(start)))
    equal(open('12:00', '14:00', '2026-11-21T11:59'), '2026-11-21T11:59:00')
    equal(open('12:00', '14:00', '2026-11-21T12:00'), '2026-11-21T14:00:00')
    equal(open('20:00', '00:00', '2026-11-21T20:00'), '2026-11-22T00:00:00')
    equal(open('20:00', '24:00', '2026-11-21T20:00'), '2026-11-22T00:00:00')
    equal(open('00:00', '09:00', '2026-11-21T00:00'), '2026-11-21T09:00:00')
    equal(open('20:00', '20:00', '2026-11-21T20:00'), '2026-11-21T20:00:00')
  })

  test('count minutes exactly, even across a clock change', () => {
    equal(daysAfter('2026-11-21T10:00:30', 0, 60), '2026-11-21T11:00:30')
    equal(daysAfter('2026-11-21T19:30', 0, 60), '2026-11-22T09:00:00')
    equal(daysAfter('2026-03-07T12:00', 0, 24 * 60), '2026-03-08T13:00:00')
  })

  test('count days by the calendar of the first zone, at the same time of the day', () => {
    equal(daysAfter('2026-03-07T12:00', 1), '2026-03-08T12:00:00')
    equal(daysAfter('2026-10-31T12:00', 3), '2026-11-03T12:00:00')
    equal(daysAfter('2028-02-28T12:00', 1), '2028-02-29T12:00:00')
    equal(daysAfter('2026-11-21T23:00', 1), '2026-11-23T09:00:00')
    equal(daysAfter('2026-11-21T12:00', 2, -36 * 60), '2026-11-22T09:00:00')
  })

  test('move a time that a clock change skips forward, and use the first of a repeated one', () => {
    const { after } = studentHours({ zones: ['America/New_York'], quietHours: { from: '12:00', to: '12:00' } })
    const nextDay = (start: string) => after(at(start), { days: 1, minutes: 0 })
    equal(nextDay('2026-03-07T02:30'), at('2026-03-08T03:30'))
    equal(nextDay('2026-10-31T01:30'), Date.parse('2026-11-01T05:30Z'))
  })

  test('count minutes from the second of two equal times, not from the first', () => {
    const { after } = studentHours({ zones: ['America/New_York'], quietHours: { from: '12:00', to: '12:00' } })
    const second = Date.parse('2026-11-01T06:30Z')
    equal(after(second, { days: 0, minutes: 5 }), second + 5 * MINUTE)
  })

  test('never go back, even if a day is shorter than the hours that are subtracted', () => {
    const start = at('2026-03-07T12:00')
    equal(newYork.after(start, { days: 1, minutes: -24 * 60 }), start)
  })

  test('throw if zones have no time in common, and at once for an invalid zone or time', () => {
    const zones = ['America/New_York', 'Europe/London', 'Pacific/Guam']
    const apart = studentHours({ zones, quietHours })
    throws(() => apart.open(0), /8 days.*of America\/New_York, Europe\/London, Pacific\/Guam$/)
    throws(() => studentHours({ zones: [], quietHours }), RangeError)
    throws(() => studentHours({ zones: ['America/Nowhere'], quietHours }), RangeError)
    throws(() => studentHours({ zones, quietHours: { from: '8 pm', to: '09:00' } }), RangeError)
  })

  test('open at the first minute that is not quiet anywhere', () => {
    const time = fc.constantFrom('00:00', '00:45', '02:15', '09:00', '12:00', '20:00', '23:30')
    const twoZones = fc.uniqueArray(zone, { minLength: 1, maxLength: 3 })
    const offset = fc.integer({ min: -DAY, max: DAY })
    fc.assert(
      fc.property(twoZones, time, time, moment, offset, (zones, from, to, moment, offset) => {
        const hours = { zones, quietHours: { from, to } }
        const start = moment + offset
        const loud = (at: number) => isLoud(at, zones, from, to)
        fc.pre(firstMinute(start, at => loud(at) || at > start + 3 * DAY) <= start + 3 * DAY)
        equal(studentHours(hours).open(start), firstMinute(start, loud))
      }),
      { numRuns: 100 },
    )
  })

  test('keep the time of the day across days, and the quiet hours', () => {
    fc.assert(
      fc.property(zone, moment, fc.integer({ min: 1, max: 60 }), (zone, start, days) => {
        fc.pre(zone !== 'Pacific/Apia')
        const { after, open } = studentHours({ zones: [zone], quietHours })
        const end = after(start, { days, minutes: 0 })
        ok(isLoud(end, [zone], quietHours.from, quietHours.to))
        const sameTime = Temporal.Instant.fromEpochMilliseconds(start)
          .toZonedDateTimeISO(zone)
          .add({ days }).epochMilliseconds
        equal(end, open(sameTime))
      }),
    )
  })

  test('let at least the minutes pass, and no more than the quiet hours demand', () => {
    const minutes = fc.integer({ min: 0, max: 5000 })
    fc.assert(
      fc.property(zone, moment, minutes, (zone, start, minutes) => {
        const { after, open } = studentHours({ zones: [zone], quietHours })
        equal(after(start, { days: 0, minutes }), open(start + minutes * MINUTE))
      }),
    )
  })
})

describe('the zones of a state', () => {
  const now = at('2026-11-21T15:00')

  test('are fine if they have a time outside the quiet hours in common', () => {
    for (const other of ['America/Los_Angeles', 'Europe/Berlin', 'Pacific/Guam']) {
      equal(zonesProblem({ zones: ['America/New_York', other], quietHours }, now), undefined, other)
    }
  })

  test('are a problem if it is always quiet in one of them, even if only in summer', () => {
    const zones = ['America/New_York', 'Pacific/Honolulu']
    // It is 12:30 in Honolulu at 17:30 in New York in winter, but at 18:30 in summer.
    const narrow = { from: '18:30', to: '12:30' }
    const summer = at('2026-06-21T15:00')
    ok(studentHours({ zones, quietHours: narrow }).open(now) > now)
    throws(() => studentHours({ zones, quietHours: narrow }).open(summer), RangeError)
    for (const from of [now, summer]) {
      match(zonesProblem({ zones, quietHours: narrow }, from) ?? '', /^time zones that have a time/)
    }
  })
})
