import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type Cadence,
  nextOnTrack,
  nominalMinutes,
  parseDelay,
  type Step,
  type Track,
  trackOf,
  tracks,
} from '../../src/follow-up/cadence.ts'
import { cadenceProblems } from '../../src/follow-up/cadence-problems.ts'
import type { StepHours } from '../../src/follow-up/opening-hours.ts'
import { dueAt, futureOf, type PreviousStep, type Progress } from '../../src/follow-up/schedule.ts'
import { type SchoolHours, schoolHours } from '../../src/follow-up/school-hours.ts'
import { studentHours } from '../../src/follow-up/student-hours.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { at, local, moment, school, zone } from './local-time.ts'
import { closing, defaultCadence, letter, reminder } from './steps.ts'

const quietHours = { from: '20:00', to: '09:00' }
const weekday = '09:00-17:00'
const newYork: StepHours = {
  school: schoolHours({
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
  student: studentHours({ zones: ['America/New_York'], quietHours }),
}

const plan = (progress: Progress, cadence: Cadence = defaultCadence) =>
  futureOf(cadence, progress, newYork).map(({ step, dueAt }) => `${local(dueAt).slice(0, 16)} ${step.name}`)

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

  test('continues from where each track is', () => {
    const last = { staff: { index: 1, at: at('2026-11-23T09:15') }, student: { index: 3, at: at('2026-11-23T09:00') } }
    deepEqual(plan({ start, last }), [
      '2026-11-23T10:00 reminder-60',
      '2026-11-25T09:00 letter-3',
      '2026-11-29T09:00 letter-7',
      '2026-12-06T09:00 close',
    ])
  })

  test('keeps the distances of the plan after an outage, on each track separately', () => {
    const last = { staff: { index: 0, at: at('2026-11-27T16:58') }, student: { index: 3, at: at('2026-11-27T18:00') } }
    deepEqual(plan({ start, last }), [
      '2026-11-29T18:00 letter-3',
      '2026-11-30T09:08 reminder-15',
      '2026-11-30T09:53 reminder-60',
      '2026-12-03T18:00 letter-7',
      '2026-12-06T09:00 close',
    ])
  })

  test('is over when every track has ended', () => {
    const at = start + 30 * DAY
    const last = { staff: { index: 2, at }, student: { index: 5, at }, end: { index: 6, at } }
    deepEqual(plan({ start, last }), [])
  })

  test('puts steps that are due at the same moment in the order of the cadence', () => {
    const together = [letter('b', '1 day'), reminder('c', '0 minutes'), letter('a', '1 day')]
    deepEqual(plan({ start, last: {} }, together), ['2026-11-23T09:00 b', '2026-11-23T09:00 c', '2026-11-23T09:00 a'])
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
const stepHours = fc
  .record({ school, zones: fc.uniqueArray(zone, { minLength: 1, maxLength: 1 }) })
  .map(({ school, zones }) => ({ school: schoolHours(school), student: studentHours({ zones, quietHours }) }))
const length = (after: string) => nominalMinutes(parseDelay(after) ?? { days: 0, minutes: 0 })

describe('the due moments', () => {
  test('are those that result when each step is concluded as soon as it is due', () => {
    fc.assert(
      fc.property(cadence, stepHours, moment, track, (cadence, hours, start, track) => {
        const future = futureOf(cadence, { start, last: {} }, hours)
        equal(future.length, cadence.length)
        let last: PreviousStep | undefined
        for (const { index, step, dueAt: due } of onTrack(future, track)) {
          equal(index, nextOnTrack(cadence, track, last?.index))
          equal(step, cadence[index])
          equal(due, dueAt(cadence, index, { start, last }, hours))
          last = { index, at: due }
        }
      }),
    )
  })

  test('are open, never decrease on a track, and are never before the plan', () => {
    const lateness = fc.integer({ min: 0, max: 20 * DAY })
    fc.assert(
      fc.property(cadence, stepHours, moment, lateness, track, (cadence, hours, start, late, track) => {
        const first = nextOnTrack(cadence, track, undefined)
        fc.pre(first !== undefined)
        const concluded = { index: first, at: start + late }
        const progress = { start, last: { [track]: concluded } }
        let earlier = concluded.at
        for (const { step, dueAt } of onTrack(futureOf(cadence, progress, hours), track)) {
          const own = hours[step.clock]
          equal(own.open(dueAt), dueAt)
          ok(dueAt >= earlier)
          ok(dueAt >= own.after(start, parseDelay(step.after) ?? { days: 0, minutes: 0 }))
          earlier = dueAt
        }
      }),
    )
  })

  test('are in order of time', () => {
    fc.assert(
      fc.property(cadence, stepHours, moment, (cadence, hours, start) => {
        const moments = futureOf(cadence, { start, last: {} }, hours).map(({ dueAt }) => dueAt)
        deepEqual(
          moments,
          moments.toSorted((a, b) => a - b),
        )
      }),
    )
  })

  test('keep the distance of the plan, however late steps are concluded', () => {
    const count = fc.integer({ min: 0, max: 100 })
    const late = fc.array(fc.integer({ min: 0, max: 5 * DAY }), { minLength: 6, maxLength: 6 })
    const delays = fc.array(count, { minLength: 3, maxLength: 3 }).map(all => all.toSorted((a, b) => a - b))
    fc.assert(
      fc.property(delays, delays, stepHours, moment, late, (staff, student, hours, start, late) => {
        const cadence = [
          ...staff.map((n, i) => reminder(`reminder-${i}`, `${n} hours`)),
          ...student.map((n, i) => letter(`letter-${i}`, `${n} hours`)),
        ]
        for (const track of ['staff', 'student'] as const) {
          let last: PreviousStep | undefined
          for (;;) {
            const index = nextOnTrack(cadence, track, last?.index)
            if (index === undefined) break
            const due = dueAt(cadence, index, { start, last }, hours)
            if (last) {
              const planned = hoursOf(cadence[index]) - hoursOf(cadence[last.index])
              ok(passed(track, hours, last.at, due) >= planned * HOUR)
            }
            last = { index, at: due + (late[index] ?? 0) }
          }
        }
      }),
    )
  })

  test('follow the plan when nothing was late and the hours count exactly', () => {
    const delays = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 5 })
    fc.assert(
      fc.property(delays, stepHours, moment, (delays, hours, start) => {
        const minutes = delays.toSorted((a, b) => a - b)
        const cadence = minutes.map((n, i) => reminder(`reminder-${i}`, `${n} minutes`))
        deepEqual(
          futureOf(cadence, { start, last: {} }, hours).map(({ dueAt }) => dueAt),
          minutes.map(minutes => hours.school.after(start, { days: 0, minutes })),
        )
      }),
    )
  })
})

const onTrack = (future: ReturnType<typeof futureOf>, track: Track) =>
  future.filter(({ step }) => trackOf(step) === track)
const hoursOf = (step: Step | undefined) => Number.parseInt(step?.after ?? '', 10)
const passed = (track: 'staff' | 'student', hours: { school: SchoolHours }, from: number, to: number) =>
  track === 'staff' ? hours.school.elapsed(from, to) : to - from

describe('the cadences of the properties', () => {
  test('have no problems', () => {
    fc.assert(fc.property(cadence, cadence => deepEqual(cadenceProblems(cadence), [])))
  })
})
