/** How long a step of the follow-up waits, as the settings write it: `5 minutes`, `36 hours`, `14 days`. */

/**
 * Days are kept apart from minutes, as a day is not always 24 hours long: clocks change, and a
 * school counts the days on which it is open.
 */
export type Delay = { days: number; minutes: number }

const LONGEST_DAYS = 365

/** The delay that a text names, at most 365 days; undefined where it names none. */
export function parseDelay(text: string): Delay | undefined {
  const [, digits, unit] = /^(0|[1-9]\d{0,5}) (minute|hour|day)s?$/.exec(text) ?? []
  if (unit === undefined) return undefined
  const count = Number(digits)
  const delay = {
    minute: { days: 0, minutes: count },
    hour: { days: 0, minutes: 60 * count },
    day: { days: count, minutes: 0 },
  }[unit as 'minute' | 'hour' | 'day']
  return nominalMinutes(delay) <= nominalMinutes({ days: LONGEST_DAYS, minutes: 0 })
    ? delay
    : undefined
}

/**
 * What must be added to the earlier delay to get the later one, days and minutes each for
 * themselves: from 36 hours to 2 days it is 2 days less 2160 minutes.
 */
export const delayBetween = (earlier: Delay, later: Delay): Delay => ({
  days: later.days - earlier.days,
  minutes: later.minutes - earlier.minutes,
})

/** The length of a delay if every day had 24 hours, in minutes: for comparing delays. */
export const nominalMinutes = ({ days, minutes }: Delay): number => days * 24 * 60 + minutes
