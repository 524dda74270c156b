/** The fields of forms: reading what was sent, and showing fields with their problems. */
import { html, raw } from 'hono/html'
import type { Kind } from '../../leads/body/submission.ts'
import type { ConsoleContext } from './context.ts'
import { ConsoleError } from './error-pages.ts'
import type { Html } from './layout.ts'
import { postedForm } from './posted-form.ts'

/** The fields of a form that hold one text each. If two have the same name, the last one counts. */
export async function fieldsOf(c: ConsoleContext): Promise<Record<string, string | undefined>> {
  const entries = [...(await formOf(c))]
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/**
 * The form of the request. Throws a ConsoleError: with status 400 if the form is missing or cannot be read, and with
 * 413 if it has too many fields.
 */
export async function formOf(c: ConsoleContext): Promise<FormData> {
  const form = await postedForm(c)
  if (form === 'too many') throw new ConsoleError(413, 'Nothing was changed: this form has too many fields.')
  if (form === undefined) throw new ConsoleError(400, 'This is not a form of the console.')
  for (const value of form.values()) {
    // PostgreSQL cannot store a NUL in a text, and no one can type one.
    if (String(value).includes('\0')) throw new ConsoleError(400, 'A field has a NUL character.')
  }
  return form
}

/** The whole number in a text, below 10^15; undefined for everything else. */
export const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined

/** The kind of lead that a form or URL names; without one, students. */
export const kindOf = (text: string | undefined): Kind => (text === 'site' ? 'site' : 'student')

export const option = (value: string | number, words: string, chosen: boolean): Html =>
  html`<option value="${value}"${chosen ? raw(' selected') : ''}>${words}</option>`

/** The values that a field with this `list` suggests. */
export const suggestions = (id: string, values: readonly string[]): Html =>
  html`<datalist id="${id}">${values.map(value => html`<option value="${value}"></option>`)}</datalist>`

type Checkbox = {
  /** Default: the name or, with a `value`, both. */
  id?: string
  /** What is sent if it is ticked. Default: on. */
  value?: string | number
  /** The id of a hint. */
  hint?: string
}

/** A checkbox before its label. */
export function checkbox(name: string, label: Html | string, ticked: boolean, more: Checkbox = {}): Html {
  const { value, id = value === undefined ? name : `${name}-${value}`, hint } = more
  return html`<p class="check"><input type="checkbox" id="${id}" name="${name}"${value === undefined ? '' : html` value="${value}"`}${ticked ? raw(' checked') : ''}${hint === undefined ? '' : html` aria-describedby="${hint}"`}><label for="${id}">${label}</label></p>`
}

type Field = {
  name: string
  /** Needed if a page has two fields with that name. Default: the name. */
  id?: string
  label: string
  /** Default: text. */
  type?: string
  value?: string | undefined
  autocomplete?: string
  /** A hint that is shown before someone types. */
  hint?: string
  problem?: string | undefined
  /** The id of the datalist that suggests values. */
  list?: string
  required?: boolean
  /** Whether the browser must not save what is typed before it is sent. Default: false. */
  secret?: boolean
}

/** A field with its label. A problem is shown above it, and screen readers read it out with the field. */
export function field(options: Field): Html {
  const { name, id = name, label, type = 'text', value = '', autocomplete, hint, problem, list } = options
  const notes = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  const attributes = [
    autocomplete && `autocomplete="${autocomplete}"`,
    list && `list="${list}"`,
    notes && `aria-describedby="${notes}"`,
    problem && 'aria-invalid="true" autofocus',
    options.required !== false && 'required',
    options.secret && 'data-secret',
  ].filter(Boolean)
  return html`<label for="${id}">${label}</label>
${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : ''}
${problem ? html`<p class="problem" id="${id}-problem">${problem}</p>` : ''}
<input id="${id}" name="${name}" type="${type}" value="${value}" ${raw(attributes.join(' '))}>`
}
