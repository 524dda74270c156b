/** Compresses a page for a browser that accepts it: on a slow phone, that halves the time until it shows. */
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { preferredCoding } from '../http/content-negotiation.ts'
import type { HttpResponse } from '../http/router.ts'

/** It runs beside the main thread. Brotli would take longer than it saves, since each page is made once. */
export async function compressed({ headers }: IncomingMessage, response: HttpResponse): Promise<HttpResponse> {
  const others = (headers['accept-encoding'] ?? '').replace(/\bbr\b[^,]*/gi, '')
  if (preferredCoding(others) !== 'gzip') return response
  const body = await promisify(gzip)(String(response.body))
  return { ...response, headers: { ...response.headers, 'Content-Encoding': 'gzip' }, body }
}
