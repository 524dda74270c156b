/** The text that a person wrote, without the text that their mail program added. */
import type { Email } from 'postal-mime'
import { shorten } from '../../content/one-line.ts'
import { tidy } from '../../leads/body/tidy-text.ts'
import { htmlText } from './reply-html.ts'

/** The most text that we read, and the longest line that we examine. */
const MAX_LENGTH = 100_000
const MAX_LINE = 500

/**
 * The text of a message, or its HTML as text, without the message it replies to. We recognize that message by `>`
 * before its lines, or by a line that announces it in English, Spanish, Portuguese, French or German. If nothing
 * precedes the announcement, the text after it stays. Trimmed, without control characters (except line breaks and tabs)
 * and without characters that change the direction of text; at most 2000 code points.
 */
export function replyText({ text, html }: Pick<Email, 'text' | 'html'>): string {
  const plain = text?.trim() ? text : htmlText(html ?? '')
  return shorten(withoutQuotes(storable(plain.slice(0, MAX_LENGTH))), 2000)
}

/** PostgreSQL cannot store NUL, and neither database a lone surrogate. The other characters can disguise text. */
const UNWANTED = /(?![\n\r\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The text without what cannot be stored and what could disguise it. */
export const storable = (text: string): string => tidy(text.toWellFormed().replace(UNWANTED, ''))

function withoutQuotes(text: string): string {
  const lines = text.split('\n')
  const own: string[] = []
  for (let i = 0; i < lines.length; ) {
    const announced = announcement(lines, i)
    if (announced === 0) {
      const line = lines[i++] ?? ''
      if (!isQuoted(line)) own.push(line)
      continue
    }
    i += announced
    // The rest is the message replied to, unless its lines are marked one by one.
    if (!isQuoted(nextLine(lines, i)) && own.some(line => line.trim() !== '')) break
  }
  return own
    .map(line => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const isQuoted = (line: string): boolean => /^\s{0,3}>/.test(line)

/** The first line from here on that is not empty. */
function nextLine(lines: string[], from: number): string {
  let i = from
  while (i < lines.length && lines[i]?.trim() === '') i++
  return lines[i] ?? ''
}

/** How many lines, from here on, announce the message replied to; 0 if none do. */
function announcement(lines: string[], i: number): number {
  const line = at(lines, i)
  if (SEPARATOR.test(line)) return 1
  if (/^\s*_{10,}\s*$/.test(line)) return SENDER.test(nextLine(lines, i + 1)) ? 1 : 0
  if (SENDER.test(line)) {
    let more = 0
    while (more < 5 && HEADER.test(at(lines, i + 1 + more))) more++
    return more >= 2 ? 1 + more : 0
  }
  const above = attributionAbove(lines, i)
  if (above > 0) return above
  if (!ATTRIBUTION_START.test(line)) return 0
  // Mail programs wrap it at 72 to 80 characters.
  for (let n = 1; n <= 3; n++) {
    const joined = lines.slice(i, i + n).join(' ')
    if (joined.length > MAX_LINE) return 0
    if (/\d/.test(joined) && ATTRIBUTION_END.test(joined)) return n
  }
  return 0
}

/**
 * How many lines, from here on, announce the quotation directly below them, in any language. They are up to three lines
 * without an empty one, end with a colon, and name an address, a time or a verb of writing. The text before them must
 * have ended.
 */
function attributionAbove(lines: string[], i: number): number {
  if (at(lines, i).trim() === '' || (i > 0 && (lines[i - 1] ?? '').trim() !== '' && !isQuoted(lines[i - 1] ?? '')))
    return 0
  for (let n = 1; n <= 3; n++) {
    const line = at(lines, i + n - 1)
    if (line.trim() === '' || isQuoted(line)) return 0
    if (!/[:：]\s*$/.test(line)) continue
    const joined = lines.slice(i, i + n).join(' ')
    const known = /@|\d{1,2}[:.h]\d\d|\d{4}/.test(joined) || ATTRIBUTION_END.test(joined)
    return known && isQuoted(nextLine(lines, i + n)) ? n : 0
  }
  return 0
}

const at = (lines: string[], i: number): string => {
  const line = lines[i] ?? ''
  return line.length > MAX_LINE ? '' : line
}

const SEPARATOR =
  /^\s*-{2,}\s*(?:original message|forwarded message|mensaje original|mensaje reenviado|mensagem original|message d'origine|ursprüngliche nachricht)\s*-{2,}\s*$/i

/** The headers that Outlook puts above the message replied to, sometimes in bold. */
const SENDER = /^\s*\*?(?:from|de|von)\s?:/i
const HEADER =
  /^\s*\*?(?:sent|date|to|cc|subject|enviado(?: el)?|fecha|para|asunto|enviada em|data|assunto|envoyé|à|objet|gesendet|datum|an|betreff)\s?:/i

/** `On 20 Nov 2026, at 10:12, Ana wrote:` */
const ATTRIBUTION_START =
  /^\s*(?:(?:on|el|em|le|am|il(?: giorno)?|op|den|w dniu|vào|noong)\s|\d{4}[-/.年]\s?\d\d?[-/.月]|在)/i
const ATTRIBUTION_END =
  /(?:\b(?:wrote|escribió|escreveu|schrieb\b.*|ha scritto|schreef\b.*|skrev\b.*|pisze|napisał(?:a|\(a\))?|isinulat\b.*)|a écrit|đã viết|写道|寫道|書きました|のメール|작성|пишет|написал|كتب|<[^<>]*@[^<>]*>)\s*[:：]\s*$/iu
