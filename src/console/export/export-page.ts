/** Exports the leads that match a filter as CSV or XLSX, streamed, and records who exported them. */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { counted } from '../../leads/body/tidy-text.ts'
import type { InboxFilter } from '../../store/lists/filter.ts'
import type { Store } from '../../store/store.ts'
import { may } from '../frame/access.ts'
import { audit } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { csvPieces, download, itsTurn } from '../frame/download.ts'
import { type Html, page } from '../frame/layout.ts'
import { get } from '../frame/routes.ts'
import { filterOf, partsInWords, queryOf, readFields } from '../lists/inbox-filter.ts'
import { exportRows } from './export-rows.ts'
import { nightlyRoutes } from './nightly-page.ts'
import { type Export, type ExportProgress, ExportsUnderWay, type Run, type Span } from './progress.ts'

const PATH = '/export'

export function exportRoutes({ clock }: ConsoleDeps): ConsoleRoute[] {
  const underWay = new ExportsUnderWay(() => clock.now())
  const action = 'export leads'
  return [
    get(PATH, action, c => exportPage(c, underWay), { menu: 'Export' }),
    get('/export/leads.csv', action, c => file(c, 'csv', underWay)),
    get('/export/leads.xlsx', action, c => file(c, 'xlsx', underWay)),
    get('/export/progress', action, c => progress(c, underWay)),
    ...nightlyRoutes,
  ]
}

async function exportPage(c: ConsoleContext, underWay: ExportsUnderWay) {
  const fields = readFields(c.req.query())
  const { deps, assets } = c.get('frame')
  const { store, settings, clock } = deps
  const shortDate = createShortDateFormat(settings.school)
  const moment = (time: number) => shortDate(time, clock.now())
  const recent = underWay.recentOf(c.get('operator').id)
  const labels = await store.listLabels('tag', 'program')
  const parts = partsInWords(fields, { settings, labels })
  const all = fields.stage === 'any' || fields.q !== '' || fields.waiting === '1'
  const query = queryOf(fields)
  return page(
    c,
    { title: 'Export', current: PATH },
    html`<section class="panel">
<p>The file has one row for each lead: <strong>${parts.length === 0 ? (all ? 'all leads' : 'all open leads') : parts.map(({ words }) => words).join(', ')}</strong>. To choose others, filter the <a href="/inbox${query}">inbox</a> and press Export there${all ? '' : html`, or <a href="/export?stage=any">export all leads</a>, closed ones too`}.</p>
<div class="actions"><a class="button" href="/export/leads.xlsx${query}" download data-export>Excel (XLSX)</a><a class="button secondary" href="/export/leads.csv${query}" download data-export>CSV</a></div>
<div class="after-actions" data-export-progress>${recent.map(one => exportInWords(one, moment))}</div>
<p class="quiet small">A file with many leads takes a while. You can leave this page; when you come back, it says how far along the file is. The audit log records each export. In CSV, dates are in UTC, and a cell that a spreadsheet would run as a formula gets an apostrophe before it. Use XLSX for unchanged phone numbers, and for dates in the school's time.</p>
${may(c.get('operator'), 'schedule exports') ? html`<p><a href="/export/nightly">Nightly exports into a folder</a></p>` : ''}
</section>
<script src="${assets['export.js']}" type="module"></script>`,
  )
}

/** The progress of an export, for someone who comes back to the page. The script then keeps it up to date. */
const exportInWords = ({ run, format, begun, progress }: Export, moment: (time: number) => string): Html =>
  html`<div data-run="${run}"><p class="quiet small">${format.toUpperCase()} file, begun ${moment(begun)}</p><div data-words>${inWords(progress)}</div></div>`

/** What the page says below the buttons while a file is being made. */
function progress(c: ConsoleContext, underWay: ExportsUnderWay) {
  const run = runOf(c)
  const found = run && underWay.progressOf(run)
  return found === undefined ? c.body(null, 404) : c.html(inWords(found))
}

function inWords({ state, leads, share }: ExportProgress): Html {
  const sum = counted(leads, 'lead')
  if (state === 'waiting') return html`<p>Waiting until another file of yours is done.</p>`
  if (state === 'refused')
    return html`<p class="problem" data-ended>Not started: other files of yours are still being made. Start it again when one of them is done.</p>`
  if (state === 'complete')
    return html`<p data-ended>Everything is in the file: ${sum}. Your browser shows when the download is done.</p>`
  if (state === 'stopped')
    return html`<p class="problem" data-ended>The download stopped after ${sum}. Start it again.</p>`
  const percent = share === undefined ? undefined : Math.floor(share * 100)
  return html`<p>${sum} so far${percent === undefined ? '' : `, about ${percent}%`}</p>
<progress max="100"${percent === undefined ? '' : html` value="${percent}"`} aria-label="Leads in the file"></progress>`
}

/** The export that a request asks about, or that its page will ask about; undefined if there is none. */
function runOf(c: ConsoleContext): Run | undefined {
  const run = c.req.query('run')
  return run === undefined ? undefined : { operator: c.get('operator').id, run: run.slice(0, LONGEST_RUN) }
}

/** The longest name of a run, in characters. The names that the page's script makes are shorter. */
const LONGEST_RUN = 20

/** The filters whose values are words that people who wrote in, or staff, have typed. */
const wordFilters = [
  { name: 'q', what: 'search words' },
  { name: 'campaign', what: 'a campaign' },
  { name: 'from', what: 'where they came from' },
  { name: 'source', what: 'how they heard of us' },
] as const
const NO_WORDS = { q: '', campaign: '', from: '', source: '' }

async function file(c: ConsoleContext, format: 'csv' | 'xlsx', underWay: ExportsUnderWay): Promise<Response> {
  const { store, settings, calendar, clock } = c.get('frame').deps
  const fields = readFields(c.req.query())
  const filter = filterOf(fields, { operator: c.get('operator'), settings, calendar })
  // Audit entries remain after a person is erased, and the words of a search may name that person.
  const words = wordFilters.filter(({ name }) => fields[name] !== '')
  const others = queryOf({ ...fields, ...NO_WORDS }).slice(1)
  const parts = [others, ...words.map(({ what }) => what)].filter(Boolean)
  const detail = `${format}: ${parts.join(', ') || 'all open leads'}`
  const run = runOf(c)
  if (run) underWay.beforeItBegins({ ...run, format }, 'waiting')
  try {
    await itsTurn(c)
  } catch (error) {
    if (run) underWay.beforeItBegins({ ...run, format }, 'refused')
    throw error
  }
  await audit(c, 'exported leads', { detail })
  const leads = exportRows(store, filter, settings.admissions)
  const rows = run ? underWay.follow({ ...run, format }, await spanOf(store, filter), leads) : leads
  // Loaded here, because only exports need it.
  const bytes = format === 'csv' ? csvPieces(rows) : (await import('./xlsx.ts')).xlsx(rows, calendar)
  return download(c, { name: `leads-${calendar.today(clock.now())}`, format }, bytes)
}

/** The ids of the newest lead, with which a file begins, and the oldest; undefined if finding them takes too long. */
async function spanOf(store: Store, filter: InboxFilter): Promise<Span | undefined> {
  // The results of a search are not in the order of their ids.
  if (filter.words !== undefined) return undefined
  const [newest, oldest] = await Promise.all(
    (['newest', 'oldest'] as const).map(order => store.listInbox(filter, { order, limit: 1 })),
  )
  const first = newest?.rows[0]?.lead.id
  const last = oldest?.rows[0]?.lead.id
  return first === undefined || last === undefined ? undefined : { first, last }
}
