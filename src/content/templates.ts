/**
 * Templates: Markdown files with Liquid in them, below a head, and the HTML layouts around them. Each file is read when
 * the service starts, so that a missing file stops the start. It is parsed, with the files that it includes, when it is
 * first rendered: most are not needed for hours, and parsing all of them would delay the start.
 */
import type { Liquid } from 'liquidjs'
import { writingDirection } from '../leads/body/languages.ts'
import { lazy } from '../platform/lazy.ts'
import {
  type ContentFolder,
  fileIn,
  foldersFor,
  languageOfFile,
  namingFile,
  ROOT_LANGUAGE,
  readContent,
} from './content-files.ts'
import { withFixedParts } from './fixed-parts.ts'
import { type HeadLines, splitHead } from './front-matter.ts'
import { createLiquid, type Target } from './liquid.ts'
import { messageHtml } from './message-markdown.ts'
import { oneLine, shorten } from './one-line.ts'
import { phrasesIn } from './phrases.ts'

/** `strictVariables`: throw where a variable does not exist, instead of leaving it out. */
type Options = { strictVariables: boolean }
const strict: Options = { strictVariables: true }

/**
 * Reads templates from the first of `contentDirs` that holds the file. `target` says how the values of variables are
 * escaped in the Markdown. We look in `language` first for what a template includes.
 *
 * Everything that it returns throws an Error that names the file and the problem.
 */
export function createTemplates(
  contentDirs: ContentFolder[],
  target: Extract<Target, 'markdown' | 'trustedMarkdown'>,
  language = ROOT_LANGUAGE,
) {
  const folders = foldersFor(language, contentDirs)
  const engines = {
    line: createLiquid(folders, 'line'),
    markdown: createLiquid(folders, target),
    html: createLiquid(folders, 'html'),
  }
  const phrases = lazy(() => phrasesIn(folders))
  const read = (name: string) => namingFile(name, () => readContent(name, contentDirs))
  return {
    text: (name: string) => {
      const source = read(name)
      const parsed = lazy(() => engines.markdown.parse(source))
      return (variables: object): string =>
        namingFile(name, () => engines.markdown.renderSync(parsed(), variables, strict))
    },

    /** A whole file of HTML. Each rendering has the variables of `frame`, and others. */
    layout: (name: string, frame: object = {}) => {
      const source = read(name)
      const parsed = lazy(() => engines.html.parse(source))
      const quick = lazy(() => withFixedParts(engines.html, parsed(), frame))
      return (variables: object, options = strict): string =>
        namingFile(name, () => {
          const template = options.strictVariables ? parsed() : quick()
          return engines.html.renderSync(template, { ...variables, ...frame }, options)
        })
    },

    /** A file with a head of these lines, which may use phrases. Renders each line, and the body as Markdown. */
    markdown: <Line extends string>(name: string, lines: HeadLines<Line>) => {
      const source = read(name)
      const parsed = lazy(() => {
        const { head, body } = splitHead(source, lines)
        return {
          head: lines.map(line => [line, engines.line.parse(head[line])] as const),
          body: engines.markdown.parse(body),
        }
      })
      return (variables: object, options = strict) =>
        namingFile(name, () => {
          const { head, body } = parsed()
          const withPhrases = (engine: Liquid) => phrases()(variables, engine, options)
          const inLine = withPhrases(engines.line)
          const rendered = head.map(([line, part]) => [line, engines.line.renderSync(part, inLine, options)])
          return {
            head: Object.fromEntries(rendered) as Record<Line, string>,
            markdown: engines.markdown.renderSync(body, withPhrases(engines.markdown), options) as string,
          }
        })
    },
  }
}

/** The first line of a head, the subject or the title, is cut to this many characters. */
const MAX_TITLE = 120

type Frame<Line extends string> = {
  layout: string
  lines: HeadLines<Line>
  frame: object
  finish?: (html: string) => string
}

/**
 * Loads templates that show a visitor's words, escaped, in this layout. The loader that it returns takes the name of a
 * file, sample variables and the language that is wanted. The samples should take every branch between them: the
 * template is tried out with each, and must not use a variable that does not exist. If a file does not exist in a
 * language, the English one is used, with English includes.
 *
 * Both throw an Error that names the file and the problem.
 */
export function templateLoader<Line extends string>(
  contentDirs: ContentFolder[],
  { layout: layoutName, lines, frame, finish = html => html }: Frame<Line>,
) {
  const inLanguage = (language: string) => {
    const templates = createTemplates(contentDirs, 'markdown', language)
    const ofLanguage = { ...frame, lang: language, dir: writingDirection(language) }
    return { templates, layout: templates.layout(layoutName, ofLanguage) }
  }
  const loaded = new Map<string, ReturnType<typeof inLanguage>>()
  const ready = (language: string) => {
    const found = loaded.get(language) ?? inLanguage(language)
    loaded.set(language, found)
    return found
  }
  ready(ROOT_LANGUAGE)

  return (file: string, samples: object[], wanted = ROOT_LANGUAGE) => {
    const language = languageOfFile(file, wanted, contentDirs)
    const { templates, layout } = ready(language)
    const name = fileIn(language, file)
    const template = templates.markdown(name, lines)
    const render = (variables: object, options: Options) => {
      const { head, markdown } = template(variables, options)
      head[lines[0]] = shorten(oneLine(head[lines[0]]), MAX_TITLE)
      const body = messageHtml(markdown)
      const page = layout({ ...variables, ...head, body }, options)
      return { head, body, html: namingFile(layoutName, () => finish(page)) }
    }
    // A message that lacks a word is better than no message: only the trial is strict.
    const lenient = (variables: object) => render(variables, { strictVariables: false })
    for (const sample of samples) render(sample, strict)
    // If what this prepares in advance is wrong, it fails here.
    const [sample] = samples
    if (sample !== undefined) lenient(sample)
    return lenient
  }
}
