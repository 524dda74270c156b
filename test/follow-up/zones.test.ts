import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { studentClock } from '../../src/follow-up/student-clock.ts'
import { builtInStates, zonesOfState } from '../../src/follow-up/zones.ts'
import { statesWith } from '../../src/leads/states.ts'

const elsewhere = 'Etc/UTC'
const zonesOf = (code: string) => zonesOfState(code, {}, elsewhere)
const codes = [...new Set(statesWith({}).values())]
const canonical = (timeZone: string) =>
  new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone

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

  test('are several where a state keeps several times', () => {
    deepEqual(zonesOf('TX'), ['America/Chicago', 'America/Denver'])
    deepEqual(zonesOf('NV'), ['America/Los_Angeles', 'America/Denver'])
    deepEqual(zonesOf('NY'), ['America/New_York'])
    const several = 'AK AZ FL ID IN KS KY MI ND NE NV OR SD TN TX'.split(' ')
    deepEqual(codes.filter(code => zonesOf(code).length > 1).sort(), several)
  })

  test('have a time outside of the usual quiet hours in common, all year', () => {
    const quietHours = { from: '20:00', to: '09:00' }
    for (const code of codes) {
      const { open } = studentClock({ zones: zonesOf(code), quietHours })
      for (let day = 0; day < 366; day++) {
        const start = Date.UTC(2026, 0, 1 + day)
        ok(open(start) < start + 24 * 3_600_000, code)
      }
    }
  })

  test('are those of the operator first, and the fallback for all others', () => {
    const own = { TX: ['America/Chicago'], ON: ['America/Toronto'] }
    deepEqual(zonesOfState('TX', own, elsewhere), ['America/Chicago'])
    deepEqual(zonesOfState('ON', own, elsewhere), ['America/Toronto'])
    deepEqual(zonesOfState('XX', own, elsewhere), [elsewhere])
    deepEqual(zonesOfState(null, own, elsewhere), [elsewhere])
  })
})
