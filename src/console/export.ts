/** Exports the leads of a filter as CSV or XLSX, streamed, and records who did. */
import { html } from 'hono/html'
import { audit } from './audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from './context.ts'
import { csvPieces, download } from './download.ts'
import { exportRows } from './export-rows.ts'
import { filterOf, partsInWords, queryOf, readFields } from './inbox-filter.ts'
import { page } from './layout.ts'

const PATH = '/export'

export const exportRoutes = (_: ConsoleDeps): ConsoleRoute[] => [
  { method: 'GET', path: PATH, action: 'export leads', menu: 'Export', handle: exportPage },
  { method: 'GET', path: '/export/leads.csv', action: 'export leads', handle: c => file(c, 'csv') },
  {
    method: 'GET',
    path: '/export/leads.xlsx',
    action: 'export leads',
    handle: c => file(c, 'xlsx'),
  },
]

async function exportPage(c: ConsoleContext) {
  const fields = readFields(c.req.query())
  const { store, settings } = c.get('frame').deps
  const labels = [...(await store.listLabels('tag')), ...(await store.listLabels('program'))]
  const parts = partsInWords(fields, { settings, labels })
  const all = fields.stage === 'any' || fields.q !== '' || fields.waiting === '1'
  const query = queryOf(fields)
  return page(
    c,
    { title: 'Export', current: PATH },
    html`<section class="panel">
<p>The file has one row for each lead: <strong>${parts.length === 0 ? (all ? 'all leads' : 'all open leads') : parts.map(({ words }) => words).join(', ')}</strong>. To choose others, filter the <a href="/inbox${query}">inbox</a> and press Export there${all ? '' : html`, or <a href="/export?stage=any">export all leads</a>, closed ones too`}.</p>
<div class="actions"><a class="button" href="/export/leads.xlsx${query}" download>Excel (XLSX)</a><a class="button secondary" href="/export/leads.csv${query}" download>CSV</a></div>
<p class="quiet small">Large files take a while. The audit log records each export. In CSV, a cell that a spreadsheet would run as a formula begins with an apostrophe; for phone numbers as they are, use XLSX.</p>
</section>`,
  )
}

/** The filters that are words of people who wrote in, or of staff. */
const wordFilters = [
  { name: 'q', what: 'search words' },
  { name: 'campaign', what: 'a campaign' },
  { name: 'from', what: 'where they came from' },
  { name: 'source', what: 'how they heard of us' },
] as const
const NO_WORDS = { q: '', campaign: '', from: '', source: '' }

async function file(c: ConsoleContext, format: 'csv' | 'xlsx'): Promise<Response> {
  const { store, settings, calendar, clock } = c.get('frame').deps
  const fields = readFields(c.req.query())
  const filter = filterOf(fields, { operator: c.get('operator'), settings, calendar })
  // The log outlives a person who is erased, and the words of these may name one.
  const words = wordFilters.filter(({ name }) => fields[name] !== '')
  const others = queryOf({ ...fields, ...NO_WORDS }).slice(1)
  const parts = [others, ...words.map(({ what }) => what)].filter(Boolean)
  const detail = `${format}: ${parts.join(', ') || 'all open leads'}`
  await audit(c, 'exported leads', { detail })
  const rows = exportRows(store, filter, settings.admissions)
  // Needed by those alone who export.
  const bytes = format === 'csv' ? csvPieces(rows) : (await import('./xlsx.ts')).xlsx(rows)
  return download(c, { name: `leads-${calendar.today(clock.now())}`, format }, bytes)
}
