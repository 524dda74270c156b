/** Whether the clocks that the settings describe ever open: one that does not would hold up every filing. */
import { schoolHours } from '../follow-up/school-hours.ts'
import { zonesProblem } from '../follow-up/student-hours.ts'
import { builtInStates, zonesOfState } from '../follow-up/time-zones.ts'
import { DAY } from '../time.ts'
import type { Settings } from './settings-shape.ts'

/** Some day to begin with. What can go wrong with a clock goes wrong in any year, or in leap years. */
const START = Date.UTC(2026, 0)
const YEARS = 6

/** What is wrong with time zones, opening hours and quiet hours, one sentence each. */
export function timeProblems({ school, followUp }: Settings): string[] {
  const unknown = [
    ...(isTimeZone(school.timeZone)
      ? []
      : ['school.timeZone is not a time zone (an example: America/Chicago)']),
    ...Object.entries(followUp.zones).flatMap(([code, names]) =>
      names
        .filter(name => !isTimeZone(name))
        .map(name => `followUp.zones.${code}: ${name} is not a time zone`),
    ),
  ]
  if (unknown.length > 0) return unknown
  return [...schoolProblems(school), ...quietHoursProblems(followUp, school.timeZone)]
}

function schoolProblems(school: Settings['school']): string[] {
  const hours = schoolHours(school)
  try {
    for (let at = START; at < START + YEARS * 365 * DAY; at = hours.open(at) + DAY);
    return []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return ['school.hours and school.holidays must let the school open at least once a year']
  }
}

/** A lead's state decides on its time zones; without one they are those of the school. */
function quietHoursProblems({ quietHours, zones: own }: Settings['followUp'], home: string) {
  const codes = new Set([...builtInStates, ...Object.keys(own)])
  const places = [
    { place: 'the school', zones: [home] },
    ...[...codes].sort().map(code => ({ place: code, zones: zonesOfState(code, own, home) })),
  ]
  // Most states share theirs with others.
  const byZones = Map.groupBy(places, ({ zones }) => zones.join(', '))
  return [...byZones].flatMap(([names, alike]) => {
    const zones = alike[0]?.zones ?? []
    if (zonesProblem({ zones, quietHours }, START) === undefined) return []
    const where = alike.map(({ place }) => place).join(', ')
    return [
      `followUp.quietHours must leave a time that is outside of them in all zones of ${where} (${names})`,
    ]
  })
}

/** An offset from UTC is none, though Intl takes it for one: it does not change its clocks. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return !/^[+-]/.test(name)
  } catch {
    return false
  }
}
