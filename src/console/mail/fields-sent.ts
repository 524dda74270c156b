/** What was sent with an inquiry that cannot be filed, as far as it can be read. */
import { parsedJson } from '../../platform/json.ts'

/** The fields that are text, by name; `unread` is everything else. */
export type FieldsSent = { fields: Record<string, string>; unread: string }

export function fieldsSent({ body, form }: { body: string; form: string | null }): FieldsSent {
  const beside = form === null ? '' : form
  const sent = parsed(body)
  if (sent === undefined) return { fields: {}, unread: [body, beside].filter(Boolean).join('\n') }
  const fields = Object.entries(sent).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value]] : [],
  )
  const others = Object.entries(sent).filter(([, value]) => typeof value !== 'string')
  const rest = others.length === 0 ? '' : JSON.stringify(Object.fromEntries(others))
  return { fields: Object.fromEntries(fields), unread: [rest, beside].filter(Boolean).join('\n') }
}

function parsed(body: string): Record<string, unknown> | undefined {
  const sent = parsedJson(body)
  return sent instanceof Object ? (sent as Record<string, unknown>) : undefined
}
