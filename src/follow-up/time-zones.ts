/**
 * Time zones: local time, and the zones of a student's state. Local time is computed quickly: a zone keeps one offset
 * for months or forever, so each stretch between two clock changes is looked up only once.
 */
import { DAY } from '../platform/time.ts'

/**
 * A stretch of time, from `from` until before `to`, in which local time is Unix time plus `offset`.
 * All three are in milliseconds; a stretch without an end has -Infinity or Infinity.
 */
export type Stretch = { from: number; to: number; offset: number }

/** A day, as days since 1 January 1970, and a time of that day, in milliseconds since 0:00. */
export type LocalTime = { day: number; time: number }

export type TimeZone = {
  stretchAt(moment: number): Stretch
  localTime(moment: number): LocalTime
  /**
   * The moment with this local day and time. If a clock change repeats the time, it is the first of the two moments. A
   * time that a clock change skips is moved forward by the length of the gap (RFC 5545 section 3.3.5).
   */
  momentOf(local: LocalTime): number
}

/** The time zone with this name; each is made once. Throws a RangeError if there is none. */
export function timeZone(name: string): TimeZone {
  const zone = zones.get(name) ?? makeZone(name)
  zones.set(name, zone)
  return zone
}

const zones = new Map<string, TimeZone>()

function makeZone(name: string): TimeZone {
  const stretches = [readStretch(0, name)]
  const stretchAt = (moment: number): Stretch => {
    const known = stretches.find(({ from, to }) => from <= moment && moment < to)
    if (known !== undefined) return known
    const read = readStretch(moment, name)
    stretches.push(read)
    return read
  }
  return {
    stretchAt,
    localTime: moment => {
      const local = moment + stretchAt(moment).offset
      const day = Math.floor(local / DAY)
      return { day, time: local - day * DAY }
    },
    momentOf: ({ day, time }) =>
      zoned(day * DAY + time, 'UTC')
        .toPlainDateTime()
        .toZonedDateTime(name).epochMilliseconds,
  }
}

function readStretch(moment: number, name: string): Stretch {
  const at = zoned(moment, name)
  // 'previous' finds changes before its argument only, but a change may fall on the moment itself.
  const previous = at.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
  const next = at.getTimeZoneTransition('next')
  return {
    from: previous?.epochMilliseconds ?? -Infinity,
    to: next?.epochMilliseconds ?? Infinity,
    offset: at.offsetNanoseconds / 1e6,
  }
}

const zoned = (moment: number, name: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(name)

const eastern = ['America/New_York']
const central = ['America/Chicago']
const mountain = ['America/Denver']
const pacific = ['America/Los_Angeles']
const alaska = ['Anchorage', 'Juneau', 'Sitka', 'Metlakatla', 'Yakutat', 'Nome', 'Adak']
const indiana = ['Indianapolis', 'Knox', 'Marengo', 'Petersburg', 'Tell_City', 'Vevay', 'Vincennes', 'Winamac']
const northDakota = ['Beulah', 'Center', 'New_Salem']

/** All zones (IANA) in which a part of the state lies; the first is where most of its people live. */
const zonesOfStates: Readonly<Record<string, readonly string[]>> = {
  AL: central,
  AK: alaska.map(place => `America/${place}`),
  AS: ['Pacific/Pago_Pago'],
  // The Navajo Nation has daylight saving time; the rest of Arizona does not.
  AZ: ['America/Phoenix', ...mountain],
  AR: central,
  CA: pacific,
  CO: mountain,
  CT: eastern,
  DC: eastern,
  DE: eastern,
  FL: [...eastern, ...central],
  GA: eastern,
  GU: ['Pacific/Guam'],
  HI: ['Pacific/Honolulu'],
  IA: central,
  ID: ['America/Boise', ...pacific],
  IL: central,
  IN: [...indiana.map(place => `America/Indiana/${place}`), ...central],
  KS: [...central, ...mountain],
  KY: ['America/Kentucky/Louisville', 'America/Kentucky/Monticello', ...eastern, ...central],
  LA: central,
  MA: eastern,
  MD: eastern,
  ME: eastern,
  MI: ['America/Detroit', 'America/Menominee'],
  MN: central,
  MO: central,
  MP: ['Pacific/Guam'],
  MS: central,
  MT: mountain,
  NC: eastern,
  ND: [...central, ...northDakota.map(place => `America/North_Dakota/${place}`), ...mountain],
  NE: [...central, ...mountain],
  NH: eastern,
  NJ: eastern,
  NM: mountain,
  // West Wendover keeps the time of Utah.
  NV: [...pacific, ...mountain],
  NY: eastern,
  OH: eastern,
  OK: central,
  // Most of Malheur County keeps the time of Boise.
  OR: [...pacific, 'America/Boise'],
  PA: eastern,
  PR: ['America/Puerto_Rico'],
  RI: eastern,
  SC: eastern,
  SD: [...central, ...mountain],
  TN: [...central, ...eastern],
  TX: [...central, ...mountain],
  UT: mountain,
  VA: eastern,
  VI: ['America/St_Thomas'],
  VT: eastern,
  WA: pacific,
  WI: central,
  WV: eastern,
  WY: mountain,
}

/** The codes of all states in the table. */
export const builtInStates: readonly string[] = Object.keys(zonesOfStates)

/**
 * The zones of the state with this code (as in `leads/body/states.ts`), never none. The operator's own table has
 * priority. Without a state, or if neither table has the state, the only zone is the fallback zone.
 */
export const zonesOfState = (
  code: string | null,
  own: Readonly<Record<string, readonly string[]>>,
  fallback: string,
): readonly string[] => (code === null ? undefined : (own[code] ?? zonesOfStates[code])) ?? [fallback]
