/** HTML as text to be read: for those who write HTML only. */

/** More is not read; what a person wrote stands at the beginning. */
const MAX_LENGTH = 300_000

/** Elements whose content is not shown. */
const HIDDEN = ['head', 'style', 'script', 'title', 'template']
/** Elements that begin and end a line. */
const LINES =
  /^(?:p|div|br|hr|tr|table|li|ul|ol|h[1-6]|blockquote|pre|section|article|header|footer)$/

/**
 * The text of HTML, made for reading and never for showing as HTML. The content of `blockquote` and
 * of what mail programs mark as the quoted message has `> ` before each line. Looks at every
 * character once.
 */
export function htmlText(html: string): string {
  const source = html.slice(0, MAX_LENGTH)
  const lines: string[] = []
  let line = ''
  let depth = 0
  let hidden: string | undefined
  const end = () => {
    lines.push(depth > 0 ? `> ${line.trim()}` : line.trim())
    line = ''
  }
  for (let at = 0; at < source.length; ) {
    const open = source.indexOf('<', at)
    if (hidden === undefined) line += plain(source.slice(at, open === -1 ? undefined : open))
    if (open === -1) break
    const comment = source.startsWith('<!--', open)
    const close = comment ? source.indexOf('-->', open + 4) : source.indexOf('>', open)
    if (close === -1) break
    at = close + (comment ? 3 : 1)
    const tag = comment ? undefined : readTag(source.slice(open, Math.min(close, open + 500)))
    if (tag === undefined) continue
    if (hidden !== undefined) {
      if (tag.closing && tag.name === hidden) hidden = undefined
      continue
    }
    if (HIDDEN.includes(tag.name)) hidden = tag.closing ? undefined : tag.name
    if (!LINES.test(tag.name)) continue
    end()
    // From the mark on, everything is the message that is answered.
    if (QUOTE_MARK.test(tag.attributes)) depth = Number.POSITIVE_INFINITY
    if (tag.name === 'blockquote') depth = Math.max(0, depth + (tag.closing ? -1 : 1))
  }
  end()
  return lines.join('\n')
}

/** Outlook on the web and on the desktop. */
const QUOTE_MARK = /\bid=["']?(?:x_)?(?:divRplyFwdMsg|appendonsend|OLK_SRC_BODY_SECTION)\b/i

function readTag(tag: string) {
  const [, slash, name = '', attributes = ''] = /^<(\/?)([a-z][a-z0-9]*)(.*)$/is.exec(tag) ?? []
  if (name === '') return undefined
  return { closing: slash === '/', name: name.toLowerCase(), attributes }
}

const plain = (text: string): string => decode(text.replace(/[ \t\r\n\f]+/g, ' '))

const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  iexcl: '¡',
  iquest: '¿',
  laquo: '«',
  raquo: '»',
  ldquo: '“',
  rdquo: '”',
  lsquo: '‘',
  rsquo: '’',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  euro: '€',
  szlig: 'ß',
}
/** The marks of `&eacute;` and its like, as combining characters. */
const MARKS: Record<string, string> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  cedil: '\u0327',
  ring: '\u030a',
}

/** Character references (HTML section 13.5), those that letters in western languages need. */
const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (all, decimal, hex, name) => {
    if (name === undefined) return character(decimal ? Number(decimal) : Number.parseInt(hex, 16))
    const [, letter, mark] = /^([a-z])(acute|grave|circ|tilde|uml|cedil|ring)$/i.exec(name) ?? []
    return NAMED[name] ?? (mark ? `${letter}${MARKS[mark]}`.normalize('NFC') : all)
  })

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '')
