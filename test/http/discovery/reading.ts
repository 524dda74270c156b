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

/** A body that a section shows: the required fields only, in its first request, or all of them. */
export function bodyIn(text: string, which: 'minimal' | 'complete'): Body {
  const [, body] =
    (which === 'minimal'
      ? /<<'JSON'\n(.*?)\nJSON\n/s.exec(text)
      : /```json title="[^"]*complete"\n(.*?)\n```/s.exec(text)) ?? []
  if (body === undefined) throw new Error(`There is no ${which} body`)
  return JSON.parse(body)
}

/** A body with the client's own key, for the header as well, as the documents ask. */
export const bodyWithNewKey = (body: Body, key: string): { body: Body; key: string } => ({
  body: { ...body, idempotencyKey: key },
  key,
})

export type Field = { name: string; type: string; need: string; limits: string }

/** The list of fields in a section. */
export const fieldsIn = (text: string): Field[] =>
  Array.from(
    text.matchAll(/^- `(\w+)` \*(\w+) · ([^·]+) · ([^·]+)\*\\$/gm),
    ([, name = '', type = '', need = '', limits = '']) => ({ name, type, need, limits }),
  )

/** The bodies of each error in the list of all errors, by status. */
export function errorsIn(reference: string): Map<string, string[]> {
  const items = section(reference, 'Responses and errors')
    .split(/^- \*\*/m)
    .slice(1)
  return new Map(items.map(item => [item.slice(0, 3), codeAtEnds(item)]))
}

/** The bodies of errors that only the operation of this section has, by status. */
export function ownErrorsIn(text: string): Map<string, string[]> {
  const found = text.split(/^(?=#)/m).flatMap(part => {
    const [, status] = /^### .*\((\d{3})\)$/m.exec(part) ?? []
    const bodies = codeAtEnds(part)
    return status === undefined || bodies.length === 0 ? [] : [[status, bodies] as const]
  })
  return new Map(found)
}

/** Objects in code spans, each at the end of a line. */
const codeAtEnds = (text: string): string[] =>
  Array.from(text.matchAll(/(`+) ?(\{"error".*\}) ?\1$/gm), ([, , code = '']) => code)

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
