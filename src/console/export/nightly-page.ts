/** The page on which admins schedule nightly exports: the leads of a saved view are written into a file every night. */
import { html } from 'hono/html'
import { counted } from '../../leads/body/tidy-text.ts'
import type { NightlyExport } from '../../store/nightly/nightly-exports.ts'
import { nextAt } from '../../tasks/nightly-exports.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { field, fieldsOf, numberOf, option } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { queryOf, readFields } from '../lists/inbox-filter.ts'
import { dateOf, exportResult } from './nightly-results.ts'

const PATH = '/export/nightly'
const ONE = `${PATH}/:id{[0-9]{1,15}}`
const ACTION = 'schedule exports'

/** Limited, because the exports of a night run one after another. */
const MOST_EXPORTS = 20

export const nightlyRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, c => nightlyPage(c, { name: '', view: '', hour: '2', keepDays: '7' })),
  post(PATH, ACTION, add),
  post(`${ONE}/now`, ACTION, async (c, { store, clock, changed }) => {
    const { id, name } = await exportOf(c)
    const audit = auditEntries(c, 'had a nightly export written', { detail: name })
    await store.writeExportNow(id, { now: clock.now(), audit })
    changed(['exports'])
    return redirect(c, PATH, { text: `${name} is being written. Reload this page to see its result.` })
  }),
  post(`${ONE}/delete`, ACTION, async (c, { store, clock }) => {
    const { id, name } = await exportOf(c)
    await store.deleteNightlyExport(id, {
      now: clock.now(),
      audit: auditEntries(c, 'deleted a nightly export', { detail: name }),
    })
    return redirect(c, PATH, { text: `${name} is no longer written. Its files stay.` })
  }),
]

const exportOf = async (c: ConsoleContext): Promise<NightlyExport> =>
  existing('nightly export', await c.get('frame').deps.store.readNightlyExport(idIn(c)))

type EnteredExport = { name: string; view: string; hour: string; keepDays: string }
type ExportProblems = Partial<Record<keyof EnteredExport, string>>

async function add(c: ConsoleContext, { store, clock, settings }: ConsoleDeps) {
  const { name = '', view = '', hour = '', keepDays = '' } = await fieldsOf(c)
  const entered = { name: name.trim().toLowerCase(), view, hour, keepDays }
  const views = await store.listViews(c.get('operator').id)
  const chosen = views.find(({ id }) => id === numberOf(view))
  const [at, days] = [numberOf(hour) ?? 24, numberOf(keepDays) ?? 0]
  const read = chosen && filterFor(c, chosen.filter)
  const problems: ExportProblems = {
    ...(/^[a-z0-9][a-z0-9-]{0,39}$/.test(entered.name)
      ? {}
      : { name: 'Use up to 40 letters from a to z, digits and hyphens, such as new-students.' }),
    ...(read === undefined ? { view: 'Choose a view.' } : 'problem' in read && { view: read.problem }),
    ...(at > 23 && { hour: 'Choose an hour.' }),
    ...((days < 1 || days > 365) && { keepDays: 'Enter 1 to 365 days.' }),
  }
  if (read === undefined || 'problem' in read || Object.keys(problems).length > 0)
    return nightlyPage(c, entered, problems)
  if ((await store.listNightlyExports()).length >= MOST_EXPORTS)
    throw new ConsoleError(422, `There are ${MOST_EXPORTS} nightly exports already. Delete one first.`)
  const now = clock.now()
  const added = await store.addNightlyExport(
    { name: entered.name, filter: read.filter, hour: at, keepDays: days, createdBy: c.get('operator').name },
    {
      dueAt: nextAt(at, now, settings.school.timeZone),
      now,
      audit: auditEntries(c, 'scheduled a nightly export', { detail: entered.name }),
    },
  )
  if (!added) return nightlyPage(c, entered, { name: 'Another nightly export has this name.' })
  return redirect(c, PATH, { text: `${entered.name} will be written every night.` })
}

