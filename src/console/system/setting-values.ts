/** The values of settings, in words. */
import { html } from 'hono/html'
import type { SettingLine } from '../../config/setting.ts'
import type { Settings } from '../../config/settings.ts'
import { dateInWords } from '../../content/date-format.ts'
import type { Step } from '../../follow-up/cadence.ts'
import { effectInWords, whenInWords } from '../../follow-up/cadence-words.ts'
import type { Holiday } from '../../follow-up/holidays.ts'
import { inLanguage, languageName } from '../../leads/body/languages.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import type { Html } from '../frame/layout.ts'
import { holidayInWords, hoursInWords } from '../school/hours-words.ts'

/** The value of a line; undefined if it has none. Passwords in URLs are never shown. */
export function shownValue({ key, parts }: SettingLine, settings: Settings): string | Html | undefined {
  const { logoFile, logoDarkFile } = settings.school.brand
  const file = { 'school.brand.logo': logoFile, 'school.brand.logoDark': logoDarkFile }[key]
  if (file !== undefined) return `a file (${file.replace(/.*\./, '').toUpperCase()}), used instead of a URL`
  const value = valueAt(settings, key)
  if (value === undefined) return undefined
  if (parts === undefined) return said(value, key, settings)
  const values = value as Record<string, unknown>
  const named = Object.entries(parts).filter(([part]) => values[part] !== undefined)
  if (named.length === 0) return undefined
  return key === 'followUp.quietHours'
    ? named.map(([part, name]) => `${name} ${values[part]}`).join(' ')
    : listOf(named.map(([part, name]) => html`${name}: ${said(values[part], key, settings)}`))
}

/** The value at a path of an object, such as `school.hours`. */
export const valueAt = (object: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], object)

/** Settings whose values are more than a word, a number, a text or a list of them. */
const special: Record<string, (value: never, settings: Settings) => string> = {
  languages: (language: string) => languageName(language),
  'school.country': (country: string) => new Intl.DisplayNames('en', { type: 'region' }).of(country) ?? country,
  'pricing.asOf': (day: string, { school }) => dateInWords(day, school),
  'school.hours': (hours: string, { school }) => hoursInWords(hours, school),
  'school.holidays': (holiday: Holiday, { school }) => holidayInWords(holiday, school),
  'followUp.student': step,
  'followUp.site': step,
}

function step(value: Step): string {
  const effect = 'message' in value ? effectInWords(value).replace(/ gets .*/, ' gets an email') : effectInWords(value)
  return `${capital(whenInWords(value))}, ${effect}`
}

function said(value: unknown, key: string, settings: Settings): string | Html {
  const words = (one: unknown): string => special[key]?.(one as never, settings) ?? inWords(one, settings)
  if (!Array.isArray(value)) return words(value)
  return value.length === 0 ? 'none' : listOf(value.map(words))
}

const listOf = (items: (string | Html)[]): string | Html =>
  items.length === 1 ? (items[0] ?? '') : html`<ul class="groups">${items.map(item => html`<li>${item}</li>`)}</ul>`

function inWords(value: unknown, settings: Settings): string {
  if (Array.isArray(value)) return value.map(one => inWords(one, settings)).join(', ')
  if (typeof value !== 'object' || value === null) return withoutPassword(String(value))
  const [language = 'en'] = settings.languages
  // A person, by name and address. Their turn and their absences are shown where they are edited.
  if ('name' in value && 'email' in value) return `${value.name}, ${value.email}`
  if (language in value) return inLanguage(value as Record<string, string>, language)
  const parts = Object.entries(value).filter(([, one]) => one !== undefined)
  if (parts.length === 0) return 'nothing of your own'
  const isFacts = 'name' in value || 'what' in value
  return parts.map(([name, one]) => `${isFacts ? '' : `${name}: `}${inWords(one, settings)}`).join(', ')
}

/** A URL keeps its user, but loses its password and its query, which may contain a token. */
export function withoutPassword(text: string): string {
  if (!/^\w+:\/\//.test(text) || !URL.canParse(text)) return text
  const url = new URL(text)
  if (url.password !== '') url.password = '***'
  if (url.search !== '') url.search = '?***'
  return url.href
}
