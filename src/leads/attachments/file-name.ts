/** The names of files that others chose: made safe to show, to store and to save. */

/**
 * Controls, line ends, characters that reorder text (Unicode UAX #9) or are invisible, and characters that Windows does
 * not allow in file names.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029"*:<>?|]/gu

/** The longest name, in code points: some file systems allow at most 255 bytes. */
const LONGEST = 80
const LONGEST_EXTENSION = 10

/**
 * The last part of the path that a name may be, as one line of at most 80 characters that does not begin with a dot.
 * The extension stays. Empty if nothing is left.
 */
export function safeFileName(name: string): string {
  const last = name.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const safe = last
    .replace(UNSAFE, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, '')
  const points = [...safe]
  if (points.length <= LONGEST) return safe
  const extension = extensionOf(safe)
  if (extension === '' || extension.length > LONGEST_EXTENSION) return points.slice(0, LONGEST).join('').trim()
  const stem = points.slice(0, LONGEST - extension.length - 1).join('')
  return `${stem.replace(/[ .]+$/, '')}.${extension}`
}

/** The extension of a file name in lower case, without its dot; empty if there is none. */
export const extensionOf = (name: string): string => /[^.]\.([^. ]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

/** The file name with this extension in place of its own. A name without an extension gets one. */
export const withExtension = (name: string, extension: string): string =>
  `${extensionOf(name) === '' ? name : name.slice(0, name.lastIndexOf('.'))}.${extension}`
