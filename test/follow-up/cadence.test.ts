import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type Cadence,
  type Clocks,
  dueAt,
  futureOf,
  nextOnTrack,
  type PreviousStep,
  type Progress,
  type Step,
  type Track,
  trackOf,
  tracks,
} from '../../src/follow-up/cadence.ts'
import { cadenceProblems } from '../../src/follow-up/cadence-problems.ts'
import { nominalMinutes, parseDelay } from '../../src/follow-up/delay.ts'
import { type SchoolClock, schoolClock } from '../../src/follow-up/school-clock.ts'
import { studentClock } from '../../src/follow-up/student-clock.ts'
import { DAY, HOUR } from '../../src/time.ts'
import { at, local, moment, school, zone } from './local-time.ts'
import { closing, defaultCadence, letter, reminder } from './steps.ts'

const quietHours = { from: '20:00', to: '09:00' }
const weekday = '09:00-17:00'
const newYork: Clocks = {
  school: schoolClock({
    timeZone: 'America/New_York',
    hours: {
      monday: weekday,
      tuesday: weekday,
      wednesday: weekday,
      thursday: weekday,
      friday: weekday,
      saturday: 'closed',
      sunday: 'closed',
    },
    holidays: ['2026-11-26'],
  }),
  student: studentClock({ zones: ['America/New_York'], quietHours }),
}

const plan = (progress: Progress, cadence: Cadence = defaultCadence) =>
  futureOf(cadence, progress, newYork).map(
    ({ step, dueAt }) => `${local(dueAt).slice(0, 16)} ${step.name}`,
  )

describe('the follow-up of a student who writes on a Saturday evening', () => {
  const start = at('2026-11-21T21:30')

  test('reminds the staff from Monday on, writes by day, and ends after two weeks', () => {
    deepEqual(plan({ start, last: {} }), [
      '2026-11-23T09:00 letter-1',
      '2026-11-23T09:05 reminder-5',
      '2026-11-23T09:15 reminder-15',
      '2026-11-23T10:00 reminder-60',
      '2026-11-25T09:00 letter-3',
      '2026-11-29T09:00 letter-7',
      '2026-12-06T09:00 close',
    ])
  })

  test('goes on from where each track has come to', () => {
    const last = {
      staff: { index: 1, at: at('2026-11-23T09:15') },
      student: { index: 3, at: at('2026-11-23T09:00') },
    }
    deepEqual(plan({ start, last }), [
      '2026-11-23T10:00 reminder-60',
      '2026-11-25T09:00 letter-3',
      '2026-11-29T09:00 letter-7',
      '2026-12-06T09:00 close',
    ])
  })

  test('keeps the distances of the plan after an outage, on each track for itself', () => {
    const last = {
      staff: { index: 0, at: at('2026-11-27T16:58') },
      student: { index: 3, at: at('2026-11-27T18:00') },
    }
    deepEqual(plan({ start, last }), [
      '2026-11-29T18:00 letter-3',
      '2026-11-30T09:08 reminder-15',
      '2026-11-30T09:53 reminder-60',
      '2026-12-03T18:00 letter-7',
      '2026-12-06T09:00 close',
    ])
  })

  test('is over where every track has ended', () => {
    const at = start + 30 * DAY
    const last = {
      staff: { index: 2, at },
      student: { index: 5, at },
      end: { index: 6, at },
    }
    deepEqual(plan({ start, last }), [])
  })

  test('puts what is due at one moment in the order of the cadence', () => {
    const together = [letter('b', '1 day'), reminder('c', '0 minutes'), letter('a', '1 day')]
    deepEqual(plan({ start, last: {} }, together), [
      '2026-11-23T09:00 b',
      '2026-11-23T09:00 c',
      '2026-11-23T09:00 a',
    ])
  })
})

describe('a step', () => {
  test('is on the track of the staff, of the student, or of the end', () => {
    equal(trackOf(reminder('a', '1 hour')), 'staff')
    equal(trackOf(letter('a', '1 day')), 'student')
    equal(trackOf(closing('a', '14 days')), 'end')
  })

  test('is followed by the next one of its track', () => {
    equal(nextOnTrack(defaultCadence, 'staff', undefined), 0)
    equal(nextOnTrack(defaultCadence, 'student', undefined), 3)
    equal(nextOnTrack(defaultCadence, 'staff', 0), 1)
    equal(nextOnTrack(defaultCadence, 'staff', 2), undefined)
    equal(nextOnTrack(defaultCadence, 'end', 0), 6)
    equal(nextOnTrack([], 'end', undefined), undefined)
  })

  test('that is not in the cadence is never due', () => {
    throws(() => dueAt(defaultCadence, 7, { start: 0 }, newYork), RangeError)
    throws(() => dueAt([letter('a', 'soon')], 0, { start: 0 }, newYork), RangeError)
  })
})

