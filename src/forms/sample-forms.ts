/** How the forms look with the school's settings and words, for the people who decide about them. */
import type { Config } from '../config/config.ts'
import { formsOf } from '../config/school-forms.ts'
import { type ContentFolder, fileIn, languageOfFile } from '../content/content-files.ts'
import { FORM_WORDS as FILE } from '../content/form-titles.ts'
import type { FieldProblems } from './field-problems.ts'
import { createFacts, type FormFacts } from './form-facts.ts'
import type { FormRequest } from './form-request.ts'
import { createFormPages } from './pages.ts'
import { firstStep } from './two-steps.ts'

export type SampleForm = {
  /** The file with its words, relative to a content folder, and the kind of form. */
  file: string
  /** Whole documents: the form, the form with every problem, and the pages after it. */
  pages: string[]
}

/** Throws an Error that names the file if the words or the styles cannot be read. */
export function sampleForms(config: Config, contentDirs: ContentFolder[]): SampleForm[] {
  const { languages } = config.settings
  const facts = createFacts(config.settings, contentDirs)
  const pages = createFormPages(config, contentDirs)
  return languages.flatMap(language =>
    formsOf(config.settings).map(({ name, kind }): SampleForm => {
      const form = facts(name, language) as FormFacts
      const page = { facts: form, asked: asked(language), fragment: false, step: firstStep(form) }
      const state = { token: '', values: {}, fieldProblems: {}, troubles: [] }
      const wrong = { ...state, fieldProblems: allFieldProblems(page.facts) }
      const responses = [
        pages.form(page, state),
        pages.form(page, wrong),
        ...(page.step === 'first' ? [pages.form({ ...page, step: 'rest' }, state)] : []),
        pages.sent(page),
        ...(kind === 'student' ? [pages.account(page, {})] : []),
      ]
      return {
        file: `${fileIn(languageOfFile(FILE, language, contentDirs), FILE)} (${kind === name.replace('-interest', '') ? kind : name}, ${language})`,
        pages: responses.map(({ body }) => String(body)),
      }
    }),
  )
}

const asked = (language: string): FormRequest => ({
  language,
  placement: 'hosted',
  cameFrom: {},
  program: undefined,
  prefilled: [],
  kiosk: false,
  preview: false,
  sent: undefined,
  rest: undefined,
  before: [],
  theme: 'auto',
  site: undefined,
})

/** The sentence that each field shows when it is empty, whether it is required or not. */
const allFieldProblems = ({ fields }: FormFacts): FieldProblems =>
  Object.fromEntries(fields.map(({ name, words }) => [name, words.empty]))
