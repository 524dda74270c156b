/** The forms of a status list: choosing a file, and saying what its columns contain. */
import { html } from 'hono/html'
import { firstStatusPlan } from '../../lead-actions/upload-list.ts'
import { counted } from '../../leads/body/tidy-text.ts'
import { shortCell } from '../../leads/import/inquiry-of-row.ts'
import { type StatusPlan, statusFieldNames, statusFields } from '../../leads/import/status-list.ts'
import type { Import } from '../../store/imports/imports.ts'
import type { Alarm } from '../../store/operators/alarms.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { option } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'

const SHOWN = 5

/** The form that uploads a status list, and the problems with files in the folder. */
export function statusUpload(c: ConsoleContext, trouble: Pick<Alarm, 'title' | 'text'> | undefined): Html {
  const { config } = c.get('frame').deps
  return html`<section class="panel"><h2>Who has applied or enrolled</h2>
<p>A list from your student information system, with an email address or a lead id and a status in each row, moves leads to <em>Applied</em> or <em>Enrolled</em>. It adds no one, and moves no lead back.</p>
${trouble === undefined ? '' : html`<p class="problem"><strong>${trouble.title}</strong> ${trouble.text}</p>`}
<form method="post" action="/import" enctype="multipart/form-data" class="stack">${hidden({ purpose: 'status' })}
<label for="status-file">Status list</label>
<input id="status-file" name="file" type="file" accept=".csv,.txt,.tsv,text/csv" required>
<button>Upload the status list</button>
</form>
<p class="quiet small">Once you have imported one, files with the same columns in the folder <code>${config.statusDir}</code> of the server are imported automatically.</p>
</section>`
}

/** The page on which someone says what the columns contain, above the first rows. */
export async function statusPlanPage(
  c: ConsoleContext,
  list: Import,
  { plan, problems = [] }: { plan?: StatusPlan; problems?: readonly string[] } = {},
) {
  const { store } = c.get('frame').deps
  const { id, headers, statusPlan } = list
  const chosen = plan ?? statusPlan ?? (await firstStatusPlan(store, list))
  const rows = await store.readImportRows(id, { after: 0, limit: SHOWN })
  return page(
    c,
    { title: list.fileName, current: '/import', width: 'wide', status: problems.length === 0 ? 200 : 422 },
    html`<p class="quiet">${counted(list.rows, 'row')}. No lead is moved yet.</p>
<form method="post" action="/import/${id}/check">
${problems.map(problem => html`<p class="problem" role="alert">${problem}</p>`)}
${'recalled' in chosen && chosen.recalled ? html`<p class="quiet">The columns are chosen as for the last list with these headers.</p>` : ''}
<h2>Columns</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Columns and first rows"><table class="table import-columns"><thead><tr>${headers.map(
      (header, i) =>
        html`<th scope="col"><label for="column-${i}">${header}</label><select id="column-${i}" name="column-${i}">${option('', 'Leave out', !chosen.columns[i])}${statusFields.map(name => option(name, statusFieldNames[name], chosen.columns[i] === name))}</select></th>`,
    )}</tr></thead><tbody>
${rows.map(({ cells }) => html`<tr>${headers.map((_, i) => html`<td dir="auto">${shortCell(cells[i])}</td>`)}</tr>`)}
</tbody></table></div>
<div class="actions"><button>Check all rows</button><button class="secondary" formaction="/import/${id}/discard" formnovalidate>Discard</button></div>
</form>`,
  )
}

/** The choices in the form. The meanings of words come from the form or, if it has none, from earlier choices. */
export async function statusPlanOf(
  c: ConsoleContext,
  list: Import,
  fields: Record<string, string | undefined>,
): Promise<StatusPlan> {
  const { meanings } = list.statusPlan ?? (await firstStatusPlan(c.get('frame').deps.store, list))
  const columns = list.headers.map((_, i) => statusFields.find(field => field === fields[`column-${i}`]) ?? null)
  return { columns, meanings }
}
