/** The head of a file: lines of `name: value` between two lines `---`, above the Markdown. */

/** The names that the lines of a head may have. The first is required. */
export type HeadLines<Line extends string> = readonly [Line, ...Line[]]

/**
 * The head of a file and the body below it. The body keeps the line numbers that it has in the file,
 * so that errors name the right line. A line that is left out is empty.
 *
 * Throws an Error if there is no head, if it lacks the first of `lines`, or if it has other lines.
 */
export function splitHead<Line extends string>(
  source: string,
  lines: HeadLines<Line>,
): { head: Record<Line, string>; body: string } {
  const [whole] = /^---\n.*?^---\n/ms.exec(source) ?? []
  if (whole === undefined || !source.startsWith(whole)) {
    throw new Error('must begin with a head between two lines "---"')
  }
  const fields = new Map(
    whole
      .split('\n')
      .slice(1, -2)
      .map(line => readLine(line, lines)),
  )
  if (!fields.get(lines[0])) throw new Error(`must name a ${lines[0]} in its head`)
  const head = Object.fromEntries(lines.map(line => [line, fields.get(line) ?? '']))
  return { head: head as Record<Line, string>, body: whole.replace(/[^\n]/g, '') + source.slice(whole.length) }
}

function readLine<Line extends string>(text: string, lines: HeadLines<Line>): [Line, string] {
  const [, name, value = ''] = /^(\w+):\s*(.*)$/.exec(text.trim()) ?? []
  const line = lines.find(line => line === name)
  if (line !== undefined) return [line, value]
  throw new Error(`has "${text}" in its head, which may only have ${lines.join(' and ')}`)
}
