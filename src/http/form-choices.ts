/** What someone can choose for the link to a form and for the code that shows it: in the console, and on `/forms`. */
import type { Settings } from '../config/settings.ts'
import { languageName } from '../leads/body/languages.ts'
import { programNames } from '../leads/lead/programs.ts'

/** A field of the URL of a form, as `forms/form-request.ts` reads it. */
export type FormChoice = { name: 'utm_source' | 'utm_campaign' | 'program' | 'lang' | 'theme'; label: string } & (
  | { /** Something to type. */ example: string }
  | { usual: string; options: [value: string, words: string][] }
)

const THEMES: [string, string][] = [
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['auto', 'As the screen of the person'],
]

/** Choices without options are left out. `programs`: whether the form is for students. */
export function formChoices(settings: Settings, { programs }: { programs: boolean }): FormChoice[] {
  const { languages } = settings
  const all = programs ? programNames(settings) : []
  const tags = languages.length < 2 ? [] : languages
  const choices: FormChoice[] = [
    { name: 'utm_source', label: 'Source', example: 'newsletter' },
    { name: 'utm_campaign', label: 'Campaign', example: 'spring-2027' },
    { name: 'program', label: 'Program', usual: 'As the form says', options: all.map(one => [one, one]) },
    { name: 'lang', label: 'Language', usual: 'Automatic', options: tags.map(tag => [tag, languageName(tag)]) },
    { name: 'theme', label: 'Colors', usual: 'Automatic', options: THEMES },
  ]
  return choices.filter(one => 'example' in one || one.options.length > 0)
}
