/** Text that can be put into one line or a small space. */

/** Controls, line ends, and the characters that reorder what is displayed (Unicode UAX #9). */
const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

/** The text with a space in place of each unprintable character. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, ' ')

/** The value as one line; each run of white space becomes one space. */
export const oneLine = (value: unknown): string =>
  printable(String(value ?? ''))
    .replace(/\s+/g, ' ')
    .trim()

/** The text; if it has more than `max` code points, only its beginning. */
export function shorten(text: string, max: number): string {
  const points = [...text]
  if (points.length <= max) return text
  const beginning = points.slice(0, max - 1).join('')
  return `${beginning.trimEnd()}…`
}
