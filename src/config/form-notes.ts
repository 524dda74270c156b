/**
 * Notes about settings of the forms that are valid, but give someone words in another language, or leave a question
 * out.
 */
import { rankedFields } from '../leads/body/body-schemas.ts'
import { type Localized, languageName } from '../leads/body/languages.ts'
import type { Settings } from './all-settings.ts'

/** One sentence for each text and question. */
export const formNotes = (settings: Settings): string[] => [
  ...textsOf(settings).flatMap(([path, text]) => languageNotes(path, languagesOf(text, settings), settings)),
  ...questionNotes(settings),
]

/** The texts that the school has set, with the paths of their settings. */
const textsOf = ({ forms }: Settings): [string, Localized][] =>
  (['student', 'site'] as const).flatMap(kind => {
    const { title, introduction, sent, consent } = forms[kind]
    const agreed = consent === 'none' ? undefined : consent.text
    const texts = Object.entries({ title, introduction, sent, 'consent.text': agreed })
    return texts.flatMap(([name, text]): [string, Localized][] =>
      text === undefined ? [] : [[`forms.${kind}.${name}`, text]],
    )
  })

/** A text without languages is in the school's first one. */
const languagesOf = (text: Localized, { languages }: Settings): string[] =>
  typeof text === 'string' ? languages.slice(0, 1) : Object.keys(text)

function languageNotes(path: string, given: string[], { languages }: Settings): string[] {
  const missing = languages
    .filter(language => !given.includes(language))
    .map(
      language =>
        `${path} has no text for '${language}': people who chose ${languageName(language)} read it in another language.`,
    )
  const unused = given
    .filter(language => !languages.includes(language))
    .map(language => `${path} has a text for '${language}', which languages does not name.`)
  return [...missing, ...unused]
}

function questionNotes(settings: Settings): string[] {
  const { forms, studentInterest } = settings
  return rankedFields.flatMap(question => {
    const { allowed, labels = {} } = studentInterest.answers[question] ?? {}
    const field = forms.student.fields[question]
    if (allowed === undefined) {
      return field === 'required'
        ? [
            `forms.student.fields.${question} is 'required', but studentInterest.answers.${question} lists no answers: the form does not ask it.`,
          ]
        : []
    }
    if (field === 'hidden') return []
    const given = [...settings.languages.slice(0, 1), ...Object.keys(labels)]
    return languageNotes(`studentInterest.answers.${question}.labels`, given, settings)
  })
}
