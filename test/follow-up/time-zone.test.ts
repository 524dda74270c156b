import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { timeZone } from '../../src/follow-up/time-zone.ts'
import { DAY, HOUR, MINUTE } from '../../src/time.ts'
import { moment, wallAt, zone } from './local-time.ts'

describe('the local time of a zone', () => {
  test('changes at the moment of a clock change, whichever moment is asked for first', () => {
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

  test('has one stretch for ever where clocks never change', () => {
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

  test('exists for the names of zones only', () => {
    for (const name of ['', 'America/Nowhere', 'noon']) throws(() => timeZone(name), RangeError)
  })
})
