/** The part of the form editor that says which fields the form's URL may fill in. */
import { html, raw } from 'hono/html'
import { contactFields, type SchoolForm } from '../../config/school-form.ts'
import type { Html } from '../frame/layout.ts'
import { fieldNames } from './field-names.ts'

type Fields = Record<string, string | undefined>

/** The names of the fields that are ticked. */
export function prefillIn(fields: Fields, { kind, questions, own = [] }: SchoolForm): string[] {
  const all = [...contactFields[kind], ...questions.map(({ field }) => field), ...own.map(({ id }) => `own-${id}`)]
  return all.filter(name => fields[`prefill-${name}`] === 'on')
}

export const prefillBox = ({ prefill = [] }: SchoolForm, name: string, label: string): Html =>
  html`<p class="check"><input type="checkbox" id="prefill-${name}" name="prefill-${name}"${prefill.includes(name) ? raw(' checked') : ''}><label for="prefill-${name}">${label} <code class="quiet">?${name}=</code></label></p>`

/** The program is not listed, because the URL can always choose it. */
export const prefillFields = (form: SchoolForm): Html =>
  html`<fieldset><legend class="hidden">The URL may fill in</legend><p class="hint">For example, for links in your own emails. Consent is never filled in.</p>
${contactFields[form.kind].map(name => prefillBox(form, name, fieldNames[name]))}${form.questions
  .filter(({ field }) => field !== 'program')
  .map(({ field }) => prefillBox(form, field, fieldNames[field]))}</fieldset>`
