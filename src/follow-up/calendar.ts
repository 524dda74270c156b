/** The school's calendar: its hours and those of its students, each made once, as looking up a time zone is costly. */
import { following } from '../platform/lazy.ts'
import { DAY } from '../platform/time.ts'
import { type CallWindow, callWindows } from './call-window.ts'
import { callingHours } from './calling-hours.ts'
import type { StepHours } from './opening-hours.ts'
import { type SchoolHours, type SchoolWeek, schoolHours } from './school-hours.ts'
import { type QuietHours, studentHours } from './student-hours.ts'
import { type TimeZone, timeZone, zonesOfState } from './time-zones.ts'

export type CalendarSettings = {
  school: SchoolWeek
  followUp: {
    quietHours: QuietHours
    /** The operator's own states: their time zones by code. */
    zones: Readonly<Record<string, readonly string[]>>
  }
}

export type Calendar = {
  school: SchoolHours
  /** Of the school. */
  zone: TimeZone
  /**
   * The hours that a lead's steps are timed by. Those of the school are the ones that are calling hours where the
   * person lives. The state is its code, as in `leads/body/states.ts`;
   * without one, the school's time zone stands for the student's.
   */
  hoursFor(state: string | null): StepHours
  /** Whether staff may call a lead of that state, and until what time. */
  callWindow(state: string | null, now: number): CallWindow
  /** The time zones of a state, the one in which most of its people live first. */
  zonesOf(state: string | null): readonly string[]
  /** The day at the school at the moment `now`, as yyyy-mm-dd. */
  today(now: number): string
  /** The moment at which a day, yyyy-mm-dd, begins at the school. */
  startOf(day: string): number
  /** The moment at which the day after this one begins at the school. */
  midnightAfter(now: number): number
  /** Whether it is Monday at the school. */
  isMonday(now: number): boolean
}

/**
 * A calendar that follows its settings: the school's hours and holidays may be edited while it is used. Throws a
 * RangeError if they or the time zone are not valid.
 */
export function createCalendar({ school, followUp }: CalendarSettings): Calendar {
  const current = following(
    () => [school.hours, school.holidays],
    () => calendarOf({ school, followUp }),
  )
  current()
  return {
    get school() {
      return current().school
    },
    get zone() {
      return current().zone
    },
    hoursFor: state => current().hoursFor(state),
    callWindow: (state, now) => current().callWindow(state, now),
    zonesOf: state => current().zonesOf(state),
    today: now => current().today(now),
    startOf: day => current().startOf(day),
    midnightAfter: now => current().midnightAfter(now),
    isMonday: now => current().isMonday(now),
  }
}

function calendarOf({ school: week, followUp: { quietHours, zones: ownZones } }: CalendarSettings): Calendar {
  const school = schoolHours(week)
  const zone = timeZone(week.timeZone)
  const { localTime, momentOf } = zone
  const known = new Map<string, StepHours>()
  const windows = new Map<string, ReturnType<typeof callWindows>>()
  const zonesOf = (state: string | null) => zonesOfState(state, ownZones, week.timeZone)
  const callWindow = (state: string | null, now: number) => {
    const zones = zonesOf(state)
    const key = zones.join(' ')
    const window = windows.get(key) ?? callWindows({ zones, quietHours })
    windows.set(key, window)
    return window(now)
  }
  return {
    school,
    zone,
    zonesOf,
    hoursFor: state => {
      const zones = zonesOf(state)
      const key = zones.join(' ')
      const hours = known.get(key) ?? {
        school: callingHours(school, now => callWindow(state, now)),
        student: studentHours({ zones, quietHours }),
      }
      known.set(key, hours)
      return hours
    },
    callWindow,
    today: now => new Date(localTime(now).day * DAY).toISOString().slice(0, 10),
    startOf: day => momentOf({ day: Date.parse(day) / DAY, time: 0 }),
    midnightAfter: now => momentOf({ day: localTime(now).day + 1, time: 0 }),
    // 1 January 1970 was a Thursday.
    isMonday: now => localTime(now).day % 7 === 4,
  }
}
