/** Files that the console offers for download. */
import { csv } from '../../content/csv.ts'
import type { Cells } from '../../leads/lead/export-columns.ts'
import type { ConsoleContext } from './context.ts'

/** What a CSV file begins with: a byte order mark, without which Excel takes UTF-8 for something else. */
const CSV_START = '\ufeff'

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
}

/** A response that browsers save as `NAME.FORMAT`; what is made bit by bit is streamed. */
export function download(
  c: ConsoleContext,
  { name, format }: { name: string; format: keyof typeof TYPES },
  body: string | AsyncIterable<Uint8Array<ArrayBuffer>>,
): Response {
  c.header('Content-Type', TYPES[format])
  c.header('Content-Disposition', `attachment; filename="${name}.${format}"`)
  return c.body(typeof body === 'string' ? body : ReadableStream.from(body))
}

/** The same for a table that names its columns. */
export const downloadTable = (c: ConsoleContext, name: string, rows: readonly Record<string, unknown>[]): Response =>
  download(c, { name, format: 'csv' }, CSV_START + csv(rows, true))

/** Pieces of a CSV file, made some rows at a time. */
export async function* csvPieces(batches: AsyncIterable<readonly Cells[]>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const text = new TextEncoder()
  yield text.encode(CSV_START)
  for await (const rows of batches) yield text.encode(csv(rows, false))
}
