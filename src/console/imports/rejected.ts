/** The rejected rows of a list: on its page, and as a file to correct. */
import { html } from 'hono/html'
import { listNumber } from '../../lead-actions/upload-list.ts'
import { counted } from '../../leads/body/tidy-text.ts'
import { problemsInWords, type RowProblem, shortCell } from '../../leads/import/inquiry-of-row.ts'
import type { ImportField } from '../../leads/import/list-columns.ts'
import type { Import } from '../../store/imports/imports.ts'
import type { StoredRow } from '../../store/imports/portions.ts'
import { audit } from '../frame/audit.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { csvPieces, download, itsTurn } from '../frame/download.ts'
import type { Html } from '../frame/layout.ts'

const SHOWN = 20

export async function rejectedPanel(c: ConsoleContext, list: Import): Promise<Html | ''> {
  const { id, counts, hasRows, state, purpose } = list
  if (counts.rejected === 0) return ''
  if (!hasRows) return html`<p class="quiet">The rejected rows have been deleted.</p>`
  const { store } = c.get('frame').deps
  const rows = await store.readImportRows(id, { after: 0, limit: SHOWN, outcome: 'rejected' })
  return html`<h2>${purpose === 'status' ? 'Rows that move no one' : 'Rejected rows'}</h2>
<p>${purpose === 'status' ? 'The file has a reason for each.' : html`${state === 'checked' ? 'These rows will not be imported.' : 'These rows were not imported.'} Download them, correct them, and upload the corrected file.`}</p>
<p><a class="button secondary" href="/import/${id}/rejected.csv" download>Download ${counted(counts.rejected, 'row')} (CSV)</a></p>
<div class="scroll" tabindex="0" role="region" aria-label="Rejected rows"><table class="table rejected"><thead><tr><th>Row</th><th>Person</th><th>Problem</th></tr></thead><tbody>
${rows.map(row => lineOf(row, list))}
</tbody></table></div>
${counts.rejected > rows.length ? html`<p class="quiet">And ${counted(counts.rejected - rows.length, 'more row')}, in the file.</p>` : ''}`
}

const lineOf = (one: StoredRow, list: Import): Html =>
  html`<tr><td>${one.row}</td><td dir="auto">${personIn(one, list)}</td><td>${one.problems.map(
    ({ column, reason }) => html`<div dir="auto">${valueIn(one, list, column)}</div>
<div class="quiet small">${reason}</div>`,
  )}</td></tr>`

/** How someone recognizes a row: by the name or, without one, by the first cell that is not empty. */
function personIn({ cells }: StoredRow, { plan, statusPlan }: Import): string {
  const cellOf = (field: ImportField) => cells[plan?.columns.indexOf(field) ?? -1]
  const names = [cellOf('fullName'), cellOf('firstName'), cellOf('lastName')]
  const name = names.map(shortCell).filter(Boolean).join(' ')
  const address = shortCell(cells[statusPlan?.columns.indexOf('email') ?? -1])
  return name || address || (cells.map(shortCell).find(Boolean) ?? '')
}

/** The header of the wrong column, with the content of its cell. */
function valueIn({ cells }: StoredRow, { headers }: Import, column: RowProblem['column']) {
  if (column === '') return ''
  const value = shortCell(cells[headers.indexOf(column)])
  return html`${column}: ${value === '' ? html`<em>empty</em>` : html`<strong>${value}</strong>`}`
}

/** How many rows are in memory at once. */
const AT_ONCE = 500

/** A file of the rejected rows: each as it was uploaded, after its number and what is wrong with it. */
export async function rejectedRows(c: ConsoleContext, list: Import): Promise<Response> {
  const { store } = c.get('frame').deps
  await itsTurn(c)
  await audit(c, 'exported the rejected rows of a list', { detail: listNumber(list.id) })
  async function* batches() {
    yield [['Row', 'Problem', ...list.headers]]
    for (let after = 0; ; ) {
      const rows = await store.readImportRows(list.id, { after, limit: AT_ONCE, outcome: 'rejected' })
      const last = rows.at(-1)
      if (last === undefined) return
      yield rows.map(({ row, problems, cells: given }) => [row, problemsInWords(problems), ...given])
      after = last.row
    }
  }
  return download(c, { name: `rejected-${list.id}`, format: 'csv' }, csvPieces(batches()))
}
