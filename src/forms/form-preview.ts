/** How a form looks while someone is still editing it. */
import { html } from 'hono/html'
import type { Config } from '../config/config.ts'
import type { FormBrand, SchoolForm } from '../config/school-form.ts'
import { contentDirs as foldersOf } from '../content/content-files.ts'
import { isColor } from '../platform/is-color.ts'
import { hasPlainHost } from '../platform/is-url.ts'
import { createFacts, type FormFacts } from './form-facts.ts'
import type { Theme } from './form-request.ts'
import { createFormPages } from './pages.ts'
import { firstStep, type Step } from './two-steps.ts'

export type Preview = {
  language: string
  theme: Theme
  /** Shows the page after sending to someone who will be called at the time `when`, if anyone calls. */
  sent?: { when: string | undefined } | undefined
}

/** The document of the empty form, in a language of the school. The form is not checked; all of it is escaped. */
export function previewOf(form: SchoolForm, config: Config, { language, theme, sent }: Preview): string {
  // While someone edits the form, the URL of its page after sending may not be complete yet.
  const { sentUrl, brand, ...others } = form
  const shown: SchoolForm = { ...others, ...(brand && { brand: brandSoFar(brand) }) }
  const settings = { ...config.settings, schoolForms: [shown] }
  const contentDirs = foldersOf(settings.content)
  const facts = createFacts(settings, contentDirs)(form.name, language) as FormFacts
  const asked = {
    language,
    theme,
    placement: 'hosted',
    cameFrom: {},
    program: form.program,
    prefilled: [],
    kiosk: false,
    preview: true,
    sent: undefined,
    rest: undefined,
    before: [],
    site: undefined,
  } as const
  const values = form.program === undefined ? {} : { program: form.program }
  const state = { token: '', values, fieldProblems: {}, troubles: [], everything: true }
  const pages = createFormPages({ ...config, settings }, contentDirs)
  const pageOf = (step: Step) => String(pages.form({ facts, asked, fragment: false, step }, state).body)
  const first = firstStep(facts)
  if (sent !== undefined) {
    const next = {
      ...SOMEONE,
      when: sent.when,
      bestTime: undefined,
      completed: first === 'first',
      corrected: false,
      sealed: '',
    }
    const page = String(pages.sent({ facts, asked, fragment: false, step: first }, {}, next).body)
    const instead = sentUrl === undefined ? '' : note(`People see your page instead: ${sentUrl}`)
    return page.replace('</main>', () => `${instead}</main>`)
  }
  const page = pageOf(first)
  const [, rest = ''] = first === 'whole' ? [] : (MAIN.exec(pageOf('rest')) ?? [])
  return page.replace('</main>', () => `${rest === '' ? '' : note('The second step:')}${rest}</main>`)
}

/** The part of the look that can already be shown. */
const brandSoFar = ({ color, logo, logoDark }: FormBrand): FormBrand => ({
  ...(color !== undefined && isColor(color) && { color }),
  ...(isImage(logo) && { logo, ...(isImage(logoDark) && { logoDark }) }),
})

/** Whether the URL is one of an image that the preview may load. */
export const isImage = (url: string | undefined): url is string =>
  url?.startsWith('https://') === true && hasPlainHost(url)

/** The person who has sent the form in its preview. */
const SOMEONE = { phone: '(512) 555-0100', email: 'ana@example.com' }

/** In English, for the manager, whatever the language of the form. */
const note = (words: string): string =>
  html`<p lang="en" style="border-top: 1px dashed var(--edge); color: var(--quiet); font-size: 0.9375em; margin: 2.5rem 0 1.5rem; padding-top: 0.75rem">${words}</p>`.toString()

/** Both steps are shown, one below the other. */
const MAIN = /<main[^>]*>(.*)<\/main>/s
