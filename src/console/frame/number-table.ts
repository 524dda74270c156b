/** Tables of numbers. On a phone, each row is a card in which every number has a label. */
import { html } from 'hono/html'
import { counted, inDigits } from '../../leads/body/tidy-text.ts'
import type { Html } from './layout.ts'

/** The heading of a column of drawn bars, which compare the numbers of the column before it. */
export const BAR = 'Compared'

/** The most columns that fit beside the names on a phone. */
const FEW = 2

type Row = {
  name: Html | string
  cells: readonly (Html | string | number)[]
  /** A bar below all columns that shows the same numbers. */
  bar?: Html
}

/**
 * `label` names the region that scrolls if the table is wider than the page; `of` is the heading above the names.
 * `folded`: on a phone, the rows are hidden until someone unfolds them.
 */
export function numberTable(
  label: string,
  { of, columns, rows, folded }: { of: string; columns: readonly string[]; rows: readonly Row[]; folded?: true },
): Html {
  const cell = (content: Row['cells'][number], index: number) =>
    columns[index] === BAR
      ? html`<td class="bar-cell">${content}</td>`
      : html`<td class="number" data-label="${columns[index]}">${typeof content === 'number' ? inDigits(content) : content}</td>`
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="table ${columns.length <= FEW ? 'few' : 'stacked numbers'}"><thead><tr><th scope="col">${of}</th>${columns.map(
    column =>
      column === BAR ? html`<th scope="col">${BAR}</th>` : html`<th scope="col" class="number">${column}</th>`,
  )}</tr></thead>
<tbody>${rows.map(
    ({ name, cells, bar }) =>
      html`<tr><th scope="row">${name}</th>${cells.map(cell)}</tr>${
        bar === undefined
          ? ''
          : html`\n<tr class="bar-row" aria-hidden="true"><td colspan="${columns.length + 1}">${bar}</td></tr>`
      }`,
  )}</tbody></table></div>`
  return folded
    ? html`<details class="folded"><summary>${counted(rows.length, 'row')}</summary>${table}</details>`
    : table
}

export const numberWith = (n: number, more: string): Html =>
  html`${inDigits(n)} <span class="quiet small">${more}</span>`