/** The filter of a view, independent of who uses it: `me` becomes the counselor who chose it. */
function filterFor(c: ConsoleContext, filter: string): { filter: string } | { problem: string } {
  const fields = readFields(Object.fromEntries(new URLSearchParams(filter)))
  // Erasing a person deletes the views that search for them, so the words of a search may not be stored anywhere else.
  if (fields.q !== '') return { problem: 'This view searches for words. Choose one that only filters.' }
  if (fields.who !== 'me') return { filter: queryOf(fields).slice(1) }
  const { counselor } = c.get('operator')
  if (counselor === undefined) return { problem: 'This view shows your own leads, and you have none. Choose another.' }
  return { filter: queryOf({ ...fields, who: counselor }).slice(1) }
}

async function nightlyPage(c: ConsoleContext, entered: EnteredExport, problems: ExportProblems = {}) {
  const { store, config } = c.get('frame').deps
  const exports = await store.listNightlyExports()
  const views = await store.listViews(c.get('operator').id)
  return page(
    c,
    {
      title: 'Nightly exports',
      current: '/export',
      width: 'wide',
      status: Object.keys(problems).length > 0 ? 422 : 200,
    },
    html`<p class="back"><a href="/export">Back to export</a></p>
<p>The leads in a saved view, as a CSV file in the folder <code>${config.exportDir}</code> of the server, every night: for a student information system, or for a program that sends it on.</p>
${exports.length === 0 ? '' : table(c, exports)}
<section class="panel"><h2>Add a nightly export</h2>
${
  views.length === 0
    ? html`<p>Save a view first: filter the <a href="/inbox">inbox</a>, and open <em>Save as view</em> there.</p>`
    : html`<form method="post" action="${PATH}" class="stack">
<label for="view">View</label>${problems.view === undefined ? '' : html`<p class="problem">${problems.view}</p>`}
<select id="view" name="view" required>${views.map(({ id, name }) => option(id, name, String(id) === entered.view))}</select>
${field({ name: 'name', label: 'Name of its files', autocomplete: 'off', value: entered.name, hint: 'Such as new-students: the file is then new-students-2026-11-26.csv.', problem: problems.name })}
<label for="hour">Written at</label><p class="hint" id="hour-hint">In the school’s time.</p>${problems.hour === undefined ? '' : html`<p class="problem">${problems.hour}</p>`}
<select id="hour" name="hour" aria-describedby="hour-hint">${Array.from({ length: 24 }, (_, hour) => option(hour, `${hour}:00`, String(hour) === entered.hour))}</select>
${field({ name: 'keepDays', label: 'Days until a file is deleted', type: 'number', autocomplete: 'off', value: entered.keepDays, hint: 'Until then, an erased person stays in it.', problem: problems.keepDays })}
<button>Add it</button>
</form>`
}
</section>`,
  )
}

const table = (c: ConsoleContext, exports: readonly (NightlyExport & { dueAt: number })[]): Html =>
  html`<table class="table stacked"><thead><tr><th scope="col">Files</th><th scope="col">Result</th><th scope="col">Next</th><th scope="col"><span class="hidden">Actions</span></th></tr></thead>
<tbody>${exports.map(
    one => html`<tr><td>${one.name}<br><span class="quiet small">kept for ${counted(one.keepDays, 'day')}, by ${one.createdBy}</span></td>
<td>${exportResult(c, one)}</td><td>${dateOf(c, one.dueAt)}</td>
<td><div class="actions"><form method="post" action="${PATH}/${one.id}/now"><button class="secondary small">Write it now<span class="hidden"> (${one.name})</span></button></form>
<form method="post" action="${PATH}/${one.id}/delete"><button class="danger small">Delete it<span class="hidden"> (${one.name})</span></button></form></div></td></tr>`,
  )}</tbody></table>`
