/** The languages in which a school writes to people, as BCP 47 tags such as `en`, `es` and `pt-BR`. */

/** The language to write in: the wanted one if the school has it, otherwise the school's first. */
export const languageFor = (wanted: string | null | undefined, languages: readonly string[]): string =>
  languages.find(one => one === wanted) ?? languages[0] ?? 'en'

/** Words of the school: the same in all languages, or different for each language. */
export type Localized = string | Readonly<Record<string, string>>

/** The words in a language or, if it has none, in the first language that has some. */
export const inLanguage = (words: Localized, language: string): string =>
  typeof words === 'string' ? words : (words[language] ?? Object.values(words)[0] ?? '')

/** The words in a language, if there are some. Words without one are in the first of `languages`, the school's. */
export const ownWords = (
  words: Localized | undefined,
  language: string,
  languages: readonly string[],
): string | undefined =>
  typeof words === 'string' ? (language === languages[0] ? words : undefined) : words?.[language]

const NAMES = new Intl.DisplayNames('en', { type: 'language' })

/** The English name of a language, for the staff: `Spanish`. */
export const languageName = (tag: string): string => NAMES.of(tag) ?? tag

/** The language of a lead, for the staff; null if it is the school's first language. */
export const otherLanguage = (language: string | null, languages: readonly string[]): string | null =>
  language === null || language === languages[0] ? null : languageName(language)

/** Whether a text is the tag of a living language in its usual writing (RFC 5646 section 2.1.1). */
export function isLanguageTag(text: string): boolean {
  try {
    return /^[a-z]{2,3}\b/.test(text) && Intl.getCanonicalLocales(text)[0] === text
  } catch {
    return false
  }
}

/** The direction in which a language is written, as a value of HTML's `dir` attribute. */
export const writingDirection = (tag: string): 'ltr' | 'rtl' =>
  new Intl.Locale(tag).getTextInfo().direction === 'rtl' ? 'rtl' : 'ltr'
