/** CSV in which a spreadsheet finds data and no formulas. */
import { stringify } from 'csv-stringify/sync'
import { withoutFormulas } from '../leads/import/formula-marks.ts'
import { moment } from '../platform/time.ts'

/**
 * Rows as CSV, with a header line on request if they name their columns. What a spreadsheet would run as a formula is
 * marked as text. A phone number in E.164 stays as it is, for the programs that import it: a plus sign and digits can
 * only be read as a number. A date is written as in ISO 8601, in UTC.
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
