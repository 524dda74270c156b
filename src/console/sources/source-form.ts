/** The form of a source: its name, which leads it brings, and which field of a post has which value. */
import { html } from 'hono/html'
import type { Settings } from '../../config/settings.ts'
import { languageName } from '../../leads/body/languages.ts'
import { requiredProblem, tidy } from '../../leads/body/tidy-text.ts'
import {
  type LeadSource,
  type Mapping,
  type SourceField,
  type SourceKind,
  sourceFieldNames,
  sourceFields,
} from '../../leads/source/lead-source.ts'
import { placeProblem } from '../../leads/source/mapping.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import type { SourceChoices, StoredSource } from '../../store/sources/sources.ts'
import { checkbox, field, kindOf, option } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'

/** The fields as they were typed; `sample` is used only for trying them out. */
export type EnteredSource = SourceChoices & { sample: string }

/** Sentences, by the names of fields. */
export type SourceProblems = Partial<Record<string, string | undefined>>

export const newSource = ({ languages }: Settings): EnteredSource => ({
  name: '',
  leadKind: 'student',
  language: languages[0] ?? 'en',
  mayWrite: false,
  mapping: {},
  sample: '',
})

export const enteredOfSource = (source: StoredSource): EnteredSource => ({ ...source, sample: '' })

/** The entered source as a `LeadSource`, for trying it out. */
export const asSource = (entered: EnteredSource, kind: SourceKind): LeadSource => ({ ...entered, id: 0, kind })

export function sourceIn(form: FormData, kind: SourceKind, { languages }: Settings): EnteredSource {
  const text = (name: string) => String(form.get(name) ?? '')
  const leadKind = kindOf(text('leadKind'))
  const language = languages.find(one => one === text('language')) ?? languages[0] ?? 'en'
  const places = sourceFields[leadKind].flatMap(name => {
    const place = text(placeName(name)).trim()
    return place === '' ? [] : [[name, place] as const]
  })
  const mapping: Mapping = kind === 'google' ? {} : Object.fromEntries(places)
  return {
    name: tidy(text('name')),
    leadKind,
    language,
    mayWrite: form.has('mayWrite'),
    mapping,
    sample: text('sample'),
  }
}

const placeName = (name: SourceField): string => `place-${name}`

/** What is wrong; empty if nothing is. `others` are the names of other sources. */
export function problemsOf(
  { name, mapping }: EnteredSource,
  kind: SourceKind,
  others: readonly string[],
): SourceProblems {
  const problem = requiredProblem(name, 'one', 80)
  const taken = others.some(other => other.toLowerCase() === name.toLowerCase())
  const places = (Object.entries(mapping) as [SourceField, string][]).map(([at, place]) => [
    placeName(at),
    placeProblem(at, place),
  ])
  const reachable = kind === 'google' || mapping.email !== undefined || mapping.phone !== undefined
  const found: SourceProblems = {
    ...Object.fromEntries(places),
    ...(reachable ? {} : { [placeName('email')]: 'Say where the email address or the phone number is.' }),
    name: problem ? `The name ${problem}.` : taken ? 'Another source has this name.' : undefined,
  }
  return Object.fromEntries(Object.entries(found).filter(([, sentence]) => sentence !== undefined))
}

type Shown = { entered: EnteredSource; kind: SourceKind; problems?: SourceProblems | undefined; settings: Settings }

export const sourceFormFields = ({ entered, kind, problems = {}, settings }: Shown): Html => html`
${field({ name: 'name', label: 'Name', autocomplete: 'off', value: entered.name, hint: 'Its leads show it as where they came from, and so does Insight.', problem: problems['name'] })}
<label for="leadKind">It brings</label>
<select id="leadKind" name="leadKind">${Object.entries(kindTitles).map(([kind, title]) => option(kind, title, kind === entered.leadKind))}</select>
${
  settings.languages.length < 2
    ? ''
    : html`<label for="language">Language of its people</label>
<select id="language" name="language">${settings.languages.map(one => option(one, languageName(one), one === entered.language))}</select>`
}
${checkbox('mayWrite', 'Its people asked us to write to them by email', entered.mayWrite, { hint: 'mayWrite-hint' })}
<p class="hint" id="mayWrite-hint">Otherwise no receipt and no follow-up emails go to them; the staff is notified and reminded as for every lead.</p>
${kind === 'google' ? '' : mappingFields(entered, problems)}`

const mappingFields = ({ leadKind, mapping, sample }: EnteredSource, problems: SourceProblems): Html => html`
<fieldset><legend>Where its posts have each value</legend>
<p class="hint">The name of a property or field, such as <code>email</code>; for one inside another, with dots, such as <code>person.email</code> or <code>answers.0.value</code>; for an answer in a list, with the name of its question, such as <code>field_data.email</code>. A text in quotation marks is always the same, such as <code>"Welding"</code>. Leave a field empty if its posts do not have the value.</p>
${sourceFields[leadKind].map(name => field({ name: placeName(name), label: sourceFieldNames[name], autocomplete: 'off', required: false, value: mapping[name] ?? '', problem: problems[placeName(name)] }))}
</fieldset>
<label for="sample">A sample of a post</label>
<p class="hint" id="sample-hint">JSON, or the body of a form. It is only tried out: nothing is stored or sent.${Object.keys(mapping).length === 0 ? ' If the fields above are empty, we suggest where each value is.' : ''}</p>
<textarea id="sample" name="sample" rows="8" class="code" autocomplete="off" spellcheck="false" maxlength="32000" aria-describedby="sample-hint" data-secret>${sample}</textarea>`
