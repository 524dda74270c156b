/** What people write in emails. Quoted text is folded, since the timeline already has it. */
import { html } from 'hono/html'
import type { Html } from '../frame/layout.ts'

/** Fewer quoted lines in a row than this are shown, since the person answers them. */
const FOLDED = 4

export function withQuotesFolded(text: string): Html {
  const parts: { quoted: boolean; lines: string[] }[] = []
  for (const line of text.split('\n')) {
    const quoted = /^\s{0,3}>/.test(line)
    const last = parts.at(-1)
    if (last?.quoted === quoted) last.lines.push(line)
    else parts.push({ quoted, lines: [line] })
  }
  return html`${parts.map(({ quoted, lines }, index) => {
    const part = lines.join('\n')
    if (quoted && lines.length >= FOLDED)
      return html`<details class="quoted"><summary>Quoted text</summary>${part}</details>`
    return index + 1 < parts.length ? `${part}\n` : part
  })}`
}
