/** The school's calendar: its hours and its students' hours. Time zones are looked up once, because that is slow. */
import { following } from '../platform/lazy.ts'
import { DAY, utcDay } from '../platform/time.ts'
import { type Area, areaCodesOf, numbersBegin, type Place, zoneByPhone } from './area-codes.ts'
import { atBestTime } from './best-time.ts'
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
    /** The states that the settings add: their time zones by code. */
    zones: Readonly<Record<string, readonly string[]>>
  }
}

/**
 * `areaCode`: the area code that rules out the other zones of the state; null if the state has one zone, or no area
 * code tells which one it is.
 */
export type Zones = { zones: readonly string[]; areaCode: string | null }

export type Calendar = {
  school: SchoolHours
  zone: TimeZone
  /**
   * The hours in which a lead's steps are counted. School hours count only while they are also calling hours where the
   * person lives. If we do not know in which of several time zones the person lives, they must be calling hours in all
   * of them. If the person has said which time is best to call, only that part of these hours counts, unless that time
   * does not come soon.
   */
  hoursFor(place: Place): StepHours
  /** Whether staff may call a person who lives there, and until what time. */
  callWindow(place: Place, now: number): CallWindow
  /**
   * The time zones in which a person may live, beginning with the one where most people live. A lead without a state,
   * or in a state that we do not know, counts as if the person lived where the school is.
   */
  zonesOf(place: Place): Zones
  /**
   * The areas of these states that have different hours, with a place in each. The areas with area codes come first.
   * Everyone else in a state has the hours of the whole state, which are never longer than the hours of its areas.
   */
  areasOf(states: readonly (string | null)[]): { area: Area; place: Place }[]
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
    hoursFor: place => current().hoursFor(place),
    callWindow: (place, now) => current().callWindow(place, now),
    zonesOf: place => current().zonesOf(place),
    areasOf: states => current().areasOf(states),
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
  const zonesOf = (place: Place): Zones => {
    const zones = zonesOfState(place.state, ownZones, week.timeZone)
    const byPhone = zones.length === 1 ? undefined : zoneByPhone(place)
    return byPhone !== undefined && zones.includes(byPhone.zone)
      ? { zones: [byPhone.zone], areaCode: byPhone.areaCode }
      : { zones, areaCode: null }
  }
  const callWindow = (place: Place, now: number) => {
    const { zones } = zonesOf(place)
    const key = zones.join(' ')
    const window = windows.get(key) ?? callWindows({ zones, quietHours })
    windows.set(key, window)
    return window(now)
  }
  return {
    school,
    zone,
    zonesOf,
    areasOf: states => {
      const withCodes = states.flatMap(state =>
        areaCodesOf(state).map(({ codes }) => ({
          area: { state, areaCodes: codes },
          place: { state, phoneE164: numbersBegin(codes)[0] ?? null },
        })),
      )
      const others = states.map(state => ({ area: { state, areaCodes: null }, place: { state, phoneE164: null } }))
      return [...withCodes.filter(({ place }) => zonesOf(place).areaCode !== null), ...others]
    },
    hoursFor: place => {
      const { zones } = zonesOf(place)
      const { bestTime } = place
      const key = [...zones, bestTime].join(' ')
      const window = (now: number) => callWindow(place, now)
      const hours = known.get(key) ?? {
        school: callingHours(school, window, bestTime && atBestTime(bestTime, zones, window)),
        student: studentHours({ zones, quietHours }),
      }
      known.set(key, hours)
      return hours
    },
    callWindow,
    today: now => utcDay(localTime(now).day * DAY),
    startOf: day => momentOf({ day: Date.parse(day) / DAY, time: 0 }),
    midnightAfter: now => momentOf({ day: localTime(now).day + 1, time: 0 }),
    // 1 January 1970 was a Thursday.
    isMonday: now => localTime(now).day % 7 === 4,
  }
}
