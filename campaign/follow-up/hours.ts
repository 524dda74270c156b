/**
 * When we may write to people, computed only with Intl and a separate table: the verdict on the program
 * must not depend on the program's own arithmetic.
 */
import { DAY, MINUTE } from '../../src/platform/time.ts'

const eastern = 'America/New_York'
const central = 'America/Chicago'
const mountain = 'America/Denver'
const pacific = 'America/Los_Angeles'

/** The states in which the simulated students live, and the zones of each. */
export const ZONES: Record<string, readonly string[]> = {
  NY: [eastern],
  PA: [eastern],
  FL: [eastern, central],
  TN: [central, eastern],
  KY: [eastern, central, 'America/Kentucky/Louisville'],
  IN: ['America/Indiana/Indianapolis', central],
  MI: ['America/Detroit', 'America/Menominee'],
  IL: [central],
  OK: [central],
  // Everyone has a number of Austin: only in Texas that says where someone lives.
  TX: [central],
  ND: [central, mountain, 'America/North_Dakota/Beulah'],
  CO: [mountain],
  AZ: ['America/Phoenix', mountain],
  ID: ['America/Boise', pacific],
  OR: [pacific, 'America/Boise'],
  CA: [pacific],
  AK: ['America/Anchorage', 'America/Juneau', 'America/Adak'],
  HI: ['Pacific/Honolulu'],
  GU: ['Pacific/Guam'],
  PR: ['America/Puerto_Rico'],
}

export type LocalTime = { day: string; date: string; hour: number }

const formats = new Map<string, Intl.DateTimeFormat>()
const known = new Map<string, LocalTime>()

/** The local date and hour in a zone. */
export function localTime(timeZone: string, moment: number): LocalTime {
  const key = `${timeZone} ${moment}`
  const found = known.get(key)
  if (found !== undefined) return found
  const format = formats.get(timeZone) ?? formatOf(timeZone)
  formats.set(timeZone, format)
  const parts = format.formatToParts(moment).map(part => [part.type, part.value])
  const { weekday, year, month, day, hour } = Object.fromEntries(parts)
  const local = { day: weekday, date: `${year}-${month}-${day}`, hour: Number(hour) }
  if (known.size > 50_000) known.clear()
  known.set(key, local)
  return local
}

const formatOf = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  })

/** The day at the school, as yyyymmdd. */
export const dayNumber = (moment: number): number => Number(localTime(eastern, moment).date.replaceAll('-', ''))

/** Whether it is between 9:00 and 20:00 in every zone of the state, or in New York without a state. */
export const isDaytime = (state: string | undefined, moment: number): boolean =>
  (ZONES[state ?? ''] ?? [eastern]).every(zone => {
    const { hour } = localTime(zone, moment)
    return hour >= 9 && hour < 20
  })

/** It is never between 9:00 and 20:00 there while the school is open. */
const NEVER_BOTH = 'GU'

/** The parts of a day in which someone may like to be called, as hours of the day. */
const PARTS = { morning: [0, 12], afternoon: [12, 17], evening: [17, 24] } as const

/** Where someone lives, and when they like to be called. */
export type Reach = { state: string | undefined; bestTime?: keyof typeof PARTS | undefined }

/** No one waits longer for the time that suits them best. */
const BEST_WITHIN = 4 * DAY

/**
 * Whether the staff may be reminded to call someone: while the school is open, by day where the person lives, and at
 * the time of day that suits them best, unless that does not come within four days.
 */
export function isTimeToCall({ state, bestTime }: Reach, moment: number, holidays: readonly string[]): boolean {
  const may = (at: number) => isSchoolTime(at, holidays) && (state === NEVER_BOTH || isDaytime(state, at))
  if (!may(moment)) return false
  if (bestTime === undefined || state === NEVER_BOTH) return true
  const isBest = (at: number) => {
    const [from, to] = PARTS[bestTime]
    // Most people of a state live in the first of its zones.
    const { hour } = localTime((ZONES[state ?? ''] ?? [eastern])[0] ?? eastern, at)
    return from <= hour && hour < to
  }
  if (isBest(moment)) return true
  for (let at = nextQuarter(moment); at < moment + BEST_WITHIN; at = nextQuarter(at))
    if (may(at) && isBest(at)) return false
  return true
}

/** Whether the school is open: on weekdays from 9:00 to 17:00, except on its holidays. */
export function isSchoolTime(moment: number, holidays: readonly string[]): boolean {
  const { day, date, hour } = localTime(eastern, moment)
  return day !== 'Sat' && day !== 'Sun' && !holidays.includes(date) && hour >= 9 && hour < 17
}

/** When the school opens next. */
export function nextMorning(after: number, holidays: readonly string[]): number {
  for (let at = nextQuarter(after); ; at += QUARTER)
    if (isSchoolTime(at, holidays) && !isSchoolTime(at - MINUTE, holidays)) return at
}

const QUARTER = 15 * MINUTE
const nextQuarter = (at: number): number => Math.floor(at / QUARTER) * QUARTER + QUARTER

/** The moment after so many whole minutes in which staff may call someone, since `moment`, which is a whole minute. */
export function minutesToCallAfter(
  moment: number,
  minutes: number,
  { holidays, ...reach }: Reach & { holidays: readonly string[] },
): number {
  const { state } = reach
  let at = moment
  // Where it is never both, hours of the school count, from a time on when it is day there.
  if (state === NEVER_BOTH) while (minutes > 0 && !isDaytime(state, at)) at = nextQuarter(at)
  for (let left = minutes; left > 0; ) {
    // Hours begin on the hour.
    if (!isTimeToCall(reach, at, holidays)) at = nextQuarter(at)
    else {
      at += MINUTE
      left--
    }
  }
  return at
}
