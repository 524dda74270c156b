/** Text as it may be put into one line or a small space. */

/** Controls, line ends, and the characters that reorder what is displayed (Unicode UAX #9). */
const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

/** With a space in place of each character that is not one to be read. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, ' ')

/** As one line, any run of white space as one space. */
export const oneLine = (value: unknown): string =>
  printable(String(value ?? ''))
    .replace(/\s+/g, ' ')
    .trim()

/** The beginning of a text that has more than `max` code points; the whole of any other. */
export function shorten(text: string, max: number): string {
  const points = [...text]
  if (points.length <= max) return text
  const beginning = points.slice(0, max - 1).join('')
  return `${beginning.trimEnd()}…`
}
