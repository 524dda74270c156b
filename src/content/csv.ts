/** CSV in which a spreadsheet finds data and no formulas. */
import { stringify } from 'csv-stringify/sync'
import { moment } from '../platform/time.ts'

/**
 * Rows as CSV, with a header line on request if they name their columns. What a spreadsheet would run as a formula gets
 * a leading apostrophe, which makes it text (OWASP ASVS 5.0, 1.2.10): at the beginning of a cell, and at each place in
 * it where a spreadsheet with another separator, such as a semicolon, would begin a cell. A phone number in E.164 stays
 * as it is, for the programs that import it: a plus sign and digits can only be read as a number. A date is written as
 * in ISO 8601, in UTC.
 */
export function csv(rows: readonly Record<string, unknown>[] | readonly unknown[][], header: boolean): string {
  return stringify(rows as unknown[][], {
    header,
    cast: {
      date: value => moment(value.getTime()),
      string: value => (/^\+\d{1,15}$/.test(value) ? value : withoutFormulas(value)),
    },
  })
}

function withoutFormulas(text: string): string {
  const whole = FORMULA.test(text) ? `'${text}` : text
  // Looks at one run after the other: a search for a run together with the sign after it would try every part of a long
  // run.
  return whole.replace(RUN, (run: string, at: number) => {
    const begins = SEPARATOR.test(run) && SIGN.test(whole.charAt(at + run.length))
    return begins ? `${run}'` : run
  })
}

/** What begins a formula, with the look-alikes that a program might turn into it (Unicode NFKC). */
const SIGNS = '=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u208c\u207a\u208a\u207b\u208b\u2212'
/** What separates cells in some program: separators and line breaks of any kind. */
const SEPARATORS = ';,|\\t\\r\\n\\v\\f\u0085\u2028\u2029\u037e\uff1b\uff0c\uff5c'
/** What a program may strip before it looks for a sign: quotes, spaces, control and invisible characters. */
const STRIPPED = '"\'\\s\\p{Cc}\\p{Cf}'

const SIGN = new RegExp(`^[${SIGNS}]`, 'u')
const SEPARATOR = new RegExp(`[${SEPARATORS}]`, 'u')
const RUN = new RegExp(`[${SEPARATORS}${STRIPPED}]+`, 'gu')
const FORMULA = new RegExp(`^(?:[\\t\\r]|[${STRIPPED}]*[${SIGNS}])`, 'u')
