/** Whether the hours in the settings ever open. If they never did, no submission could be filed. */
import { endProblem } from '../follow-up/holidays.ts'
import { type SchoolWeek, schoolHours } from '../follow-up/school-hours.ts'
import { zonesProblem } from '../follow-up/student-hours.ts'
import { builtInStates, zonesOfState } from '../follow-up/time-zones.ts'
import { resembles } from '../leads/body/tidy-text.ts'
import { DAY } from '../platform/time.ts'
import type { Settings } from './all-settings.ts'

/** An arbitrary first day to test: each problem occurs again every week or, with holidays, every year or leap year. */
const START = Date.UTC(2026, 0)
const WEEK = 7 * DAY
const LEAP_YEARS = 6 * 365 * DAY

/** The problems of time zones, opening hours and quiet hours, one sentence each. */
export function timeProblems({ school, followUp }: Settings): string[] {
  const unknown = Object.entries(followUp.zones).flatMap(([code, names]) =>
    names
      .filter(name => !isTimeZone(name))
      .map(name => `followUp.zones.${code}: '${name}' is not a time zone such as America/Chicago${guess(name)}`),
  )
  if (!isTimeZone(school.timeZone)) {
    unknown.unshift(`school.timeZone must be a time zone such as America/Chicago${guess(school.timeZone)}`)
  }
  if (unknown.length > 0) return unknown
  return [...schoolProblems(school), ...quietHoursProblems(followUp, school.timeZone)]
}

/** Why these school hours would stop filing forever; empty if the school opens. */
export function schoolProblems(school: SchoolWeek): string[] {
  const ends = school.holidays.map(endProblem)
  if (ends.some(problem => problem !== undefined))
    return ends.flatMap((problem, i) => (problem === undefined ? [] : `school.holidays[${i}].until must be ${problem}`))
  const hours = schoolHours(school)
  try {
    const end = START + (school.holidays.length > 0 ? LEAP_YEARS : WEEK)
    for (let at = START; at < end; at = hours.open(at) + DAY);
    return []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return ['school.hours and school.holidays must let the school open at least once a year']
  }
}

/** The problems of quiet hours, in the time zones of each state and, for an unknown state, in the school's. */
function quietHoursProblems({ quietHours, zones: own }: Settings['followUp'], home: string) {
  const codes = new Set([...builtInStates, ...Object.keys(own)])
  const places = [
    { place: 'an unknown state', zones: [home] },
    ...[...codes].sort().map(code => ({ place: code, zones: zonesOfState(code, own, home) })),
  ]
  // Most states have the same zones as another state.
  const byZones = Map.groupBy(places, ({ zones }) => zones.join(', '))
  return [...byZones].flatMap(([names, alike]) => {
    const zones = alike[0]?.zones ?? []
    if (zonesProblem({ zones, quietHours }, START) === undefined) return []
    const where = alike.map(({ place }) => place).join(', ')
    return [
      `followUp.quietHours must be shorter: they leave no time of day at which a student in ${where} (${names}) may be emailed`,
    ]
  })
}

/**
 * Whether this is the name of a time zone. Offsets from UTC and abbreviations do not count, even if they are accepted
 * elsewhere: they have no daylight saving time, or mean several zones.
 */
export function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name) || abbreviations.has(name.toUpperCase())) return false
  try {
    Temporal.Instant.fromEpochMilliseconds(START).toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
}

/** The zone that most of our schools mean by an abbreviation. */
const abbreviations = new Map(
  Object.entries({
    'America/New_York': ['EST', 'EDT', 'ET', 'EASTERN'],
    'America/Chicago': ['CST', 'CDT', 'CT', 'CENTRAL'],
    'America/Denver': ['MST', 'MDT', 'MT', 'MOUNTAIN'],
    'America/Los_Angeles': ['PST', 'PDT', 'PT', 'PACIFIC'],
    'America/Anchorage': ['AKST', 'AKDT', 'ALASKA'],
    'Pacific/Honolulu': ['HST', 'HAWAII'],
    'Asia/Kolkata': ['IST'],
    'Europe/London': ['BST'],
    'Australia/Sydney': ['AEST', 'AEDT'],
  }).flatMap(([zone, names]) => names.map(name => [name, zone] as const)),
)

/** What the operator may have meant, as the end of a sentence; empty if we have no idea. */
function guess(name: string): string {
  const meant =
    abbreviations.get(name.toUpperCase()) ?? Intl.supportedValuesOf('timeZone').find(zone => resembles(name, zone))
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}
