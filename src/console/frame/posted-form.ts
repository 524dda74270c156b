/** The form that a request sends. It is parsed only if one of our pages can have sent it. */
import { countFields } from '../../http/form-parts.ts'
import type { ConsoleContext } from './context.ts'

/** Far more than any page has. */
const MOST_FIELDS = 2000

/**
 * The form; undefined if there is none or it did not arrive completely; `too many` if it has too many fields, which are
 * then not parsed.
 */
export async function postedForm(c: ConsoleContext): Promise<FormData | 'too many' | undefined> {
  const type = c.req.header('content-type') ?? ''
  const bytes = await c.req.arrayBuffer().catch(() => undefined)
  const fields = bytes && countFields(new Uint8Array(bytes), type, MOST_FIELDS)
  if (fields === undefined) return undefined
  if (fields > MOST_FIELDS) return 'too many'
  return new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => undefined)
}
