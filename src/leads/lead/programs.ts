/** The school's programs that someone is interested in. */
import { inLanguage, type Localized } from '../body/languages.ts'
import type { Submission } from '../body/submission.ts'
import { labelKey } from './labels.ts'

type Programs = {
  programs: readonly { name: Localized }[]
  /** The first language is the school's own. */
  languages: readonly string[]
}

/** The names of the programs in the school's first language, which labels use. */
export const programNames = ({ programs, languages }: Programs): string[] =>
  programs.map(({ name }) => inLanguage(name, languages[0] ?? 'en'))

/**
 * The programs that a submission names, by their names in the school's first language. The answer to the form's
 * question comes first. Others are found in the message, in any language of the settings, in the path of the page, or
 * in the name of the campaign that it came from.
 */
export function programsNamed(
  { body, form }: Pick<Submission, 'body' | 'form'>,
  { programs, languages }: Programs,
): string[] {
  if (programs.length === 0) return []
  const path = form?.page === undefined ? '' : (URL.parse(form.page)?.pathname ?? '')
  const texts = [body.message, path, form?.campaign?.campaign].map(text => plain(text ?? ''))
  const names = programNames({ programs, languages })
  const named = names.filter((_, index) => {
    const name = programs[index]?.name ?? ''
    const written = typeof name === 'string' ? [name] : Object.values(name)
    return written.some(one => texts.some(text => text.includes(plain(one))))
  })
  const chosen = names.filter(name => name === form?.program)
  return [...new Set([...chosen, ...named])]
}

/** Words with one space around each, so that only whole words are found. */
const plain = (text: string): string =>
  ` ${labelKey(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `
