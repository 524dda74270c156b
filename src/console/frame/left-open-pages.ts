/** Whose page a request comes from. A page that stays open while someone else signs in must not act for that person. */
import { html } from 'hono/html'
import type { ConsoleContext } from './context.ts'
import { postedForm } from './posted-form.ts'

/** The hidden field of each form, and what our scripts send as a header when they read. */
const FIELD = 'pageOf'
const HEADER = 'x-page-of'

const FORM = /<form\b[^>]*\bmethod="post"[^>]*>/g

/** A page or a part of one; each of its forms says whose page it is. */
export async function withPageOf(c: ConsoleContext, page: string | Promise<string>): Promise<string> {
  const operator = c.get('operator')
  const field = html`<input type="hidden" name="${FIELD}" value="${operator.id}">`
  return (await page).replaceAll(FORM, start => `${start}${field}`)
}

/**
 * Whether a request comes from a page of someone other than the person who is signed in. If not, also removes the field
 * that says so from its form.
 */
export async function isFromOthersPage(c: ConsoleContext): Promise<boolean> {
  const { id } = c.get('operator')
  const header = c.req.header(HEADER)
  if (header !== undefined) return header !== String(id)
  if (c.req.method !== 'POST') return false
  const form = await postedForm(c)
  if (!(form instanceof FormData)) return false
  if (isOfOther([...form], id)) return true
  form.delete(FIELD)
  return false
}

/** Whether these are the fields of a form on a page of someone else. */
export const isOfOther = (fields: readonly (readonly [string, unknown])[], operatorId: number): boolean =>
  fields.some(([name, value]) => name === FIELD && value !== String(operatorId))
