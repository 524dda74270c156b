/** Reads a published document as a client would that has never seen another. */
import { equal } from 'node:assert/strict'

/** The text of a document that must be there. */
export async function fetchText(url: string): Promise<string> {
  const response = await fetch(url)
  equal(response.status, 200, url)
  return response.text()
}

/** From a heading of level two to the next. */
export function section(markdown: string, heading: string): string {
  const start = markdown.indexOf(`\n## ${heading}`)
  if (start < 0) throw new Error(`There is no section "${heading}"`)
  const end = markdown.indexOf('\n## ', start + 1)
  return markdown.slice(start, end < 0 ? undefined : end)
}

type Body = Record<string, unknown>

/** A body that a section shows: the required fields only, or all of them. */
export function bodyIn(text: string, which: 'minimal' | 'complete'): Body {
  const word = which === 'minimal' ? 'required' : 'complete'
  const [, body] =
    new RegExp(`\`\`\`json title="[^"]*${word}"\n(.*?)\n\`\`\``, 's').exec(text) ?? []
  if (body === undefined) throw new Error(`There is no ${which} body`)
  return JSON.parse(body)
}

/** A body with the client's own key, for the header as well, as the documents ask. */
export const bodyWithNewKey = (body: Body, key: string): { body: Body; key: string } => ({
  body: { ...body, idempotencyKey: key },
  key,
})

export type Row = Record<string, string>

/** The rows of each Markdown table, by the heads of their columns. */
export function tablesIn(markdown: string): Row[][] {
  const tables = markdown.match(/(?:^\|.*\|\n)+/gm) ?? []
  return tables.map(table => {
    const [heads = [], , ...rows] = table.trim().split('\n').map(cellsOf)
    return rows.map(cells => Object.fromEntries(heads.map((head, i) => [head, cells[i] ?? ''])))
  })
}

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map(cell => cell.trim().replaceAll('\\|', '|'))
