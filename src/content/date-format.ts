/** Dates and durations as people say them, in the school's country and time zone. */
import { DAY, HOUR, MINUTE } from '../platform/time.ts'

/**
 * Makes a function that writes a moment as `Saturday, November 21, 2026 at 2:15 AM EST`. Keep the
 * function: making it is slow.
 */
export function createDateFormat({ timeZone, country }: { timeZone: string; country: string }) {
  const format = new Intl.DateTimeFormat(`en-${country}`, {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  })
  // Some mail programs show the narrow space before AM and PM as a box.
  return (time: number): string => format.format(time).replaceAll('\u202f', ' ')
}

const units = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const

/** `3 hours`: rounded down, in the largest unit that the duration reaches. */
export function durationInWords(milliseconds: number): string {
  const fitting = units.find(([, length]) => milliseconds >= length)
  if (fitting === undefined) return 'less than a minute'
  const [unit, length] = fitting
  const count = Math.floor(milliseconds / length)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
