/** Where people find a form: its link, a code to print, and the lines for a website. */
import { html, raw } from 'hono/html'
import { renderSVG } from 'uqr'
import type { SchoolForm } from '../../config/school-form.ts'
import { FIRST_FORM } from '../../config/school-forms.ts'
import { titleOfForm } from '../../content/form-titles.ts'
import { codeFigure } from '../../content/page-code.ts'
import { frameHeight } from '../../http/frame-height.ts'
import { FORM_SCRIPT, formUrl } from '../../http/urls.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { type Html, page } from '../frame/layout.ts'
import { get } from '../frame/routes.ts'
import { FORMS_PATH, formNamed } from './forms-page.ts'
import { CHOSEN, type Chosen, choiceForm, chosenIn, withChosen } from './link-choices.ts'

const action = 'edit school'

export const formEmbedRoutes: ConsoleRoute[] = [
  get(`${FORMS_PATH}/embed/:name{[a-z0-9-]{1,60}}`, action, embedPage),
  get(`${FORMS_PATH}/code/:name{[a-z0-9-]{1,60}}`, action, codeFile),
]

function embedPage(c: ConsoleContext, deps: ConsoleDeps) {
  const form = formNamed(c.req.param('name'), deps)
  const path = `${FORMS_PATH}/embed/${form.name}`
  const chosen = chosenIn(c, form, deps.settings)
  const plain = formUrl(deps.config, form)
  const url = withChosen(plain, chosen)
  const kiosk = withChosen(plain, chosen, { kiosk: 'yes', utm_source: 'open-day' })
  const codePath = withChosen(`${FORMS_PATH}/code/${form.name}`, chosen)
  const title = titleOfForm(form, deps.settings)
  // The text that people read is in the chosen language.
  const label = chosen.lang === '' ? title : titleOfForm(form, { ...deps.settings, languages: [chosen.lang] })
  return page(
    c,
    { title: `${title}: link, code, website`, current: FORMS_PATH },
    html`<p class="back"><a href="${FORMS_PATH}">Back to the forms</a></p>
${choiceForm(path, chosen, form, deps.settings)}
<div id="${CHOSEN}"><section class="panel"><h2>Link</h2><p>For emails, social media and the menu of your website.</p>
${code('The form as a page', url)}
<p><a href="${url}">Open the form</a></p></section>
<section class="panel poster"><h2>Code to print</h2><p>For a poster, a flyer or the table at an open day: a phone's camera opens the form. If you print this page, only the code is on it.</p>
<p class="on-paper">${deps.settings.school.name}</p><p class="on-paper poster-title">${label}</p>
<img class="form-code" src="${codePath}" alt="QR code of ${url}" width="240" height="240">
<p class="on-paper">${url}</p>
<div class="actions"><a class="button secondary" href="${codePath}" download="${form.name}.svg">Download as SVG</a></div></section>
<section class="panel"><h2>In your website</h2><p>Paste this where the form should appear. It adopts the width, the font and the language of your page.</p>
${code('The form', elementLines(form, { plain, url, label, chosen }))}
<p>So that it shows a second or two sooner on a slow phone, put this above it, or into the head of the page, with the language of the page:</p>
${code('Sooner on a slow phone', preloadLine(form, plain, chosen, deps))}
<p>If your website builder puts code into a frame of its own, use an iframe. It is as high as what it shows.</p>
${code('The form in an iframe', `${scriptLine(plain)}\n${frameLines(withChosen(plain, chosen, { embed: 'iframe' }), { label, isDark: chosen.theme === 'dark', height: frameHeight(form, deps.settings) })}`)}
<p>If your website does not allow scripts, leave out the first line. The height then fits the whole form on a phone, even with a sentence beside each field that is wrong; otherwise, some of the frame stays empty below the form.</p>
<p class="quiet small">More about both, and how to change their look: <a href="${deps.config.baseUrl}/forms">${deps.config.baseUrl}/forms</a>.</p></section>
<section class="panel"><h2>On a tablet at an open day</h2><p>Open this on a device that people pass around. The form is empty again for each person, and inquiries wait on the device while it has no connection. To leave, close the page.</p>
${code('Link for the tablet', kiosk)}
<p><a href="${kiosk}">Open it here</a></p></section></div>`,
  )
}

const code = (title: string, lines: string): Html => raw(codeFigure(title, lines, 'html'))

type Lines = { plain: string; url: string; label: string; chosen: Chosen }

function elementLines({ kind, name }: SchoolForm, { plain, url, label, chosen }: Lines): string {
  const { utm_source, utm_campaign, program, lang, theme } = chosen
  const campaign = new URLSearchParams(Object.entries({ utm_source, utm_campaign }).filter(([, value]) => value !== ''))
  const attributes = { form: name === FIRST_FORM[kind] ? '' : name, program, lang, theme, campaign: String(campaign) }
  const more = Object.entries(attributes).map(([what, value]) => (value === '' ? '' : html` ${what}="${value}"`))
  return html`${raw(scriptLine(plain))}
<frontdesk-form kind="${kind}"${more}>
  <a href="${url}">${label}</a>
</frontdesk-form>`.toString()
}

const scriptLine = (url: string): string =>
  html`<script src="${new URL(FORM_SCRIPT, url).href}" async></script>`.toString()

/** The element loads the same URL, in the language of its page. */
function preloadLine(
  { language }: SchoolForm,
  url: string,
  { lang, program }: Chosen,
  { settings }: ConsoleDeps,
): string {
  const shown = { lang: lang || (language ?? settings.languages[0] ?? 'en'), program }
  return html`<link rel="preload" as="fetch" crossorigin
  href="${withChosen(url, {}, { embed: 'element', ...shown })}">`.toString()
}

/** A dark iframe is transparent on a dark page only if both have the same color scheme. */
const frameLines = (
  url: string,
  { label, isDark, height }: { label: string; isDark: boolean; height: number },
): string =>
  html`<iframe src="${url}"
  title="${label}" width="100%" height="${height}" style="border: 0${isDark ? '; color-scheme: dark' : ''}"></iframe>`.toString()

/** The QR code of the form's URL, with the choices made on the page, such as a campaign that is only for print. */
function codeFile(c: ConsoleContext, deps: ConsoleDeps) {
  const form = formNamed(c.req.param('name'), deps)
  const chosen = chosenIn(c, form, deps.settings)
  const svg = renderSVG(withChosen(formUrl(deps.config, form), chosen, { utm_medium: 'qr' }), { border: 4, ecc: 'M' })
  c.set('policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
  return c.body(svg, 200, { 'Content-Type': 'image/svg+xml' })
}
