/** The form that a request sends. It is parsed only if one of our pages can have sent it. */
import { countFields } from '../../http/form-parts.ts'
import type { ConsoleContext, PostedForm } from './context.ts'

/** Far more than any page has. */
const MOST_FIELDS = 2000

/** The form of a request, which is parsed once. */
export function postedForm(c: ConsoleContext): Promise<PostedForm> {
  const posted = c.get('posted') ?? parse(c)
  c.set('posted', posted)
  return posted
}

async function parse(c: ConsoleContext): Promise<PostedForm> {
  const type = c.req.header('content-type') ?? ''
  const bytes = await c.req.arrayBuffer().catch(() => undefined)
  const fields = bytes && countFields(new Uint8Array(bytes), type, MOST_FIELDS)
  if (fields === undefined) return undefined
  if (fields > MOST_FIELDS) return 'too many'
  return new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => undefined)
}
