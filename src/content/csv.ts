/** CSV that no spreadsheet takes for more than data. */
import { stringify } from 'csv-stringify/sync'

/**
 * Rows as CSV, with a header line on request if they name their columns. What a spreadsheet would run as a formula gets a leading
 * apostrophe, which makes it text (OWASP ASVS 5.0, 1.2.10): at the beginning of a cell, and in it where
 * a spreadsheet with another separator, such as a semicolon, would begin one. A phone number in E.164 stays as it
 * is, for the programs that import it: a plus sign and digits can only be read as a number.
 */
export function csv(
  rows: readonly Record<string, unknown>[] | readonly unknown[][],
  header: boolean,
): string {
  return stringify(rows as unknown[][], {
    header,
    cast: {
      string: value => (/^\+\d{1,15}$/.test(value) ? value : withoutFormulas(value)),
    },
  })
}

const withoutFormulas = (text: string): string =>
  (FORMULA.test(text) ? `'${text}` : text).replace(INNER_FORMULA, "$1'")

/** What begins a formula, with the look-alikes that a program might turn into it (Unicode NFKC). */
const SIGN =
  '[=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u208c\u207a\u208a\u207b\u208b\u2212]'
/** What a program may strip before it looks for one: quotes, spaces, control and invisible characters. */
const STRIPPED = '["\'\\s\\p{Cc}\\p{Cf}]*'

const FORMULA = new RegExp(`^(?:[\\t\\r]|${STRIPPED}${SIGN})`, 'u')
/** The place before a formula that follows a separator or a line break of any kind. */
const INNER_FORMULA = new RegExp(
  `([;,|\\t\\r\\n\\v\\f\u0085\u2028\u2029\u037e\uff1b\uff0c\uff5c]${STRIPPED})(?=${SIGN})`,
  'gu',
)
