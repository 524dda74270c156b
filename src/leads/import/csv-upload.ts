/** Reads a list of people as spreadsheets and other programs write it: CSV, whatever its encoding and separator. */
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import { inDigits } from '../body/tidy-text.ts'

/** The limits of a file: bytes, rows without the headers, columns, cells, and characters in one row. */
export const FILE_LIMITS = {
  bytes: 30_000_000,
  rows: 100_000,
  columns: 200,
  cells: 5_000_000,
  characters: 200_000,
} as const

/** A file that cannot be read at all; the message says why, and what to do. */
export class NotCsv extends Error {}

/** A row with the number that a spreadsheet shows for it: 1 is the first. */
export type FileRow = { row: number; cells: string[] }

/**
 * How many bytes are parsed in one turn of the event loop, so that requests do not wait for a large file. Each may be a
 * row: spreadsheets export blank ones.
 */
const BYTES_AT_ONCE = 2 * 1024
const BYTES_COUNTED_AT_ONCE = 1024 * 1024

/**
 * The rows of a CSV file, without those that are blank. UTF-8, UTF-16 and Windows-1252 are recognized, and commas,
 * semicolons, tabs and bars as separators; cells may be quoted and span lines (RFC 4180). Throws NotCsv, even in the
 * middle of a file.
 */
export async function* readFile(bytes: Uint8Array): AsyncGenerator<FileRow> {
  refuseOtherFormats(bytes)
  const encoding = encodingOf(bytes)
  const start = new TextDecoder(encoding).decode(bytes.subarray(0, 64 * 1024))
  if (start.trim() === '') throw new NotCsv(EMPTY)
  const named = /^sep=(.)\r?\n/i.exec(start)
  const delimiter = named?.[1] ?? separatorOf(start)
  await refuseTooManyCells(bytes, delimiter)
  const parser = parse({
    delimiter,
    from_line: named === null ? 1 : 2,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: FILE_LIMITS.characters,
  })
  let row = 0
  let filled = 0
  try {
    for await (const cells of Readable.from(textOf(bytes, encoding)).pipe(parser)) {
      row++
      const trimmed = withoutEmptyEnd(cells as string[])
      if (trimmed.length === 0) continue
      if (++filled > FILE_LIMITS.rows + 1) throw tooManyRows()
      if (trimmed.length > FILE_LIMITS.columns) throw tooManyColumns(row, trimmed.length)
      yield { row, cells: trimmed }
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(error, row + 1) : error
  }
}

/** Decodes a little at a time, with a turn of the event loop in between. */
async function* textOf(bytes: Uint8Array, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    const text = decoder.decode(bytes.subarray(at, at + BYTES_AT_ONCE), { stream: true })
    if (text !== '') yield text
    await nextTurn()
  }
  const rest = decoder.decode()
  if (rest !== '') yield rest
}

const signatures: [bytes: string, what: string][] = [
  ['504b0304', 'an Excel workbook (XLSX) or a ZIP file'],
  ['d0cf11e0', 'an old Excel workbook (XLS)'],
  ['25504446', 'a PDF'],
]

const SAVE_AS = 'In Excel, Numbers or Google Sheets, save or download the list as CSV.'

const EMPTY = 'The file is empty. Choose one with a row for each person.'

function refuseOtherFormats(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new NotCsv(EMPTY)
  if (bytes.length > FILE_LIMITS.bytes) {
    throw new NotCsv(
      `The file is ${Math.ceil(bytes.length / 1e6)} MB, and the limit is ${FILE_LIMITS.bytes / 1e6} MB. Split it, or delete the columns that you do not need.`,
    )
  }
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex')
  const found = signatures.find(([signature]) => start === signature)
  if (found) throw new NotCsv(`This is ${found[1]}, not a CSV file. ${SAVE_AS}`)
  const text = Buffer.from(bytes.subarray(0, 200)).toString('latin1').trimStart()
  if (/^(?:<!doctype|<html|<table|<\?xml)/i.test(text))
    throw new NotCsv(`This is a web page or XML, not a CSV file. ${SAVE_AS}`)
}

/** The encoding, by its byte order mark or, without one, by what the bytes can be. Throws NotCsv if it is not text. */
function encodingOf(bytes: Uint8Array): string {
  const utf16 = utf16Of(bytes)
  const characters = utf16 === undefined ? bytes : unitsOf(bytes)
  if (characters.includes(0)) throw new NotCsv(`This is not a text file, so not CSV. ${SAVE_AS}`)
  return utf16 ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')
}

function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const zeros = [0, 0]
  const start = bytes.subarray(0, 4096)
  for (const [at, byte] of start.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  // In UTF-16 without a mark, nearly every second byte of a European language is zero.
  if (odd > start.length / 4 && even === 0) return 'utf-16le'
  return even > start.length / 4 && odd === 0 ? 'utf-16be' : undefined
}

/** The code units of UTF-16, some of them perhaps with their bytes in the other order. */
const unitsOf = (bytes: Uint8Array): Uint16Array =>
  new Uint16Array(new Uint8Array(bytes.subarray(0, bytes.length - (bytes.length % 2))).buffer)

/** The separator that is most frequent in the first line that has any, outside of quoted cells. */
function separatorOf(text: string): string {
  const [line = ''] = text.replace(/"(?:[^"]|"")*"/g, '').match(/^.*[,;\t|].*$/m) ?? []
  const count = (separator: string) => line.split(separator).length
  return [',', ';', '\t', '|'].reduce((most, one) => (count(one) > count(most) ? one : most))
}

/** Each empty cell costs one byte in the file and far more after it is read, so cells are counted before. */
async function refuseTooManyCells(bytes: Uint8Array, delimiter: string): Promise<void> {
  const separator = delimiter.charCodeAt(0)
  let cells = 1
  for (let at = 0; at < bytes.length; at += BYTES_COUNTED_AT_ONCE) {
    for (const byte of bytes.subarray(at, at + BYTES_COUNTED_AT_ONCE))
      if (byte === separator || byte === LINE_FEED || byte === CARRIAGE_RETURN) cells++
    if (cells > FILE_LIMITS.cells) throw tooManyCells()
    await nextTurn()
  }
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

function withoutEmptyEnd(cells: string[]): string[] {
  let { length } = cells
  while (length > 0 && (cells[length - 1] ?? '').trim() === '') length--
  return length === cells.length ? cells : cells.slice(0, length)
}

const tooManyRows = () =>
  new NotCsv(`The file has more than ${inDigits(FILE_LIMITS.rows)} rows. Split it into several files.`)

const tooManyCells = () =>
  new NotCsv(
    `The file has more than ${inDigits(FILE_LIMITS.cells)} cells, empty ones included. Delete the columns and the empty rows that you do not need.`,
  )

const tooManyColumns = (row: number, columns: number) =>
  new NotCsv(
    `Row ${row} has ${inDigits(columns)} cells, and the limit is ${FILE_LIMITS.columns} columns. Delete those that you do not need.`,
  )

function unreadable({ code, message }: CsvError, row: number): NotCsv {
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return new NotCsv(`In row ${row}, a quotation mark is never closed. Close or remove it.`)
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return new NotCsv(
      `Row ${row} has more than ${inDigits(FILE_LIMITS.characters)} characters. Shorten it, or close a quotation mark in it.`,
    )
  }
  return new NotCsv(`Row ${row} cannot be read: ${message}`)
}
