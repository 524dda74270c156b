/**
 * Templates: Markdown files with Liquid in them, under a head that names the subject of a message or
 * the title of a page. They are found, parsed and tried out once, at the start, so that a broken one
 * is noticed then.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Liquid, type Template as Parsed } from 'liquidjs'
import { escapeMarkdown, parseMarkdown, quoteMarkdown, renderHtml } from './markdown.ts'
import { oneLine, shorten } from './one-line.ts'
import { plainText } from './plain-text.ts'

export type Rendered = { subject: string; text: string; html: string }

/** Renders one message. What the variables hold shows up as text, never as markup. */
export type Template = (variables: object) => Rendered

/**
 * Reads messages from the first of `contentDirs` that holds the file; what they include is found
 * the same way. The loader it returns takes a file's name and sample variables, which between them
 * should take every branch: with these the template must render without an undefined variable.
 *
 * Both throw an Error that names the file and what is wrong with it.
 */
export function templateLoader(contentDirs: string[]) {
  const load = fileLoader(contentDirs, 'layouts/mail.html', ['subject', 'preheader'])
  return (name: string, samples: object[]): Template => {
    const render = load(name, samples)
    return variables => {
      const { head, body, html } = render(variables)
      return { subject: head.subject, text: plainText(body), html }
    }
  }
}

/** The first line of a head, the subject or the title, is cut to so many characters. */
const MAX_TITLE = 120

/**
 * Reads files of one kind as `templateLoader` does: those whose head has these lines, the first of
 * them always, and that go into this layout.
 */
export function fileLoader<Line extends string>(
  contentDirs: string[],
  layoutName: string,
  lines: readonly [Line, ...Line[]],
) {
  const engines = createEngines(contentDirs)
  const layout = about(layoutName, () => engines.html.parse(readContent(layoutName, contentDirs)))

  return (name: string, samples: object[]) =>
    about(name, () => {
      const source = parse(readContent(name, contentDirs), lines, engines)
      const render = (variables: object, strictVariables: boolean) => {
        const options = { strictVariables }
        const head = Object.fromEntries(
          lines.map(line => {
            const text = engines.line.renderSync(source.head[line], variables, options)
            return [line, line === lines[0] ? shorten(oneLine(text), MAX_TITLE) : text]
          }),
        ) as Record<Line, string>
        const body = parseMarkdown(engines.markdown.renderSync(source.body, variables, options))
        const page = { ...variables, ...head, body: renderHtml(body) }
        return { head, body, html: engines.html.renderSync(layout, page, options) as string }
      }
      for (const sample of samples) render(sample, true)
      // A message that lacks a word is better than none: strictness is for the trial.
      return (variables: object) => render(variables, false)
    })
}

type Engines = Record<'line' | 'html' | 'markdown', Liquid>

/** One engine for each language that variables are put into, because each escapes differently. */
function createEngines(contentDirs: string[]): Engines {
  const common = { root: contentDirs, relativeReference: false, cache: true, strictFilters: true }
  const markdown = new Liquid({ ...common, outputEscape: escapeMarkdown })
  markdown.registerFilter('quote', { raw: true, handler: quoteMarkdown })
  // Liquid's own `raw` would let through unescaped what visitors wrote.
  markdown.registerFilter('raw', (value: unknown) => value)
  return {
    line: new Liquid({ ...common, outputEscape: oneLine }),
    html: new Liquid({ ...common, outputEscape: 'escape' }),
    markdown,
  }
}

/** Does something with a file; what it throws names the file. */
export function about<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`)
  }
}

/** The text of a file, from the first of the folders that holds it. Throws where none does. */
export const readContent = (name: string, contentDirs: string[]): string =>
  readContentBytes(name, contentDirs)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')

/** As `readContent`, for what is no text. */
export function readContentBytes(name: string, contentDirs: string[]): Buffer {
  for (const folder of contentDirs) {
    try {
      return readFileSync(join(folder, name))
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') throw new Error(`${join(folder, name)} cannot be read: ${message}`)
    }
  }
  throw new Error(`is missing (looked in ${contentDirs.join(', ')})`)
}

/**
 * The lines of a head, between two lines `---` that hold `name: value` each, and the body that
 * follows, beginning on the line that it is in the file so that errors name it.
 *
 * Throws an Error where there is no head, where it lacks the first of `lines`, or has others.
 */
export function splitHead<Line extends string>(
  source: string,
  lines: readonly [Line, ...Line[]],
): { head: Record<Line, string>; body: string } {
  const [whole] = /^---\n.*?^---\n/ms.exec(source) ?? []
  if (whole === undefined || !source.startsWith(whole)) {
    throw new Error('must begin with a head between two lines "---"')
  }
  const fields = new Map(
    whole
      .split('\n')
      .slice(1, -2)
      .map(line => field(line, lines)),
  )
  if (!fields.get(lines[0])) throw new Error(`must name a ${lines[0]} in its head`)
  const head = Object.fromEntries(lines.map(line => [line, fields.get(line) ?? '']))
  return {
    head: head as Record<Line, string>,
    body: whole.replace(/[^\n]/g, '') + source.slice(whole.length),
  }
}

function parse<Line extends string>(
  source: string,
  lines: readonly [Line, ...Line[]],
  engines: Engines,
) {
  const { head, body } = splitHead(source, lines)
  const parsed = lines.map(line => [line, engines.line.parse(head[line])] as const)
  return {
    head: Object.fromEntries(parsed) as Record<Line, Parsed[]>,
    body: engines.markdown.parse(body),
  }
}

function field<Line extends string>(text: string, lines: readonly Line[]): [Line, string] {
  const [, name, value = ''] = /^(\w+):\s*(.*)$/.exec(text.trim()) ?? []
  const line = lines.find(line => line === name)
  if (line !== undefined) return [line, value]
  throw new Error(`has "${text}" in its head, which may name ${lines.join(' and ')} only`)
}
