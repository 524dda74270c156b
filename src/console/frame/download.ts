/** Files that the console offers for download. */
import { csv } from '../../content/csv.ts'
import type { Cells } from '../../leads/lead/export-columns.ts'
import type { ConsoleContext } from './context.ts'
import { ConsoleError } from './error-pages.ts'

/** A CSV file begins with a byte order mark; without it, Excel does not recognize UTF-8. */
const CSV_START = '\ufeff'

/** Waits until it is this file's turn. Throws a ConsoleError with status 429 if the person must request it again. */
export async function itsTurn(c: ConsoleContext): Promise<void> {
  if (await c.get('frame').exportTurns.take(c.get('operator').id, c.env.outgoing)) return
  c.header('Retry-After', '10')
  throw new ConsoleError(
    429,
    'Other files of yours are still being made. When one of them is done, start this one again.',
  )
}

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
}

/** A response that browsers save as `NAME.FORMAT`. Content that comes in pieces is streamed. */
export function download(
  c: ConsoleContext,
  { name, format }: { name: string; format: keyof typeof TYPES },
  body: string | AsyncIterable<Uint8Array<ArrayBuffer>>,
): Response {
  c.header('Content-Type', TYPES[format])
  c.header('Content-Disposition', `attachment; filename="${name}.${format}"`)
  return c.body(typeof body === 'string' ? body : ReadableStream.from(body))
}

/** A file from someone else, with its own name. Browsers save it, and never show it. `body` must have `size` bytes. */
export function downloadFile(
  c: ConsoleContext,
  { name, type, size }: { name: string; type: string; size: number },
  body: AsyncIterable<Uint8Array<ArrayBuffer>>,
): Response {
  c.set('policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
  c.header('Content-Type', type)
  c.header('Content-Length', String(size))
  c.header('Content-Disposition', asAttachment(name))
  c.header('Cache-Control', 'private, no-store')
  return c.body(ReadableStream.from(body))
}

/** The header of RFC 6266, with the name as UTF-8 (RFC 8187) and, for old programs, as ASCII. */
function asAttachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const utf8 = encodeURIComponent(name).replace(/['()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${utf8}`
}

/** A table that names its columns, as CSV. */
export const downloadTable = (c: ConsoleContext, name: string, rows: readonly Record<string, unknown>[]): Response =>
  download(c, { name, format: 'csv' }, CSV_START + csv(rows, true))

/** Pieces of a CSV file, made some rows at a time. */
export async function* csvPieces(batches: AsyncIterable<readonly Cells[]>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const text = new TextEncoder()
  yield text.encode(CSV_START)
  for await (const rows of batches) yield text.encode(csv(rows, false))
}
