/**
 * A form that was sent after its session had ended is not lost: the sign-in page carries its fields
 * along, and after signing in, the person sends them on, or copies what they typed.
 */
import { html } from 'hono/html'
import type { ConsoleContext } from './context.ts'
import { isLocal } from './flash.ts'
import { cardPage, type Html } from './layout.ts'

type Resumed = { path: string; fields: [string, string][] }

/** The form of this request, as text for a hidden field. */
export async function formToResume(c: ConsoleContext): Promise<string> {
  const fields = [...(await c.req.formData()).entries()].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return JSON.stringify({ path: c.req.path, fields } satisfies Resumed)
}

export const resumeField = (resume: string | undefined): Html | '' =>
  resume ? html`<input type="hidden" name="resume" value="${resume}">` : ''

/** The page after signing in, with the form of before; undefined if there is none. */
export function resumePage(c: ConsoleContext, resume: string | undefined) {
  const resumed = resume ? read(resume) : undefined
  if (resumed === undefined) return undefined
  const typed = resumed.fields.filter(([, value]) => value.length > 20)
  return cardPage(
    c,
    { title: 'Signed in again' },
    html`<p>Your session had ended before you sent a form. Nothing of it is lost.</p>
${typed.map(([, value]) => html`<blockquote class="typed">${value}</blockquote>`)}
<form method="post" action="${resumed.path}">
${resumed.fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button>Send it now</button> <a class="button secondary" href="/">Do not send it</a>
</form>`,
  )
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
