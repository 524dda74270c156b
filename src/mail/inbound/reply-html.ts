/** HTML as plain text, for replies that have no text part. */
import { decodeHTMLStrict } from 'entities'

/** How many characters we read. What a person wrote is at the beginning. */
const MAX_LENGTH = 300_000

/** Elements whose content no one sees. */
const HIDDEN = ['head', 'style', 'script', 'title', 'template']
/** Elements that begin and end a line. */
const LINES = /^(?:p|div|br|hr|tr|table|li|ul|ol|h[1-6]|blockquote|pre|section|article|header|footer)$/

/**
 * The text of HTML, for reading and never for showing as HTML. Each line of a quote gets `> ` before it. Quotes are the
 * content of `blockquote`, and everything after Outlook's mark for the quoted message.
 *
 * Looks at every character only once, so that no HTML can make it slow (docs/decisions/0022-libraries-for-markup.md).
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
    // Everything from the mark on is the quoted message.
    if (QUOTE_MARK.test(tag.attributes)) depth = Number.POSITIVE_INFINITY
    if (tag.name === 'blockquote') depth = Math.max(0, depth + (tag.closing ? -1 : 1))
  }
  end()
  return lines.join('\n')
}

/** The ids by which Outlook marks the quoted message, on the web (with a prefix) and on the desktop. */
const QUOTE_MARK = /\bid=["']?(?:x_)?(?:divRplyFwdMsg|appendonsend|OLK_SRC_BODY_SECTION)\b/i

function readTag(tag: string) {
  const [, slash, name = '', attributes = ''] = /^<(\/?)([a-z][a-z0-9]*)(.*)$/is.exec(tag) ?? []
  if (name === '') return undefined
  return { closing: slash === '/', name: name.toLowerCase(), attributes }
}

const plain = (text: string): string => decodeHTMLStrict(text.replace(/[ \t\r\n\f]+/g, ' ')).replaceAll('\u00a0', ' ')
