/**
 * Phrases: finished words that the author of an email puts into it like any other variable. Each file in `phrases/` is
 * the variable of its name, `who-calls.md` that of `who_calls`, and may use the email's variables.
 */
import type { Liquid, RenderOptions } from 'liquidjs'
import { type ContentFolder, markdownIn, namingFile } from './content-files.ts'

const FOLDER = 'phrases'

/** Markdown in which every value is escaped already. */
export class FinishedMarkdown {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** Adds the phrases of these folders to the variables of a text. A phrase without words is empty. */
export function phrasesIn(folders: ContentFolder[]) {
  const names = [...new Set(folders.flatMap(folder => markdownIn(folder, FOLDER)))]
  return (variables: object, liquid: Liquid, options: RenderOptions): object => {
    const phrase = (name: string) => () => {
      const file = `${FOLDER}/${name}.md`
      const text = String(namingFile(file, () => liquid.renderFileSync(file, variables, options))).trim()
      return text === '' ? null : new FinishedMarkdown(text)
    }
    const phrases = names.map(name => [name.replaceAll('-', '_'), phrase(name)])
    return { ...Object.fromEntries(phrases), ...variables }
  }
}
