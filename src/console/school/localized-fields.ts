/** Fields for a text in each language of the school. */
import { html } from 'hono/html'
import type { Settings } from '../../config/settings.ts'
import { inLanguage, type Localized, languageName, ownWords } from '../../leads/body/languages.ts'
import type { Html } from '../frame/layout.ts'

type Fields = Record<string, string | undefined>

/** The content of the fields of `name`: one text if only the first language has one; undefined if none has. */
export function readLocalized(name: string, fields: Fields, { languages }: Settings): Localized | undefined {
  const given = languages.flatMap(language => {
    const text = (fields[`${name}-${language}`] ?? '').trim()
    return text === '' ? [] : [[language, text] as const]
  })
  const [first, ...others] = given
  if (first === undefined) return undefined
  return others.length === 0 && first[0] === languages[0] ? first[1] : Object.fromEntries(given)
}

type LocalizedField = {
  name: string
  label: string
  value: Localized | undefined
  rows?: number
  most: number
  /** The text that is used for a language while its field is empty. */
  placeholder?: (language: string) => string
  /** What someone may write: shown until a language has words. After that, an empty field says what people read. */
  example?: (language: string) => string | undefined
}

/** A field for each language; a text without languages is in the first language of the school. */
export const localizedFields = (
  { name, label, value, rows, most, placeholder, example }: LocalizedField,
  { languages }: Settings,
): Html =>
  html`${languages.map(language => {
    const id = `${name}-${language}`
    const text = ownWords(value, language, languages) ?? ''
    const empty = placeholder === undefined ? '' : html` placeholder="${placeholder(language)}"`
    const others = value === undefined || text !== '' ? '' : inLanguage(value, language)
    const such = text !== '' || others !== '' ? undefined : example?.(language)
    const hint = (words: string) => html`<p class="hint" id="${id}-hint">${words}</p>`
    const [above, below] = [
      such === undefined ? '' : hint(`Such as “${such}”`),
      example === undefined || others === '' ? '' : hint(`If empty, people read “${others}”.`),
    ]
    const described = above === '' && below === '' ? '' : html` aria-describedby="${id}-hint"`
    const start = html`<label for="${id}">${label}${languages.length > 1 ? ` (${languageName(language)})` : ''}</label>${above}`
    return rows === undefined
      ? html`<div>${start}<input id="${id}" name="${id}" value="${text}" maxlength="${most}"${empty}${described} autocomplete="off">${below}</div>`
      : html`<div>${start}<textarea id="${id}" name="${id}" rows="${rows}" maxlength="${most}"${empty}${described}>${text}</textarea>${below}</div>`
  })}`
