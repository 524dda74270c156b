/** How staff know a form: by the title that people read in the school's first language. */
import { inLanguage, type Localized } from '../leads/body/languages.ts'
import type { Kind } from '../leads/body/submission.ts'
import { contentDirs, foldersFor, isIn, ROOT_LANGUAGE, readContent } from './content-files.ts'

/** The words of the forms: the name of the file in a content folder, and in the folder of a language. */
export const FORM_WORDS = 'forms.json'

type Form = { name: string; kind: Kind; title?: Localized | undefined }
type School = { languages: readonly string[]; content?: string | undefined }

export const titleOfForm = ({ title, kind }: Pick<Form, 'kind' | 'title'>, school: School): string => {
  const [first = ROOT_LANGUAGE] = school.languages
  return title === undefined ? titleInWords(kind, first, school) : inLanguage(title, first)
}

/** The same for the name of a form, as an inquiry has it. A form that was removed is known only by its name. */
export function titleOfNamed(name: string, forms: readonly Form[], school: School): string {
  const form = forms.find(one => one.name === name)
  return form === undefined ? name : titleOfForm(form, school)
}

/** The title of a form without its own, from the first file that has one. */
function titleInWords(kind: Kind, language: string, { content }: School): string {
  const files = foldersFor(language, contentDirs(content)).filter(folder => isIn(folder, FORM_WORDS))
  const titles = files.map(folder => {
    const words = JSON.parse(readContent(FORM_WORDS, [folder]))
    return (kind === 'site' ? words.employers?.[kind]?.title : undefined) ?? words[kind]?.title
  })
  return titles.find(title => typeof title === 'string') ?? kind
}
