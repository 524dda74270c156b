/** The part of the form editor that says which fields the form's URL may fill in. */
import { html } from 'hono/html'
import { contactFields, type SchoolForm } from '../../config/school-form.ts'
import { checkbox } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'
import { fieldNames } from './field-names.ts'

type Fields = Record<string, string | undefined>

/** The names of the fields that are ticked. */
export function prefillIn(fields: Fields, { kind, questions, own = [] }: SchoolForm): string[] {
  const all = [...contactFields[kind], ...questions.map(({ field }) => field), ...own.map(({ id }) => `own-${id}`)]
  return all.filter(name => fields[`prefill-${name}`] === 'on')
}

export const prefillBox = ({ prefill = [] }: SchoolForm, name: string, label: string): Html =>
  checkbox(`prefill-${name}`, html`${label} <code class="quiet">?${name}=</code>`, prefill.includes(name))

/** The program is not listed, because the URL can always choose it. */
export const prefillFields = (form: SchoolForm): Html =>
  html`<fieldset><legend class="hidden">The URL may fill in</legend><p class="hint">For example, for links in your own emails. Consent is never filled in.</p>
${contactFields[form.kind].map(name => prefillBox(form, name, fieldNames[name]))}${form.questions
  .filter(({ field }) => field !== 'program')
  .map(({ field }) => prefillBox(form, field, fieldNames[field]))}</fieldset>`
