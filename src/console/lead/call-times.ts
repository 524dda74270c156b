/**
 * Whether staff may call a person now, given the time where they live, and until when, or when they may call next.
 */
import { dateTimeFormat } from '../../content/date-format.ts'
import type { Place } from '../../follow-up/area-codes.ts'
import { isBestTime } from '../../follow-up/best-time.ts'
import type { Zones } from '../../follow-up/calendar.ts'
import type { RowContext } from './list-row-words.ts'

export type CallTime = {
  open: boolean
  /** When this changes; null if it never does. */
  until: number | null
  /** The time of day where the person is, or two times if they may be in either of two time zones. */
  local: string
  /** Whether we know in which time zone they are. */
  sure: boolean
  /** How we know, if their state has several time zones: `by area code 512`, or that it has several. Otherwise empty. */
  by: string
  /**
   * The answer in words, such as `call until 8:00 PM there`. The time is the person's, with the word `there` if the
   * school's differs. If two time zones are possible, the time is the school's: `call until 8:00 PM, school time`.
   */
  words: string
}

/**
 * When someone likes to be called, such as `best in the evening`, and whether their next calling hours exclude that
 * time. Empty if no form has asked. It is shown after the words of a call time.
 */
export function bestTimeInWords(place: Place, { calendar, now }: Pick<RowContext, 'calendar' | 'now'>): string {
  const { bestTime } = place
  if (!bestTime) return ''
  const next = calendar.hoursFor(place).school.open(now)
  const fits = isBestTime(bestTime, calendar.zonesOf(place).zones, next)
  return `, best in the ${bestTime}${fits ? '' : ' (not within school hours)'}`
}

/**
 * Makes a function that returns the call time for a person. Use one function for a whole page: it remembers results,
 * since many people live in the same place.
 */
export function callTimes({
  settings,
  calendar,
  now,
}: Pick<RowContext, 'settings' | 'calendar' | 'now'>): (place: Place) => CallTime {
  const known = new Map<string, CallTime>()
  const clockIn = (zone: string, moment: number) =>
    dateTimeFormat(`en-${settings.school.country}`, { hour: 'numeric', minute: '2-digit', timeZone: zone })
      .format(moment)
      .replaceAll('\u202f', ' ')
  const timeOf = (place: Place, { zones, areaCode }: Zones): CallTime => {
    const clocks = new Set(zones.map(zone => clockIn(zone, now)))
    const local = [...clocks].join(' or ').replace(/ ([AP]M)(?= or .* \1$)/, '')
    const sure = clocks.size === 1
    const by =
      areaCode !== null
        ? `by area code ${areaCode}`
        : sure
          ? ''
          : `their state has ${clocks.size === 2 ? 'two' : 'several'} time zones`
    const { open, until } = calendar.callWindow(place, now)
    if (until === null) return { open, until, local, sure, by, words: 'you may call at any time' }
    const { timeZone } = settings.school
    const atSchool = clockIn(timeZone, until)
    const theirs = clockIn(zones[0] ?? timeZone, until)
    const moment = !sure ? `${atSchool}, school time` : theirs === atSchool ? theirs : `${theirs} there`
    const words = open ? `call until ${moment}` : `do not call before ${moment}`
    return { open, until, local, sure, by, words }
  }
  return place => {
    const zones = calendar.zonesOf(place)
    const key = [...zones.zones, zones.areaCode].join(' ')
    const time = known.get(key) ?? timeOf(place, zones)
    known.set(key, time)
    return time
  }
}
