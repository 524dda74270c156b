/**
 * A form that could not be handled is not lost. After its session has ended, the sign-in page carries its
 * fields along; when the database is away, its error page has them. The person then sends them on, or
 * copies what they typed.
 */
import { html } from 'hono/html'
import type { ConsoleContext } from './context.ts'
import { isLocal } from './flash.ts'
import { cardPage, type Html } from './layout.ts'

type Resumed = { path: string; fields: [string, string][] }

/** Fields that no page may show or carry along. */
const SECRET = ['password', 'current', 'code', 'secret', 'token']

/** The form of this request, as text for a hidden field; undefined if it has a secret, or is not a form. */
export async function formToResume(c: ConsoleContext): Promise<string | undefined> {
  const form = await c.req.formData().catch(() => undefined)
  const fields = [...(form?.entries() ?? [])].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  if (form === undefined || fields.some(([name]) => SECRET.includes(name))) return undefined
  const { pathname, search } = new URL(c.req.url)
  return JSON.stringify({ path: `${pathname}${search}`, fields } satisfies Resumed)
}

export const resumeField = (resume: string | undefined): Html | '' =>
  resume ? html`<input type="hidden" name="resume" value="${resume}">` : ''

/** The page after signing in, with the form of before; undefined if there is none. */
export function resumePage(c: ConsoleContext, resume: string | undefined) {
  const form = heldForm(resume, 'Send it now')
  if (form === undefined) return undefined
  return cardPage(
    c,
    { title: 'Signed in again' },
    html`<p>Your session had ended before you sent a form. Nothing of it is lost.</p>${form}`,
  )
}

/** What was typed, and the button that sends it again; undefined if there is nothing. */
export function heldForm(resume: string | undefined, button: string): Html | undefined {
  const held = resume ? read(resume) : undefined
  if (held === undefined) return undefined
  const typed = held.fields.filter(([, value]) => value.length > 20)
  return html`${typed.map(([, value]) => html`<blockquote class="typed">${value}</blockquote>`)}
<form method="post" action="${held.path}" class="actions">
${held.fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button>${button}</button><a class="button secondary" href="/">Do not send it</a>
</form>`
}

function read(resume: string): Resumed | undefined {
  try {
    const { path, fields } = JSON.parse(resume)
    const isText = (value: unknown) => typeof value === 'string'
    const isFields =
      Array.isArray(fields) &&
      fields.every(pair => Array.isArray(pair) && pair.length === 2 && pair.every(isText))
    return isLocal(path) && isFields ? { path, fields } : undefined
  } catch {
    return undefined
  }
}