const track = fc.constantFrom(...tracks)
const cadence = fc
  .record({
    staff: fc.oneof(
      fc.array(
        fc.integer({ min: 0, max: 2000 }).map(n => `${n} minutes`),
        { maxLength: 4 },
      ),
      fc.array(
        fc.integer({ min: 0, max: 20 }).map(n => `${n} days`),
        { maxLength: 4 },
      ),
    ),
    student: fc.array(
      fc.oneof(
        fc.integer({ min: 0, max: 20 }).map(n => `${n} days`),
        fc.integer({ min: 0, max: 500 }).map(n => `${n} hours`),
      ),
      { maxLength: 4 },
    ),
    end: fc.array(fc.constantFrom('21 days', '500 hours'), { maxLength: 1 }),
  })
  .map(({ staff, student, end }) => {
    const inOrder = (delays: string[]) => delays.toSorted((a, b) => length(a) - length(b))
    return [
      ...inOrder(staff).map((after, i) => reminder(`reminder-${i}`, after)),
      ...inOrder(student).map((after, i) => letter(`letter-${i}`, after)),
      ...end.map(after => closing('close', after)),
    ]
  })
const clocks = fc
  .record({ school, zones: fc.uniqueArray(zone, { minLength: 1, maxLength: 1 }) })
  .map(({ school, zones }) => ({
    school: schoolClock(school),
    student: studentClock({ zones, quietHours }),
  }))
const length = (after: string) => nominalMinutes(parseDelay(after) ?? { days: 0, minutes: 0 })

describe('the due moments', () => {
  test('are those that come about when each step is concluded as soon as it is due', () => {
    fc.assert(
      fc.property(cadence, clocks, moment, track, (cadence, clocks, start, track) => {
        const future = futureOf(cadence, { start, last: {} }, clocks)
        equal(future.length, cadence.length)
        let last: PreviousStep | undefined
        for (const { index, step, dueAt: due } of onTrack(future, track)) {
          equal(index, nextOnTrack(cadence, track, last?.index))
          equal(step, cadence[index])
          equal(due, dueAt(cadence, index, { start, last }, clocks))
          last = { index, at: due }
        }
      }),
    )
  })

  test('are open, never decrease on a track, and are never before the plan', () => {
    const lateness = fc.integer({ min: 0, max: 20 * DAY })
    fc.assert(
      fc.property(
        cadence,
        clocks,
        moment,
        lateness,
        track,
        (cadence, clocks, start, late, track) => {
          const first = nextOnTrack(cadence, track, undefined)
          fc.pre(first !== undefined)
          const concluded = { index: first, at: start + late }
          const progress = { start, last: { [track]: concluded } }
          let earlier = concluded.at
          for (const { step, dueAt } of onTrack(futureOf(cadence, progress, clocks), track)) {
            const clock = clocks[step.clock]
            equal(clock.open(dueAt), dueAt)
            ok(dueAt >= earlier)
            ok(dueAt >= clock.after(start, parseDelay(step.after) ?? { days: 0, minutes: 0 }))
            earlier = dueAt
          }
        },
      ),
    )
  })

  test('are in order of time', () => {
    fc.assert(
      fc.property(cadence, clocks, moment, (cadence, clocks, start) => {
        const moments = futureOf(cadence, { start, last: {} }, clocks).map(({ dueAt }) => dueAt)
        deepEqual(
          moments,
          moments.toSorted((a, b) => a - b),
        )
      }),
    )
  })

  test('keep the distance of the plan, however late steps are concluded', () => {
    const hours = fc.integer({ min: 0, max: 100 })
    const late = fc.array(fc.integer({ min: 0, max: 5 * DAY }), { minLength: 6, maxLength: 6 })
    const delays = fc
      .array(hours, { minLength: 3, maxLength: 3 })
      .map(all => all.toSorted((a, b) => a - b))
    fc.assert(
      fc.property(delays, delays, clocks, moment, late, (staff, student, clocks, start, late) => {
        const cadence = [
          ...staff.map((n, i) => reminder(`reminder-${i}`, `${n} hours`)),
          ...student.map((n, i) => letter(`letter-${i}`, `${n} hours`)),
        ]
        for (const track of ['staff', 'student'] as const) {
          let last: PreviousStep | undefined
          for (;;) {
            const index = nextOnTrack(cadence, track, last?.index)
            if (index === undefined) break
            const due = dueAt(cadence, index, { start, last }, clocks)
            if (last) {
              const planned = hoursOf(cadence[index]) - hoursOf(cadence[last.index])
              ok(passed(track, clocks, last.at, due) >= planned * HOUR)
            }
            last = { index, at: due + (late[index] ?? 0) }
          }
        }
      }),
    )
  })

  test('are where the plan has them when nothing was late, by clocks that count exactly', () => {
    const delays = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 5 })
    fc.assert(
      fc.property(delays, clocks, moment, (delays, clocks, start) => {
        const minutes = delays.toSorted((a, b) => a - b)
        const cadence = minutes.map((n, i) => reminder(`reminder-${i}`, `${n} minutes`))
        deepEqual(
          futureOf(cadence, { start, last: {} }, clocks).map(({ dueAt }) => dueAt),
          minutes.map(minutes => clocks.school.after(start, { days: 0, minutes })),
        )
      }),
    )
  })
})

const onTrack = (future: ReturnType<typeof futureOf>, track: Track) =>
  future.filter(({ step }) => trackOf(step) === track)
const hoursOf = (step: Step | undefined) => Number.parseInt(step?.after ?? '', 10)
const passed = (
  track: 'staff' | 'student',
  clocks: { school: SchoolClock },
  from: number,
  to: number,
) => (track === 'staff' ? clocks.school.elapsed(from, to) : to - from)

describe('the cadences of the properties', () => {
  test('have no problems', () => {
    fc.assert(fc.property(cadence, cadence => deepEqual(cadenceProblems(cadence), [])))
  })
})
