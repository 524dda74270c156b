/** Reads a list of email addresses: CSV with a header line, or one address per line. */
import { CsvError, parse } from 'csv-parse/sync'
import { type EmailAddress, parseEmail } from '../leads/body/email.ts'
import { tidy } from '../leads/body/tidy-text.ts'

export type AddressList = {
  addresses: EmailAddress[]
  /** The lines without a valid address, in their order, and why. Lines count from 1; a cell may span several. */
  bad: { line: number; reason: string }[]
}

/** A list that cannot be read at all; the message says why. */
export class InvalidList extends Error {}

type Row = { record: string[]; info: { lines: number } }

/**
 * Reads a list as spreadsheets and databases export it: cells separated by commas, semicolons or tabs and quoted if
 * necessary (RFC 4180); empty lines are skipped. It reads the column of that name, by default the one called `email` or
 * `e-mail`. A list without a header line has only one column.
 *
 * Throws InvalidList if the column does not exist, or if a quotation mark is never closed, so that it is unclear where a
 * row ends.
 */
export function readAddressList(bytes: Uint8Array, column?: string): AddressList {
  const rows = rowsOf(decode(bytes))
  const { at, header } = columnOf(rows[0]?.record ?? [], column)
  const list: AddressList = { addresses: [], bad: [] }
  for (const { record, info } of rows.slice(header ? 1 : 0)) {
    const text = tidy(record[at] ?? '')
    const address = parseEmail(text)
    if (address !== undefined) list.addresses.push(address)
    else list.bad.push({ line: info.lines, reason: text === '' ? 'no email address' : 'not a valid email address' })
  }
  return list
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r\n?/g, '\n')
  } catch {
    throw new InvalidList('The file is not UTF-8; save it as "CSV UTF-8".')
  }
}

function rowsOf(text: string): Row[] {
  try {
    return parse(text, {
      delimiter: delimiterOf(text),
      record_delimiter: '\n',
      ltrim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      relax_quotes: true,
      info: true,
    }) as unknown as Row[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (error.code !== 'CSV_QUOTE_NOT_CLOSED') throw new InvalidList(error.message)
    const before = Buffer.from(text).subarray(0, Number(error['bytes_records'])).toString()
    throw new InvalidList(`Line ${before.split('\n').length}: a quotation mark is never closed.`)
  }
}

/** The delimiter that occurs most often in the first line. */
function delimiterOf(text: string): string {
  const [first = ''] = text.trimStart().split('\n', 1)
  const count = (delimiter: string) => first.split(delimiter).length
  return [',', ';', '\t'].reduce((most, one) => (count(one) > count(most) ? one : most))
}

function columnOf(first: string[], wanted: string | undefined): { at: number; header: boolean } {
  const names = first.map(cell => tidy(cell).toLowerCase())
  const at = names.findIndex(name =>
    wanted === undefined ? /^e?-?mail$/.test(name) : name === tidy(wanted).toLowerCase(),
  )
  if (at >= 0) return { at, header: true }
  if (wanted !== undefined) throw new InvalidList(`The first line does not name a column "${wanted}".`)
  if (names.length > 1) throw new InvalidList('The first line does not name a column "email".')
  return { at: 0, header: false }
}
