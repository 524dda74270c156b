/** The part of the form editor for the wording of our own questions. */
import { html } from 'hono/html'
import type { Settings } from '../../config/all-settings.ts'
import { LONGEST_LABEL, labeledFields, type SchoolForm } from '../../config/school-form.ts'
import type { Words } from '../../forms/form-words.ts'
import type { Html } from '../frame/layout.ts'
import { localizedFields, readLocalized } from '../school/localized-fields.ts'
import { fieldNames } from './field-names.ts'

type Fields = Record<string, string | undefined>

/** The labels that the fields describe. If a field is empty, the form asks in our words. */
export function labelsIn(
  fields: Fields,
  { kind }: Pick<SchoolForm, 'kind'>,
  settings: Settings,
): Pick<SchoolForm, 'labels'> {
  const labels = labeledFields(kind).flatMap(name => {
    const label = readLocalized(`label-${name}`, fields, settings)
    return label === undefined ? [] : [[name, label] as const]
  })
  return labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }
}

/** `ours`: our words in a language. */
export function labelFields(
  { kind, labels = {} }: SchoolForm,
  settings: Settings,
  ours: (language: string) => Words,
  problemAt: (setting: string) => Html | '',
): Html {
  return html`<details${Object.keys(labels).length > 0 ? ' open' : ''}><summary>How it asks them</summary>
<p class="hint">Where you leave a field empty, the form asks in the words that you see in it. Your team finds the answers under the names above.</p>${problemAt('labels')}
${labeledFields(kind).map(
  name =>
    html`${problemAt(`labels.${name}`)}<div class="row" data-shows="${name}">${localizedFields(
      {
        name: `label-${name}`,
        label: fieldNames[name],
        value: labels[name],
        most: LONGEST_LABEL,
        placeholder: language => ours(language).fields[name].label,
      },
      settings,
    )}</div>`,
)}</details>`
}
