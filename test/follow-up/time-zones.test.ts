import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { studentHours } from '../../src/follow-up/student-hours.ts'
import { builtInStates, timeZone, zonesOfState } from '../../src/follow-up/time-zones.ts'
import { statesWith } from '../../src/leads/body/states.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { moment, wallAt, zone } from './local-time.ts'

const elsewhere = 'Etc/UTC'
const zonesOf = (code: string) => zonesOfState(code, {}, elsewhere)
const codes = [...new Set(statesWith({}).values())]
const canonical = (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone

describe('the local time of a zone', () => {
  test('changes at the moment of a clock change, whichever moment is looked up first', () => {
    const change = Date.parse('2026-11-01T06:00Z')
    const stretches = [change - 1, change, change + 1].map(asked => {
      const { stretchAt } = timeZone('America/New_York')
      stretchAt(asked)
      return [stretchAt(change - 1), stretchAt(change)]
    })
    const spring = Date.parse('2026-03-08T07:00Z')
    const nextSpring = Date.parse('2027-03-14T07:00Z')
    for (const stretch of stretches) {
      deepEqual(stretch, [
        { from: spring, to: change, offset: -4 * HOUR },
        { from: change, to: nextSpring, offset: -5 * HOUR },
      ])
    }
  })

  test('has one stretch forever in a zone whose clocks never change', () => {
    deepEqual(timeZone('UTC').stretchAt(0), { from: -Infinity, to: Infinity, offset: 0 })
  })

  test('is what Intl shows, and leads back to a moment that shows it', () => {
    fc.assert(
      fc.property(zone, fc.array(moment, { minLength: 1, maxLength: 5 }), (zone, moments) => {
        const { localTime, momentOf } = timeZone(zone)
        for (const moment of moments) {
          const { date, time } = wallAt(moment, zone)
          const shown = localTime(moment)
          equal(shown.day, Date.parse(date) / DAY)
          const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
          equal(Math.floor(shown.time / MINUTE), minutes)
          deepEqual(localTime(momentOf(shown)), shown)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('exists only for the names of zones', () => {
    for (const name of ['', 'America/Nowhere', 'noon']) throws(() => timeZone(name), RangeError)
  })
})

describe('the zones of a state', () => {
  test('are known for every state, and each is a time zone', () => {
    equal(codes.length, 56)
    deepEqual([...builtInStates].sort(), [...codes].sort())
    for (const code of codes) {
      const zones = zonesOf(code)
      ok(zones.length > 0 && !zones.includes(elsewhere), code)
      equal(new Set(zones).size, zones.length, code)
      zones.forEach(canonical)
    }
  })

  test('are together all zones of the United States and their territories', () => {
    const known = new Set(codes.flatMap(zonesOf).map(canonical))
    const territories = ['AS', 'GU', 'MP', 'PR', 'VI']
    for (const country of ['US', ...territories]) {
      for (const zone of new Intl.Locale(`und-${country}`).getTimeZones() ?? []) {
        // Saipan and Guam keep one time; the database has Saipan as a link.
        ok(known.has(canonical(zone)) || zone === 'Pacific/Saipan', zone)
      }
    }
  })

  test('are several if a state has several local times', () => {
    deepEqual(zonesOf('TX'), ['America/Chicago', 'America/Denver'])
    deepEqual(zonesOf('NV'), ['America/Los_Angeles', 'America/Denver'])
    deepEqual(zonesOf('NY'), ['America/New_York'])
    const several = 'AK AZ FL ID IN KS KY MI ND NE NV OR SD TN TX'.split(' ')
    deepEqual(codes.filter(code => zonesOf(code).length > 1).sort(), several)
  })

  test('have a time outside the usual quiet hours in common, all year', () => {
    const quietHours = { from: '20:00', to: '09:00' }
    for (const code of codes) {
      const { open } = studentHours({ zones: zonesOf(code), quietHours })
      for (let day = 0; day < 366; day++) {
        const start = Date.UTC(2026, 0, 1 + day)
        ok(open(start) < start + 24 * 3_600_000, code)
      }
    }
  })

  test('are those of the operator if given, otherwise the built-in ones, otherwise the fallback', () => {
    const own = { TX: ['America/Chicago'], ON: ['America/Toronto'] }
    deepEqual(zonesOfState('TX', own, elsewhere), ['America/Chicago'])
    deepEqual(zonesOfState('ON', own, elsewhere), ['America/Toronto'])
    deepEqual(zonesOfState('XX', own, elsewhere), [elsewhere])
    deepEqual(zonesOfState(null, own, elsewhere), [elsewhere])
  })
})
