/** Reads a published document as a client would that has never seen another. */

/** From a heading of level two to the next. */
export function section(markdown: string, heading: string): string {
  const start = markdown.indexOf(`\n## ${heading}`)
  if (start < 0) throw new Error(`There is no section "${heading}"`)
  const end = markdown.indexOf('\n## ', start + 1)
  return markdown.slice(start, end < 0 ? undefined : end)
}

type Body = Record<string, unknown>

/** A body that a section shows: what is required, or all there is. */
export function bodyIn(text: string, which: 'minimal' | 'complete'): Body {
  const word = which === 'minimal' ? 'required' : 'complete'
  const [, body] =
    new RegExp(`\`\`\`json title="[^"]*${word}"\n(.*?)\n\`\`\``, 's').exec(text) ?? []
  if (body === undefined) throw new Error(`There is no ${which} body`)
  return JSON.parse(body)
}

/** As the documents ask: the client's own key, the same in the body and in the header. */
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
