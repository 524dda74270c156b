/** Liquid as all content uses it: one set of filters, and escaping that fits the target. */

import { type FS, Liquid } from 'liquidjs'
import { SECOND } from '../platform/time.ts'
import { type ContentFolder, isIn, readContent } from './content-files.ts'
import { codeSpan, escapeCell, escapeMarkdown, paragraphsMarkdown, quoteMarkdown } from './escape-markdown.ts'
import { oneLine } from './one-line.ts'

/**
 * The text that variables are put into. It decides how their values are escaped. In `trustedMarkdown` they are not
 * escaped: the values are our own words and the operator's, never a visitor's.
 */
export type Target = 'html' | 'line' | 'markdown' | 'trustedMarkdown'

const escapes = {
  html: { outputEscape: 'escape' },
  line: { outputEscape: oneLine },
  markdown: { outputEscape: escapeMarkdown },
  trustedMarkdown: {},
} as const

/**
 * How much one rendering may make, in list items and characters, and how long it may take, in milliseconds: a typo in a
 * loop must not end the service, or keep it from accepting inquiries. Nearly every rendering takes less than 20.
 */
const MOST_MEMORY = 20_000_000
export const LONGEST_RENDERING = 2 * SECOND

/** An engine for one kind of text. It finds included files in the first folder that holds them. */
export function createLiquid(contentDirs: ContentFolder[], target: Target): Liquid {
  const liquid = new Liquid({
    root: contentDirs.map(rootOf),
    fs: filesOf(contentDirs),
    relativeReference: false,
    cache: true,
    strictFilters: true,
    memoryLimit: MOST_MEMORY,
    renderLimit: LONGEST_RENDERING,
    ...escapes[target],
  })
  liquid.registerFilter('quote', { raw: true, handler: quoteMarkdown })
  liquid.registerFilter('paragraphs', { raw: true, handler: paragraphsMarkdown })
  liquid.registerFilter('code', codeSpan)
  liquid.registerFilter('cell', escapeCell)
  // Liquid's own `raw` would put a visitor's text into Markdown without escaping it.
  if (target === 'markdown') liquid.registerFilter('raw', (value: unknown) => value)
  return liquid
}

/** The name of a folder in errors. */
const rootOf = (folder: ContentFolder, i: number): string =>
  typeof folder === 'string' ? folder : `what was edited in the console (${i})`

/** The files of these folders, each identified by the root of its folder and its name. */
function filesOf(contentDirs: ContentFolder[]): FS {
  const roots = contentDirs.map((folder, i) => ({ folder, start: `${rootOf(folder, i)}/` }))
  const find = (path: string): [ContentFolder, string] => {
    const { folder, start } = roots.find(root => path.startsWith(root.start)) ?? { folder: new Map(), start: '' }
    return [folder, path.slice(start.length)]
  }
  const existsSync = (path: string) => isIn(...find(path))
  const readFileSync = (path: string) => {
    const [folder, name] = find(path)
    return readContent(name, [folder])
  }
  return {
    existsSync,
    readFileSync,
    exists: async path => existsSync(path),
    readFile: async path => readFileSync(path),
    // A name that leads out of the content folders becomes the name of a file that does not exist.
    resolve: (root, file) =>
      `${root}/${/(^|[\\/])\.\.([\\/]|$)/.test(file) ? `(outside) ${file.replaceAll('/', ' ')}` : file}`,
    sep: '/',
  }
}
