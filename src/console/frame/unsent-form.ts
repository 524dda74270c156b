/**
 * Keeps the fields of a form that could not be handled, so that nothing that was typed is lost. If the session has
 * ended, the sign-in page passes them on; if the database is unavailable, the error page contains them. The person then
 * sends the form again, or copies what they typed.
 */
import { html } from 'hono/html'
import type { ConsoleContext } from './context.ts'
import { isLocal } from './flash.ts'
import { cardPage, type Html, hidden } from './layout.ts'
import { isOfOther } from './left-open-pages.ts'
import { postedForm } from './posted-form.ts'

type UnsentForm = { path: string; fields: [string, string][] }

/** Fields that no page may show or pass on. */
const SECRET = ['password', 'current', 'code', 'proof', 'secret', 'token']

/** The form of this request, as text for a hidden field; undefined if it contains a secret, or there is no form. */
export async function unsentForm(c: ConsoleContext): Promise<string | undefined> {
  const form = await postedForm(c)
  if (form === undefined || form === 'too many') return undefined
  const fields = [...form.entries()].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  if (fields.some(([name]) => SECRET.includes(name))) return undefined
  const { pathname, search } = new URL(c.req.url)
  return JSON.stringify({ path: `${pathname}${search}`, fields } satisfies UnsentForm)
}

export const unsentFormField = (resume: string | undefined): Html | '' => (resume ? hidden({ resume }) : '')

/** The page after signing in that shows the operator's unsent form; undefined if there is none. */
export function unsentFormPage(c: ConsoleContext, resume: string | undefined, operatorId: number) {
  const form = formToSend(resume, 'Send it now')
  if (form === undefined || isOfOther(read(resume)?.fields ?? [], operatorId)) return undefined
  return cardPage(
    c,
    { title: 'Signed in again' },
    html`<p>Your session had ended before you sent a form. Nothing of it is lost.</p>${form}`,
  )
}

/** What was typed, with a button that sends it again; undefined if there is no unsent form. */
export function formToSend(resume: string | undefined, button: string): Html | undefined {
  const unsent = read(resume)
  if (unsent === undefined) return undefined
  const typed = unsent.fields.filter(([, value]) => value.length > 20)
  return html`${typed.map(([, value]) => html`<blockquote class="typed">${value}</blockquote>`)}
<form method="post" action="${unsent.path}" class="actions">
${unsent.fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button>${button}</button><a class="button secondary" href="/">Do not send it</a>
</form>`
}

function read(resume = ''): UnsentForm | undefined {
  try {
    const { path, fields } = JSON.parse(resume)
    const isText = (value: unknown) => typeof value === 'string'
    const isFields =
      Array.isArray(fields) && fields.every(pair => Array.isArray(pair) && pair.length === 2 && pair.every(isText))
    return isLocal(path) && isFields ? { path, fields } : undefined
  } catch {
    return undefined
  }
}
