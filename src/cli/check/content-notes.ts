/** Notes for the operator about the files in their own content folder. */
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Config } from '../../config/config.ts'
import { fileIn, ourContent, ROOT_LANGUAGE } from '../../content/content-files.ts'
import { templatesOf } from '../../follow-up/cadence.ts'
import { isLanguageTag, languageName } from '../../leads/body/languages.ts'

/** One sentence for each file that is not used, and for each that is not the operator's own in every language. */
export function contentNotes({ settings: { content, followUp, languages } }: Config): string[] {
  const [builtIn, own] = [ourContent, content]
  const others = languages.filter(language => language !== ROOT_LANGUAGE)
  const named = templatesOf(followUp)
  const files = own === undefined ? [] : filesIn(own)
  return [
    ...files.flatMap(file => unused(file, { builtIn, others, named })),
    ...others.flatMap(language => untranslated(language, { builtIn, own, files, named })),
  ]
}

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    : []

function unused(
  file: string,
  { builtIn, others, named }: { builtIn: string; others: string[]; named: string[] },
): string[] {
  const [folder = ''] = file.split('/')
  const language = others.find(one => one === folder)
  if (language === undefined && isLanguageTag(folder))
    return [`content: ${file} is used nowhere: languages does not name '${folder}'`]
  const name = language === undefined ? file : file.slice(language.length + 1)
  const used = named.includes(name) || /^(?:replies|phrases)\//.test(name) || existsSync(join(builtIn, name))
  return used
    ? []
    : [`content: ${file} is used nowhere: no built-in file has that name, and no step of the follow-up names it`]
}

type Folders = { builtIn: string; own: string | undefined; files: string[]; named: string[] }

/** Files for which people who chose a language get our words instead of the school's, or English ones. */
function untranslated(language: string, { builtIn, own, files, named }: Folders): string[] {
  const name = languageName(language)
  const isThere = (folder: string | undefined, file: string) =>
    folder !== undefined && existsSync(join(folder, fileIn(language, file)))
  // The files that have a Spanish version are the ones that people outside the school see.
  const forPeople = new Set([...filesIn(join(builtIn, 'es')), ...named.filter(file => file.startsWith('letters/'))])
  const stillOurs = files
    .filter(file => forPeople.has(file) && isThere(builtIn, file) && !isThere(own, file))
    .map(
      file =>
        `content: ${file} is yours, but ${fileIn(language, file)} is still ours: people who chose ${name} read the words that come with Frontdesk`,
    )
  const [first, ...more] = [...forPeople].filter(
    file => !isThere(builtIn, file) && !isThere(own, file) && !file.startsWith('replies/'),
  )
  if (first === undefined) return stillOurs
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`
  return [
    ...stillOurs,
    `content: ${fileIn(language, first)}${others} does not exist: people who chose ${name} get the English text`,
  ]
}
