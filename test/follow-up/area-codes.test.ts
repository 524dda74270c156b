/** Where in a state with several time zones people live, by the area codes of their numbers. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkSettings } from '../../src/config/settings.ts'
import { areaCodesOf, isIn, type Place } from '../../src/follow-up/area-codes.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { builtInStates, zonesOfState } from '../../src/follow-up/time-zones.ts'

const { settings } = checkSettings({})
const calendar = createCalendar(settings)
const texas = ['America/Chicago', 'America/Denver']
const at = (state: string | null, phoneE164: string | null, latestPhone: string | null = null) =>
  calendar.zonesOf({ state, phoneE164, latestPhone })

describe('the time zone of a person in a state with two', () => {
  test('is the one in which the area code of their number lies', () => {
    deepEqual(at('TX', '+17135550142'), { zones: ['America/Chicago'], areaCode: '713' })
    deepEqual(at('TX', '+19155550142'), { zones: ['America/Denver'], areaCode: '915' })
    deepEqual(at('KY', '+15025550142'), { zones: ['America/Kentucky/Louisville'], areaCode: '502' })
  })

  test('is not known without an area code of that state that lies in one zone', () => {
    const unknown = { zones: texas, areaCode: null }
    // None, of another state, toll-free, of another country.
    for (const phone of [null, '+12125550142', '+18005550142', '+447135550142', '+527135550142'])
      deepEqual(at('TX', phone), unknown, `${phone}`)
    deepEqual(at('FL', '+18505550142'), { zones: zonesOfState('FL', {}, ''), areaCode: null })
  })

  test('is not known if they gave two numbers of different zones', () => {
    deepEqual(at('TX', '+17135550142', '+19155550142'), { zones: texas, areaCode: null })
    deepEqual(at('TX', '+17135550142', '+12125550142'), { zones: texas, areaCode: null })
    deepEqual(at('TX', null, '+19155550142'), { zones: texas, areaCode: null })
    deepEqual(at('TX', '+17135550142', '+15125550142'), { zones: ['America/Chicago'], areaCode: '713' })
  })

  test('is the only one of the state, also by the operator’s own table, and the school’s without a state', () => {
    deepEqual(at('NY', '+17135550142'), { zones: ['America/New_York'], areaCode: null })
    deepEqual(at(null, '+17135550142'), { zones: ['America/New_York'], areaCode: null })
    const own = { ...settings, followUp: { ...settings.followUp, zones: { TX: ['America/Chicago'] } } }
    const zones = createCalendar(own).zonesOf({ state: 'TX', phoneE164: '+19155550142' })
    deepEqual(zones, { zones: ['America/Chicago'], areaCode: null })
  })

  test('is one of the state, for every area code, which no other state has', () => {
    const codes: string[] = []
    for (const state of builtInStates)
      for (const area of areaCodesOf(state)) {
        ok(zonesOfState(state, {}, '').includes(area.zone), `${state} ${area.zone}`)
        codes.push(...area.codes)
      }
    equal(new Set(codes).size, codes.length)
    ok(codes.every(code => /^[2-9]\d\d$/.test(code)))
  })
})

test('the first area that a person is in has their hours, and everyone who may be called is in an area that is open', () => {
  const states = [...builtInStates, null]
  const areas = calendar.areasOf(states)
  const numbers = [null, ...states.flatMap(state => areaCodesOf(state).flatMap(({ codes }) => codes.slice(0, 2)))].map(
    code => (code === null ? null : `+1${code}5550142`),
  )
  const people: Place[] = states.flatMap(state =>
    numbers.flatMap(phoneE164 => [null, '+19155550142'].map(latestPhone => ({ state, phoneE164, latestPhone }))),
  )
  for (const person of people) {
    const first = areas.find(({ area }) => isIn(person, area))
    equal(first && calendar.hoursFor(first.place), calendar.hoursFor(person), JSON.stringify(person))
  }
  for (let hour = 0; hour < 24; hour++) {
    const now = Date.UTC(2026, 10, 24, hour, 30)
    const open = areas.filter(({ place }) => calendar.callWindow(place, now).open)
    const listed = people.filter(person => open.some(({ area }) => isIn(person, area)))
    deepEqual(
      listed,
      people.filter(person => calendar.callWindow(person, now).open),
      `${hour}:30`,
    )
  }
})
