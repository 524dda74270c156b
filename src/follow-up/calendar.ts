/** The clocks that the settings describe, each made once: looking up a time zone is costly. */
import type { Settings } from '../config/settings.ts'
import { DAY } from '../time.ts'
import type { Clocks } from './cadence.ts'
import { type SchoolClock, schoolClock } from './school-clock.ts'
import { studentClock } from './student-clock.ts'
import { timeZone } from './time-zone.ts'
import { zonesOfState } from './zones.ts'

export type Calendar = {
  school: SchoolClock
  /**
   * The clocks that a lead's steps are timed by. The state is its code, as in `leads/states.ts`;
   * without one, the school's time zone stands for the student's.
   */
  clocksFor(state: string | null): Clocks
  /** The day that it is at the school at the moment `now`, as yyyy-mm-dd. */
  today(now: number): string
}

/** Throws a RangeError where the school's hours or time zone are not valid. */
export function createCalendar({
  school: hours,
  followUp: { quietHours, zones: ownZones },
}: Pick<Settings, 'school' | 'followUp'>): Calendar {
  const school = schoolClock(hours)
  const { localTime } = timeZone(hours.timeZone)
  const known = new Map<string, Clocks>()
  return {
    school,
    clocksFor: state => {
      const zones = zonesOfState(state, ownZones, hours.timeZone)
      const key = zones.join(' ')
      const clocks = known.get(key) ?? { school, student: studentClock({ zones, quietHours }) }
      known.set(key, clocks)
      return clocks
    },
    today: now => new Date(localTime(now).day * DAY).toISOString().slice(0, 10),
  }
}
