/** The form that a request sends: taken apart only if it is one that a page of ours can have sent. */
import { countFields } from '../../http/form-parts.ts'
import type { ConsoleContext } from './context.ts'

/** Far more than any page has. */
const MOST_FIELDS = 2000

/** Undefined for what is not a form, or did not arrive in full; `too many` fields are not looked at. */
export async function postedForm(c: ConsoleContext): Promise<FormData | 'too many' | undefined> {
  const type = c.req.header('content-type') ?? ''
  const bytes = await c.req.arrayBuffer().catch(() => undefined)
  const fields = bytes && countFields(new Uint8Array(bytes), type, MOST_FIELDS)
  if (fields === undefined) return undefined
  if (fields > MOST_FIELDS) return 'too many'
  return new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => undefined)
}
