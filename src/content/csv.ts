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
    escape_formulas: true,
    cast: {
      string: value =>
        /^\+\d{1,15}$/.test(value)
          ? { value, escape_formulas: false }
          : value.replace(INNER_FORMULA, "$1'"),
    },
  })
}

/** The place before a formula sign, also a full-width one, that follows a separator of any kind. */
const INNER_FORMULA = /([;,|\t\r\n]["'\s]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g
