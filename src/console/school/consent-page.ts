/** The consent to calls and texts: whether each form asks for it, and in which words. */
import { isDeepStrictEqual } from 'node:util'
import { html } from 'hono/html'
import { contentDirs } from '../../content/content-files.ts'
import { readWords } from '../../forms/form-words.ts'
import { inLanguage } from '../../leads/body/languages.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { ConsoleRoute } from '../frame/context.ts'
import { checkbox } from '../frame/form-fields.ts'
import type { EditedPage } from '../versions/edited-page.ts'
import { type FormPage, formRoutes } from '../versions/form-page.ts'
import { localizedFields, readLocalized } from './localized-fields.ts'

type Consents = Parameters<EditedPage<'consent'>['show']>[0]

const forms: Record<Kind, string> = { student: 'The form for students', site: 'The form for sites' }
const kinds = Object.keys(forms) as Kind[]

const inWords = (consent: Consents[Kind], languages: readonly string[]): string => {
  if (consent === 'none') return 'does not ask'
  const text =
    consent.text === undefined ? 'in the words of Frontdesk' : `“${inLanguage(consent.text, languages[0] ?? 'en')}”`
  return `asks: ${text}${consent.link === undefined ? '' : ` (${consent.link})`}`
}

export const editedConsent: EditedPage<'consent'> = {
  part: 'consent',
  path: '/consent',
  action: 'edit school',
  differences: (before, after, { settings }) =>
    kinds.flatMap(kind =>
      isDeepStrictEqual(before[kind], after[kind])
        ? []
        : [`${forms[kind]} ${inWords(after[kind], settings.languages)}.`],
    ),
  show: (value, { settings }) =>
    html`<section class="panel"><h2>Consent</h2><ul>${kinds.map(kind => html`<li>${forms[kind]} ${inWords(value[kind], settings.languages)}.</li>`)}</ul></section>`,
  editFrom: id => html`<a class="button secondary" href="/consent?version=${id}">Edit from here</a>`,
}

const consentForm: FormPage<'consent'> = {
  edited: editedConsent,
  title: 'Consent to calls and texts',
  menu: 'Consent',
  read: (fields, { settings }) => {
    const of = (kind: Kind): Consents[Kind] => {
      if (fields[`${kind}-asks`] === undefined) return 'none'
      const text = readLocalized(`${kind}-text`, fields, settings)
      const link = (fields[`${kind}-link`] ?? '').trim()
      return { ...(text !== undefined && { text }), ...(link !== '' && { link }) }
    }
    return { student: of('student'), site: of('site') }
  },
  fieldOf: (setting, { settings }) => {
    const [, kind, part] = /^forms\.(student|site)\.consent(?:\.(link))?/.exec(setting) ?? []
    if (kind === undefined) return undefined
    const words = { label: forms[kind as Kind], id: `${kind}-text-${settings.languages[0]}` }
    return part === undefined ? words : { label: `${words.label}: the page that explains it`, id: `${kind}-link` }
  },
  form: (value, { settings }, problemAt) =>
    html`<p>People may leave it unticked. What each of them saw is kept with their inquiry, word for word, whatever you change here. Ask your lawyer about the words.</p>
${kinds.map(kind => {
  const consent = value[kind]
  const { text, link = '' } = consent === 'none' ? {} : consent
  const ours = (language: string) =>
    readWords(language, contentDirs(settings.content), kind)[kind].consent.replaceAll('{school}', settings.school.name)
  return html`<section class="panel"><h2>${forms[kind]}</h2>${problemAt(`forms.${kind}.consent`)}
${checkbox(`${kind}-asks`, 'Ask whether the school may call and text', consent !== 'none')}
<div class="consent-words"><p class="hint">Where you leave a field empty, the form says what you see in it. In your own words, {school} becomes the name of the school.</p>
${localizedFields({ name: `${kind}-text`, label: 'Words', value: text, rows: 4, most: 1000, placeholder: ours }, settings)}
<label for="${kind}-link">Page that explains it</label><p class="hint" id="${kind}-link-hint">Empty: your privacy policy.</p><input id="${kind}-link" name="${kind}-link" value="${link}" maxlength="500" autocomplete="off"></div></section>`
})}`,
}

export const consentRoutes: ConsoleRoute[] = formRoutes(consentForm)
