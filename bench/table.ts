/** Formats a table. Columns are as wide as their widest cell, with labels on the left and figures right-aligned. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map(row => row[i]?.length ?? 0)))
  const pad = (cell: string, i: number) => {
    const width = widths[i] ?? 0
    return i === 0 ? cell.padEnd(width) : cell.padStart(width)
  }
  return rows.map(row => row.map(pad).join('  ').trimEnd()).join('\n')
}
