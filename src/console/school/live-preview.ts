/** The preview beside an editor: a form as people see it, with what someone has typed so far. */
import { html, raw } from 'hono/html'
import type { Settings } from '../../config/all-settings.ts'
import type { SchoolForm } from '../../config/school-form.ts'
import { logoOrigins } from '../../content/brand.ts'
import { isImage, type Preview, previewOf } from '../../forms/form-preview.ts'
import { languageName } from '../../leads/body/languages.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import type { Html } from '../frame/layout.ts'

/**
 * The panel, in a form with `data-live-preview`. `path` gets what was typed, and sends the document. Where the page after
 * sending can be shown, the document follows the person: to the id in `data-shows` of the part in which they are, or to
 * that page.
 */
export const previewPanel = (path: string, title: string, { languages }: Settings, { showsSent = false } = {}): Html =>
  html`<section class="panel preview" aria-labelledby="preview"><div class="preview-head"><h2 id="preview">Preview</h2><a class="from-preview" href="#${FIELDS}">Back to the fields</a><button class="small">Save</button></div>
<div class="preview-choices">
${showsSent ? html`<fieldset><legend class="hidden">Page</legend>${radio('preview-page', 'form', 'Form', true)}${radio('preview-page', SENT, 'Thanks', false)}</fieldset>` : ''}
<fieldset><legend class="hidden">Screen</legend>${radio('preview-width', 'phone', 'Phone', true)}${radio('preview-width', 'desktop', 'Desktop', false)}</fieldset>
<fieldset><legend class="hidden">Look</legend>${radio('preview-theme', 'light', 'Light', true)}${radio('preview-theme', 'dark', 'Dark', false)}</fieldset>
${languages.length < 2 ? '' : html`<fieldset><legend class="hidden">Language of the preview</legend>${languages.map((tag, i) => radio('preview-language', tag, languageName(tag), i === 0))}</fieldset>`}
<button class="secondary small" formaction="${path}" formtarget="preview" data-preview>Show the preview</button></div>
<iframe name="preview" title="${title}"></iframe></section>`

/** The id of the form around the panel. On a phone, the panel is far below its fields. */
export const FIELDS = 'fields'

export const toPreview: Html = html`<a class="to-preview" href="#preview">Preview</a>`

export const SENT = 'sent'

const radio = (name: string, value: string, label: string, checked: boolean): Html =>
  html`<label class="choice"><input type="radio" name="${name}" value="${value}"${checked ? raw(' checked') : ''}> ${label}</label>`

/** Sends the document of a form, in the language and on the screen that the fields of the panel name. */
export function sendPreview(
  c: ConsoleContext,
  { config }: ConsoleDeps,
  shown: {
    form: SchoolForm
    settings: Settings
    fields: Record<string, string | undefined>
    /** The page after sending, in a language, if it is what the panel asks for. */
    sentIn?: (language: string) => Preview['sent']
  },
) {
  const { form, settings, fields, sentIn } = shown
  const language = settings.languages.find(one => one === fields['preview-language']) ?? settings.languages[0] ?? 'en'
  const theme = fields['preview-theme'] === 'dark' ? 'dark' : 'light'
  const typed = [form.brand, settings.school.brand]
    .flatMap(brand => [brand?.logo, brand?.logoDark])
    .filter(isImage)
    .map(url => new URL(url).origin)
  const images = [...new Set([...logoOrigins(c.get('frame').brand), ...typed])].join(' ')
  // No script runs in the document. Those of the page around it scroll it.
  c.set(
    'policy',
    `default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data: ${images}; frame-ancestors 'self'; sandbox allow-same-origin`,
  )
  return c.html(previewOf(form, { ...config, settings }, { language, theme, sent: sentIn?.(language) }))
}
