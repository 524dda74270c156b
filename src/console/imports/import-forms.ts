/** The forms of an import: choosing a file, and saying what its columns contain. */
import { html, raw } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { assignees } from '../../lead-actions/assign.ts'
import { listValues } from '../../lead-actions/list-values.ts'
import { languageName } from '../../leads/body/languages.ts'
import { inDigits } from '../../leads/body/tidy-text.ts'
import { FILE_LIMITS } from '../../leads/import/csv-upload.ts'
import { type ImportPlan, shortCell } from '../../leads/import/inquiry-of-row.ts'
import { fieldsToChoose, importFieldName } from '../../leads/import/list-columns.ts'
import { actorName } from '../../leads/lead/staff.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import type { Import } from '../../store/imports/imports.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { checkbox, field, option, suggestions } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { stateInWords } from './import-result.ts'
import { statusUpload } from './status-list-form.ts'

/** How many imports the page lists, and how many rows of a file it shows. */
const LISTED = 30
const SHOWN = 5

/** The page on which an import begins, with a list of earlier imports. */
export async function startPage(c: ConsoleContext, problem?: string) {
  const { store } = c.get('frame').deps
  const { lists, folderAlarm } = await store.readImportsPage(LISTED)
  return page(
    c,
    { title: 'Import', current: '/import', width: 'wide', status: problem === undefined ? 200 : 422 },
    html`<section class="panel">
<p>Import a list of people: from a fair, a phone list, or another program. Save it as CSV, with a name and an email address or a phone number in each row, and for sites, the company and its postal address, too.</p>
<form method="post" action="/import" enctype="multipart/form-data" class="stack">
<label for="file">File</label>
<p class="hint" id="file-hint">CSV, up to ${inDigits(FILE_LIMITS.rows)} rows and ${FILE_LIMITS.bytes / 1e6} MB.</p>
${problem === undefined ? '' : html`<p class="problem" id="file-problem" role="alert">${problem}</p>`}
<input id="file" name="file" type="file" accept=".csv,.txt,.tsv,text/csv" required aria-describedby="file-hint${problem === undefined ? '' : ' file-problem'}"${problem === undefined ? '' : raw(' aria-invalid="true"')}>
<button>Upload</button>
</form>
<p class="quiet small">First you see what would happen; nothing is imported until you say so. You can undo an import as a whole for a day. After that day, the uploaded rows are deleted.</p>
</section>
${statusUpload(c, folderAlarm)}
${lists.length === 0 ? '' : listOf(c, lists)}`,
  )
}

function listOf(c: ConsoleContext, lists: readonly Import[]): Html {
  const { settings, clock } = c.get('frame').deps
  const moment = createShortDateFormat(settings.school)
  return html`<h2>Lists</h2>
<table class="table stacked"><thead><tr><th>List</th><th>Status</th><th>Uploaded</th><th>By</th><th>New or moved</th><th>Rejected</th></tr></thead><tbody>
${lists.map(
  list =>
    html`<tr><td><a href="/import/${list.id}">${list.plan?.source ?? list.fileName}</a>${list.purpose === 'status' ? html`<br><span class="quiet small">moves leads</span>` : ''}</td><td>${stateInWords[list.state]}</td>${labeled('Uploaded', moment(list.createdAt, clock.now()))}${labeled('By', actorName(list.createdBy, settings.admissions))}${list.purpose === 'status' ? labeled('Moved', inDigits(list.counts.moved)) : labeled('New', inDigits(list.counts.opened))}${labeled('Rejected', inDigits(list.counts.rejected))}</tr>`,
)}
</tbody></table>`
}

/** A cell with the name of its column, for screens on which the row is a card. */
const labeled = (label: string, text: string): Html => html`<td><span class="cell-label">${label}</span>${text}</td>`

/** The form that says what a list contains: first what is true of all its people, then the columns with first rows. */
export async function planForm(
  c: ConsoleContext,
  { id, headers }: Import,
  plan: ImportPlan & { recalled: boolean },
  problems: readonly string[],
): Promise<Html> {
  const { deps } = c.get('frame')
  const { store, settings } = deps
  const rows = await store.readImportRows(id, { after: 0, limit: SHOWN })
  const choices = await assignees(deps)
  const fields = fieldsToChoose(plan.kind, listValues(settings))
  const { sites } = await store.recentOrigins()
  const owner = plan.owner === null ? 'team' : plan.owner
  return html`<form method="post" action="/import/${id}/check">
${problems.map(problem => html`<p class="problem" role="alert">${problem}</p>`)}
${plan.recalled ? html`<p class="quiet">The columns are chosen as for the last list with these headers.</p>` : ''}
<section class="panel"><div class="stack">
<label for="kind">These people are</label>
<div class="inline"><select id="kind" name="kind">${Object.entries(kindTitles).map(([kind, title]) => option(kind, title, kind === plan.kind))}</select><button class="secondary" name="guess" value="1" formnovalidate>Match the columns again</button></div>
${field({
  name: 'source',
  label: 'Where they come from',
  value: plan.source,
  list: 'sites',
  autocomplete: 'off',
  hint: 'Such as: Fair Austin 2026-11. You can filter the inbox by it.',
})}
${suggestions('sites', sites)}
${
  choices.length === 0
    ? ''
    : html`<label for="owner">Counselor</label><select id="owner" name="owner">${option('', plan.kind === 'site' ? 'The team, as usual' : 'As usual: by state, language and turn', owner === undefined)}${choices.map(({ id: value, name }) => option(value, value === 'team' ? `No one: ${name}` : name, value === owner))}</select>`
}
${
  settings.languages.length === 1
    ? ''
    : html`<label for="language">Their language</label><select id="language" name="language">${settings.languages.map(tag => option(tag, languageName(tag), tag === plan.language))}</select>`
}
${
  plan.kind === 'site'
    ? ''
    : html`${checkbox('mayWrite', 'They all agreed to get emails from us', plan.mayWrite)}
<p class="hint">Otherwise they get no email from us. If they agreed, they get the follow-up emails, but no receipt.</p>`
}
</div></section>
<h2>Columns</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Columns and first rows"><table class="table import-columns"><thead><tr>${headers.map(
    (header, i) =>
      html`<th scope="col"><label for="column-${i}">${header}</label><select id="column-${i}" name="column-${i}">${option('', 'Leave out', plan.columns[i] === null)}${fields.map(name => option(name, importFieldName(name), plan.columns[i] === name))}</select></th>`,
  )}</tr></thead><tbody>
${rows.map(({ cells }) => html`<tr>${headers.map((_, i) => html`<td dir="auto">${shortCell(cells[i])}</td>`)}</tr>`)}
</tbody></table></div>
<div class="actions"><button>Check all rows</button><button class="secondary" formaction="/import/${id}/discard" formnovalidate>Discard</button></div>
</form>`
}
