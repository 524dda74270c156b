/** The switches of a preview, the same beside every editor. Each offers a few choices. */
import { html, raw } from 'hono/html'
import { languageName } from '../../leads/body/languages.ts'
import type { Html } from './layout.ts'

/** A switch, with its first choice selected. The field `name` has the selected choice. */
export const segments = (label: string, name: string, choices: Record<string, string>): Html =>
  html`<fieldset class="segments"><legend class="hidden">${label}</legend>${Object.entries(choices).map(
    ([value, words], i) =>
      html`<label><input type="radio" name="${name}" value="${value}"${i === 0 ? raw(' checked') : ''}>${words}</label>`,
  )}</fieldset>`

/** What every preview can show. `id` distinguishes the previews of a page. */
export const previewSwitches = (languages: readonly string[], id = ''): Html =>
  html`${segments('Screen', `preview-width${id}`, { phone: 'Phone', desktop: 'Desktop' })}
${segments('Look', `preview-theme${id}`, { light: 'Light', dark: 'Dark' })}
${
  languages.length < 2
    ? ''
    : segments(
        'Language of the preview',
        `preview-language${id}`,
        Object.fromEntries(languages.map(tag => [tag, languageName(tag)])),
      )
}`
