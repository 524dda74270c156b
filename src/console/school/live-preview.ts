/** The preview beside an editor: a form or an email as people see it, with what someone has typed so far. */
import { html } from 'hono/html'
import type { Settings } from '../../config/all-settings.ts'
import type { SchoolForm } from '../../config/school-form.ts'
import { logoOrigins } from '../../content/brand.ts'
import { modeOf } from '../../content/in-mode.ts'
import { isImage, type Preview, previewOf } from '../../forms/form-preview.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import type { Html } from '../frame/layout.ts'
import { previewSwitches, segments } from '../frame/preview-switches.ts'

/**
 * The panel, in a form with `data-live-preview`. The script posts the fields to `path`, which returns the document. If
 * the page after sending can be shown (`SENT_OR_NOT`), the document follows the person: it scrolls to the id in the
 * `data-shows` of the part that they edit, or shows that page.
 */
export const previewPanel = (
  path: string,
  title: string,
  { languages = [], more = '' }: { languages?: readonly string[]; more?: Html | '' },
): Html =>
  html`<section class="panel preview" aria-labelledby="preview"><div class="preview-head"><h2 id="preview">Preview</h2><a class="from-preview" href="#${FIELDS}">Back to the fields</a><button class="small">Save</button></div>
<div class="preview-choices">
${more}
${previewSwitches(languages)}
<button class="secondary small" formaction="${path}" formtarget="preview" data-preview>Show the preview</button></div>
<iframe name="preview" title="${title}"></iframe></section>`

/** The id of the form around the panel, to get back to its fields: on a phone, the panel is far below them. */
export const FIELDS = 'fields'

export const toPreview: Html = html`<a class="to-preview" href="#preview">Preview</a>`

export const SENT = 'sent'

export const SENT_OR_NOT: Html = segments('Page', 'preview-page', { form: 'Form', [SENT]: 'Thanks' })

/** Returns the document of a form, for the language and the screen that the fields of the panel name. */
export function sendPreview(
  c: ConsoleContext,
  { config }: ConsoleDeps,
  shown: {
    form: SchoolForm
    settings: Settings
    fields: Record<string, string | undefined>
    /** The page after sending, in a language, if the panel asks for it. */
    sentIn?: (language: string) => Preview['sent']
  },
) {
  const { form, settings, fields, sentIn } = shown
  const language = settings.languages.find(one => one === fields['preview-language']) ?? settings.languages[0] ?? 'en'
  const theme = modeOf(fields['preview-theme']) ?? 'light'
  const typed = [form.brand, settings.school.brand]
    .flatMap(brand => [brand?.logo, brand?.logoDark])
    .filter(isImage)
    .map(url => new URL(url).origin)
  const images = [...new Set([...logoOrigins(c.get('frame').brand), ...typed])].join(' ')
  // No script runs in the document. The scripts of the page around it scroll it.
  c.set(
    'policy',
    `default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data: ${images}; frame-ancestors 'self'; sandbox allow-same-origin`,
  )
  return c.html(previewOf(form, { ...config, settings }, { language, theme, sent: sentIn?.(language) }))
}
