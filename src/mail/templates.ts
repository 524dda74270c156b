/**
 * Templates: Markdown files with Liquid in them, under a head that names the subject. They are
 * found, parsed and tried out once, at the start, so that a broken one is noticed then.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Liquid, type Template as Parsed } from 'liquidjs'
import { escapeMarkdown, parseMarkdown, quoteMarkdown, renderHtml } from './markdown.ts'
import { plainText } from './plain-text.ts'
import { oneLine, shorten } from './text.ts'

export type Rendered = { subject: string; text: string; html: string }

/** Renders one message. What the variables hold shows up as text, never as markup. */
export type Template = (variables: object) => Rendered

const LAYOUT = 'layouts/mail.html'
const MAX_SUBJECT = 120

/**
 * Reads templates from the first of `contentDirs` that holds the file; what they include is found
 * the same way. The loader it returns takes a file's name and sample variables, which between them
 * should take every branch: with these the template must render without an undefined variable.
 *
 * Both throw an Error that names the file and what is wrong with it.
 */
export function templateLoader(contentDirs: string[]) {
  const engines = createEngines(contentDirs)
  const layout = about(LAYOUT, () => engines.html.parse(read(LAYOUT, contentDirs)))

  return (name: string, samples: object[]): Template =>
    about(name, () => {
      const { subject, preheader, body } = parse(read(name, contentDirs), engines)
      const render = (variables: object, strictVariables: boolean): Rendered => {
        const options = { strictVariables }
        const line = (parsed: Parsed[]) => engines.line.renderSync(parsed, variables, options)
        const head = {
          subject: shorten(oneLine(line(subject)), MAX_SUBJECT),
          preheader: line(preheader),
        }
        const tokens = parseMarkdown(engines.markdown.renderSync(body, variables, options))
        const page = { ...variables, ...head, body: renderHtml(tokens) }
        return {
          subject: head.subject,
          text: plainText(tokens),
          html: engines.html.renderSync(layout, page, options),
        }
      }
      for (const sample of samples) render(sample, true)
      // A message that lacks a word is better than none: strictness is for the trial.
      return variables => render(variables, false)
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

function about<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`)
  }
}

function read(name: string, contentDirs: string[]): string {
  for (const folder of contentDirs) {
    try {
      const text = readFileSync(join(folder, name), 'utf8')
      return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new Error(`is missing (looked in ${contentDirs.join(', ')})`)
}

/** The head, between two lines `---`, holds `name: value` lines; all that follows is the body. */
function parse(source: string, engines: Engines) {
  const [whole] = /^---\n.*?^---\n/ms.exec(source) ?? []
  if (whole === undefined || !source.startsWith(whole)) {
    throw new Error('must begin with a head between two lines "---"')
  }
  const fields = new Map(whole.split('\n').slice(1, -2).map(field))
  const subject = fields.get('subject')
  if (!subject) throw new Error('must name a subject in its head')
  // Empty lines in place of the head: errors then name the line that it is in the file.
  const body = whole.replace(/[^\n]/g, '') + source.slice(whole.length)
  return {
    subject: engines.line.parse(subject),
    preheader: engines.line.parse(fields.get('preheader') ?? ''),
    body: engines.markdown.parse(body),
  }
}

function field(line: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^(\w+):\s*(.*)$/.exec(line.trim()) ?? []
  if (name === 'subject' || name === 'preheader') return [name, value]
  throw new Error(`has "${line}" in its head, which may name subject and preheader only`)
}
