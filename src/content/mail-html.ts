/**
 * HTML for mail programs. Many drop every `<style>`, and Outlook draws boxes only for tables. So buttons become tables,
 * and the rules that matter are written into the elements (docs/decisions/0026).
 */

/** Paragraphs that are buttons, next to each other. */
const ACTIONS = /(?:<p class="action[^"]*">(?:(?!<\/p>).)*<\/p>\n?)+/gs
const ACTION = /<p class="action( primary)?[^"]*">((?:(?!<\/p>).)*)<\/p>/gs

/** The HTML of a message with its buttons as tables: two adjacent buttons share a row. */
export const buttonsAsTables = (html: string): string =>
  html.replace(ACTIONS, paragraphs => {
    const actions = [...paragraphs.matchAll(ACTION)]
    const rows: { links: string[]; primary: boolean }[] = []
    for (const [, primary, link = ''] of actions) {
      const last = rows.at(-1)
      if (last && !primary && !last.primary && last.links.length === 1) last.links.push(link)
      else rows.push({ links: [link], primary: primary !== undefined })
    }
    return rows.map(({ links, primary }) => buttonRow(links, primary)).join('')
  })

const TABLE = 'role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%"'

function buttonRow(links: string[], primary: boolean): string {
  const cells = links.map(link => `<td class="button">${link}</td>`)
  const gap = '<td class="gap" width="12">&nbsp;</td>'
  const name = primary ? 'buttons primary' : 'buttons'
  return `<table class="${name}" ${TABLE}><tr>${cells.join(gap)}</tr></table>\n`
}

type Rule = { selector: Part[]; declarations: [string, string][]; weight: number }
/** One element of a selector: `td.button`. */
type Part = { tag: string | undefined; classes: string[] }

const INLINE_STYLE = /<style data-inline>(.*?)<\/style>\n?/s
const SIMPLE = /^(?:[a-z][a-z0-9]*)?(?:\.[\w-]+)*$/

/**
 * Writes the rules of `<style data-inline>` into the elements of the body that they match, and removes that element. A
 * background also becomes the attribute `bgcolor` of a table or a cell.
 *
 * Throws an Error that names a selector if it has more than tags, classes and descendants.
 */
export function inlineStyles(html: string): string {
  const [style, css] = INLINE_STYLE.exec(html) ?? []
  if (style === undefined || css === undefined) return html
  const rest = html.replace(style, '')
  const start = Math.max(0, rest.indexOf('<body'))
  return rest.slice(0, start) + styled(rest.slice(start), sheetOf(css))
}

/** The declarations for an element, and the same as attributes for elements without a style of their own. */
type Look = { declarations: [string, string][]; attributes: string }

/** The rules of a style sheet, and the looks that were computed from them so far, by the path of the element. */
type Sheet = { css: string; rules: Rule[]; known: Map<string, Look> }

/** Every message has the same style sheet and nearly the same elements, and after a rush there are thousands. */
let latest: Sheet | undefined
const MOST_KNOWN = 1000

function sheetOf(css: string): Sheet {
  if (latest?.css !== css || latest.known.size > MOST_KNOWN) latest = { css, rules: rulesOf(css), known: new Map() }
  return latest
}

function rulesOf(css: string): Rule[] {
  const rules = Array.from(css.matchAll(/([^{}]+)\{([^{}]*)\}/g), ([, selectors = '', text = '']) =>
    selectors.split(',').map(selector => {
      const parts = selector.trim().split(/\s+/).map(partOf)
      const weight = parts.reduce((sum, { tag, classes }) => sum + 100 * classes.length + Number(tag !== undefined), 0)
      return { selector: parts, declarations: declarationsOf(text), weight }
    }),
  ).flat()
  // Sorting is stable: of two rules with the same weight, the later one wins.
  return rules.sort((one, other) => one.weight - other.weight)
}

function partOf(text: string): Part {
  if (!SIMPLE.test(text)) throw new Error(`"${text}" cannot be inlined; put it into another <style>`)
  const [tag, ...classes] = text.split('.')
  return { tag: tag || undefined, classes }
}

const declarationsOf = (text: string): [string, string][] =>
  text.split(';').flatMap(one => {
    const [, name, value] = /^\s*([\w-]+)\s*:\s*(.*?)\s*$/s.exec(one) ?? []
    return name && value ? [[name, value]] : []
  })

/** `path` names the element and the elements around it. */
type Element = { tag: string; classes: string[]; path: string }

const TAG = /<!--.*?-->|<(\/?)([a-z][a-z0-9]*)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*(\/?)>/gis
const VOID = new Set(['br', 'hr', 'img', 'meta', 'link', 'source', 'wbr'])

function styled(body: string, { rules, known }: Sheet): string {
  const open: Element[] = []
  return body.replace(TAG, (whole, closing, name, attributes = '', self) => {
    if (name === undefined) return whole
    const tag = name.toLowerCase()
    if (closing) {
      const last = open.findLastIndex(element => element.tag === tag)
      if (last !== -1) open.length = last
      return whole
    }
    const [, classes = ''] = /\sclass="([^"]*)"/.exec(attributes) ?? []
    const path = `${open.at(-1)?.path ?? ''} ${tag}.${classes.replaceAll(' ', '.')}`
    const element = { tag, classes: classes.split(' '), path }
    const within = [...open, element]
    if (!VOID.has(tag) && !self) open.push(element)
    const look = known.get(path) ?? lookOf(within, rules)
    known.set(path, look)
    if (look.declarations.length === 0) return whole
    const [given, own = ''] = /\sstyle="([^"]*)"/.exec(attributes) ?? []
    if (given === undefined) return `<${tag}${attributes}${look.attributes}>`
    const both = attributesFor(tag, [...look.declarations, ...declarationsOf(own)])
    return `<${tag}${attributes.replace(given, '')}${both}>`
  })
}

/** What the rules say about the last element of the path. */
function lookOf(path: Element[], rules: Rule[]): Look {
  const declarations = rules.filter(({ selector }) => matches(selector, path)).flatMap(rule => rule.declarations)
  return { declarations, attributes: attributesFor(path.at(-1)?.tag ?? '', declarations) }
}

function attributesFor(tag: string, declarations: [string, string][]): string {
  const wins = new Map<string, string>()
  for (const [name, value] of declarations) {
    // The last declaration wins, and comes last.
    wins.delete(name)
    wins.set(name, value)
  }
  const style = Array.from(wins, ([name, value]) => `${name}: ${value}`).join('; ')
  const ground = wins.get('background')
  const bgcolor = ground && ['table', 'td'].includes(tag) ? ` bgcolor="${ground}"` : ''
  return `${bgcolor} style="${style}"`
}

/** Whether the last element of the path matches the selector, and those around it are where it needs them. */
function matches(selector: Part[], path: Element[]): boolean {
  const [last] = selector.slice(-1)
  const element = path.at(-1)
  if (!last || !element || !fits(last, element)) return false
  let from = path.length - 2
  for (const part of selector.slice(0, -1).reverse()) {
    while (from >= 0 && !fits(part, path[from] as Element)) from--
    if (from-- < 0) return false
  }
  return true
}

const fits = ({ tag, classes }: Part, element: Element): boolean =>
  (tag === undefined || tag === element.tag) && classes.every(name => element.classes.includes(name))
