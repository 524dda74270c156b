/** What a person wrote, without what their mail program put around it. */
import type { Email } from 'postal-mime'
import { shorten } from '../../content/one-line.ts'
import { tidy } from '../../leads/text.ts'
import { htmlText } from './reply-html.ts'

/** More is not looked at, and longer lines are not compared with anything. */
const MAX_LENGTH = 100_000
const MAX_LINE = 500

/**
 * The text of a message, or its HTML as text, without the message it answers as far as that can be
 * told: by `>` before its lines, or by a line that announces it, in English, Spanish, Portuguese,
 * French or German. Where nothing would be left before the announcement, what follows it stays.
 * Trimmed, without controls (line ends and tabs apart) and without characters that change the
 * direction of text; at most 2000 code points.
 */
export function replyText({ text, html }: Pick<Email, 'text' | 'html'>): string {
  const plain = text?.trim() ? text : htmlText(html ?? '')
  return shorten(withoutQuotes(storable(plain.slice(0, MAX_LENGTH))), 2000)
}

/** NUL cannot be stored (PostgreSQL), half surrogates nowhere; the others are means of disguise. */
const UNWANTED = /(?![\n\r\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const storable = (text: string): string => tidy(text.toWellFormed().replace(UNWANTED, ''))

function withoutQuotes(text: string): string {
  const lines = text.split('\n')
  const kept: string[] = []
  for (let i = 0; i < lines.length; ) {
    const announced = announcement(lines, i)
    if (announced === 0) {
      const line = lines[i++] ?? ''
      if (!isQuoted(line)) kept.push(line)
      continue
    }
    i += announced
    // What follows is the answered message to the end, unless it is marked line by line.
    if (!isQuoted(nextLine(lines, i)) && kept.some(line => line.trim() !== '')) break
  }
  return kept
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

/** How many lines from here on announce the answered message; 0 where none do. */
function announcement(lines: string[], i: number): number {
  const line = at(lines, i)
  if (SEPARATOR.test(line)) return 1
  if (/^\s*_{10,}\s*$/.test(line)) return SENDER.test(nextLine(lines, i + 1)) ? 1 : 0
  if (SENDER.test(line)) {
    let more = 0
    while (more < 5 && HEADER.test(at(lines, i + 1 + more))) more++
    return more >= 2 ? 1 + more : 0
  }
  if (!ATTRIBUTION_START.test(line)) return 0
  // Mail programs break it at 72 to 80 characters.
  for (let n = 1; n <= 3; n++) {
    const joined = lines.slice(i, i + n).join(' ')
    if (joined.length > MAX_LINE) return 0
    if (/\d/.test(joined) && ATTRIBUTION_END.test(joined)) return n
  }
  return 0
}

const at = (lines: string[], i: number): string => {
  const line = lines[i] ?? ''
  return line.length > MAX_LINE ? '' : line
}

const SEPARATOR =
  /^\s*-{2,}\s*(?:original message|forwarded message|mensaje original|mensaje reenviado|mensagem original|message d'origine|ursprüngliche nachricht)\s*-{2,}\s*$/i

/** The headers that Outlook puts above the answered message, sometimes in bold. */
const SENDER = /^\s*\*?(?:from|de|von)\s?:/i
const HEADER =
  /^\s*\*?(?:sent|date|to|cc|subject|enviado(?: el)?|fecha|para|asunto|enviada em|data|assunto|envoyé|à|objet|gesendet|datum|an|betreff)\s?:/i

/** `On 20 Nov 2026, at 10:12, Ana wrote:` */
const ATTRIBUTION_START = /^\s*(?:(?:on|el|em|le|am)\b|\d{4}-\d\d-\d\d\b)/i
const ATTRIBUTION_END =
  /(?:\b(?:wrote|escribió|escreveu|a écrit|schrieb\b.*)|<[^<>]*@[^<>]*>)\s*:\s*$/i
