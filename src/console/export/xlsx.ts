/**
 * Writes a workbook (ECMA-376, Office Open XML) row by row, so that it is never in memory as a whole. Every text is a
 * text cell, so no spreadsheet reads it as a formula, or a phone number as a number. Every date is a real date, which a
 * spreadsheet can sort and group, in the local time of `zone`.
 */
import { Zip, ZipDeflate } from 'fflate'
import type { TimeZone } from '../../follow-up/time-zones.ts'
import type { Cells } from '../../leads/lead/export-columns.ts'
import { DAY, SECOND } from '../../platform/time.ts'

/** The most rows that a sheet can have; more rows go to the next sheet. */
const MOST_ROWS = 1_048_576

const LONGEST_CELL = 32_767

export async function* xlsx(
  batches: AsyncIterable<Cells[]>,
  { zone, mostRows = MOST_ROWS }: { zone: TimeZone; mostRows?: number },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const written: Uint8Array<ArrayBuffer>[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    written.push(chunk as Uint8Array<ArrayBuffer>)
  })
  const text = new TextEncoder()
  const begin = (name: string) => {
    const file = new ZipDeflate(name, { level: 4 })
    zip.add(file)
    return file
  }
  const whole = (name: string, content: string) => begin(name).push(text.encode(content), true)

  let sheets = 0
  let row = mostRows
  let sheet: ZipDeflate | undefined
  let header: Cells | undefined
  const put = (cells: Cells) => {
    if (row >= mostRows) {
      sheet?.push(text.encode(SHEET_END), true)
      sheets += 1
      row = 0
      sheet = begin(`xl/worksheets/sheet${sheets}.xml`)
      sheet.push(text.encode(SHEET_START))
      if (header !== undefined) put(header)
    }
    row += 1
    sheet?.push(text.encode(rowXml(cells, row, zone)))
  }
  for await (const batch of batches) {
    for (const cells of batch) {
      put(cells)
      header ??= cells
    }
    yield* written.splice(0)
  }
  sheet?.push(text.encode(SHEET_END), true)
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1)
  whole('xl/workbook.xml', workbook(numbers))
  whole('xl/_rels/workbook.xml.rels', relations(numbers))
  whole('_rels/.rels', ROOT_RELATIONS)
  whole('xl/styles.xml', STYLES)
  whole('[Content_Types].xml', contentTypes(numbers))
  zip.end()
  yield* written
}

const rowXml = (cells: Cells, row: number, zone: TimeZone): string => {
  const inside = cells.map((cell, index) => cellXml(cell, `${letters(index)}${row}`, zone))
  return `<row r="${row}">${inside.join('')}</row>`
}

function cellXml(cell: Cells[number], at: string, zone: TimeZone): string {
  if (cell === '') return ''
  if (cell instanceof Date) return `<c r="${at}" s="${DATE_STYLE}"><v>${serialDate(cell.getTime(), zone)}</v></c>`
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`
  const text = escaped(cell.slice(0, LONGEST_CELL).toWellFormed())
  return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
}

/** The days from December 30, 1899, where spreadsheets begin to count, to January 1, 1970. */
const EPOCH = 25_569

/** A moment as spreadsheets count it: in days, in the local time of a time zone, to the second. */
function serialDate(moment: number, zone: TimeZone): number {
  const { day, time } = zone.localTime(moment)
  return EPOCH + day + Math.floor(time / SECOND) / (DAY / SECOND)
}

/** `A` to `Z`, then `AA`. */
const letters = (index: number): string =>
  (index < 26 ? '' : letters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))

/**
 * XML 1.0 allows no control characters except tabs and line ends. Spreadsheets read `_x003D_` as the character with
 * that code (ECMA-376 part 1, 22.9.2.19), unless the underscore is itself written as a code.
 */
const escaped = (text: string): string =>
  text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ' ')
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The names of the columns stay visible when someone scrolls. */
const SHEET_START = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultColWidth="17" defaultRowHeight="15"/><sheetData>`
const SHEET_END = '</sheetData></worksheet>'

const workbook = (numbers: number[]) =>
  `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${numbers
    .map(n => `<sheet name="Leads${n === 1 ? '' : ` ${n}`}" sheetId="${n}" r:id="rId${n}"/>`)
    .join('')}</sheets></workbook>`

const relations = (numbers: number[]) =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${numbers
    .map(n => `<Relationship Id="rId${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`)
    .join('')}<Relationship Id="styles" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`

/** Its second cell format is the one for dates. */
const DATE_STYLE = 1
const STYLES = `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/></numFmts><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

const ROOT_RELATIONS = `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`

const contentTypes = (numbers: number[]) =>
  `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/>${numbers
    .map(n => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${TYPES}.worksheet+xml"/>`)
    .join('')}</Types>`
