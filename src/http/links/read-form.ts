/** The body of a form that one of our pages has sent. */
import type { IncomingMessage } from 'node:http'
import { errors } from '../errors.ts'

/** In bytes: the longest note, with each of its characters encoded. */
const FORM_LIMIT = 20_480

/** Reads the fields of a form; a body of another type has none of ours. Throws 413 beyond the limit. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    // We do not read beyond the limit; the server discards the rest.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length
      if (length > FORM_LIMIT) break
      chunks.push(chunk)
    }
  } catch {
    // The client left or was cut off: no one reads this response, but the error is not ours.
    throw errors.incomplete('form')
  }
  if (length > FORM_LIMIT) throw errors.formTooLarge(FORM_LIMIT)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
