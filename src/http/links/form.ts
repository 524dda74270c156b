/** The body of a form that one of our pages has sent. */
import type { IncomingMessage } from 'node:http'
import { HttpError } from '../errors.ts'

/** In bytes; our forms send a fraction of it. */
const FORM_LIMIT = 4096

/** The fields of a form; none of ours in a body of another type. Throws 413 beyond the limit. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    // What lies beyond the limit is not read by us; the server lets it run dry.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length
      if (length > FORM_LIMIT) break
      chunks.push(chunk)
    }
  } catch {
    // The client left or was cut off: nobody hears this, but it is no mistake of ours.
    throw new HttpError(400, 'The form did not arrive in full')
  }
  if (length > FORM_LIMIT) throw new HttpError(413, `The form must be at most ${FORM_LIMIT} bytes`)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
