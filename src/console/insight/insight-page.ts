/** Insight: how many people wrote in, how fast they were reached, how far they got, and where they came from. */
import { html, raw } from 'hono/html'
import { createDateFormat } from '../../content/date-format.ts'
import { kinds } from '../../leads/body/submission.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import { MINUTE } from '../../platform/time.ts'
import type { Insight } from '../../store/insight/insight.ts'
import { messageInWords } from '../cadence/step-timeline.ts'
import { may } from '../frame/access.ts'
import type { ConsoleContext, ConsoleRoute } from '../frame/context.ts'
import { downloadTable } from '../frame/download.ts'
import { notFound } from '../frame/error-pages.ts'
import { option } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { numberTable } from '../frame/number-table.ts'
import { get } from '../frame/routes.ts'
import { columnChart, legend } from './charts.ts'
import { periodInWords, periodsOf, shortLabel } from './days.ts'
import { emailSections, emailTables, readEmailInsight } from './emails.ts'
import { countersOf, enteredSection, funnels, sources, times } from './insight-sections.ts'
import { type InsightRange, queryOfRange, rangeInWords, ranges, readRange } from './range.ts'
import { costSection, costTables } from './source-costs.ts'
import { csvTables } from './split-tables.ts'

const PATH = '/insight'

const titles = kinds.map(kind => kindTitles[kind])

/** Counts are usually a few seconds behind. If they are more than this behind, in milliseconds, the page says so. */
const LATE = MINUTE

export const insightRoutes: ConsoleRoute[] = [
  get(PATH, 'see insight', insightPage, { menu: 'Insight' }),
  get(`${PATH}/:file`, 'see insight', insightFile),
]

async function insightPage(c: ConsoleContext) {
  const { deps } = c.get('frame')
  const { settings } = deps
  const { range, insight } = await read(c)
  const emails = await readEmailInsight(deps, range)
  const file = (table: string): Html =>
    html`<a class="small" href="${PATH}/${table}.csv${queryOfRange(range)}" download>CSV</a>`
  const mayEnter = may(c.get('operator'), 'record costs')
  const section = {
    insight,
    range,
    settings,
    messages: { student: messageInWords(deps, 'student'), site: messageInWords(deps, 'site') },
    file,
    costs: costSection({ costs: await deps.store.readSourceCosts(range), range, settings, file, mayEnter }),
  }
  return page(
    c,
    { title: 'Insight', current: PATH, width: 'wide' },
    html`${rangeForm(range)}
<p class="insight-range">${rangeInWords(range, settings.school)}</p>
${lag(c, insight)}
${
  insight.all.leads === 0
    ? html`<div class="empty"><h2>No one wrote in</h2><p>Choose other days, or <a href="/inbox">see the open leads</a>.</p></div>`
    : html`${countersOf(section)}
${jumpLinks(insight, range)}
${perDay(c, section)}
${times(section)}
${funnels(section)}
${sources(section)}`
}
${enteredSection(section)}
${emailSections({ ...section, ...emails })}`,
  )
}

/** Links to the sections, for a phone. */
function jumpLinks({ entered }: Insight, range: InsightRange): Html {
  const links = [
    ['per-period', `Per ${periodsOf(range, { days: [] }).unit}`],
    ['times', 'Time until reached'],
    ['stages', 'How far they came'],
    ['sources', 'Where they came from'],
    ...(entered.leads === 0 ? [] : [['entered', 'Imported and entered']]),
    ['emails', 'Emails'],
  ]
  return html`<nav class="sections" aria-label="Sections"><ul class="choices">${links.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`
}

async function read(c: ConsoleContext): Promise<{ range: InsightRange; insight: Insight }> {
  const { store, clock, calendar } = c.get('frame').deps
  const today = calendar.today(clock.now())
  const range = readRange(c.req.query(), today)
  const { from, kind } = range
  // A range that ends in the future has the same leads, and the count of a whole month is quicker to read than the
  // counts of its days.
  const to = range.to === today ? lastOfMonth(today) : range.to
  return { range, insight: await store.readInsight({ from, to, kind }) }
}

const lastOfMonth = (day: string): string => {
  const date = Temporal.PlainDate.from(day)
  return date.with({ day: date.daysInMonth }).toString()
}

function rangeForm(range: InsightRange): Html {
  const { kind, from, to } = range
  const link = ([name, title]: [string, string]) =>
    html`<li><a href="${PATH}?${new URLSearchParams({ range: name, ...(kind && { kind }) })}"${name === range.name ? raw(' aria-current="true"') : ''}>${title}</a></li>`
  const choice = (value: string, title: string) => option(value, title, value === (kind ?? ''))
  return html`<nav aria-label="Range"><ul class="choices">${Object.entries(ranges).map(link)}</ul></nav>
<form method="get" action="${PATH}" class="inline filter range">
<div><label for="kind">Who</label><select id="kind" name="kind">${choice('', 'Students and sites')}${kinds.map(kind => choice(kind, kindTitles[kind]))}</select></div>
<div><label for="since">First day</label><input id="since" name="since" type="date" value="${from}"></div>
<div><label for="until">Last day</label><input id="until" name="until" type="date" value="${to}"></div>
<button class="secondary">Show</button>
</form>`
}

/** Which changes the counts do not include yet. */
function lag(c: ConsoleContext, { changedSince }: Insight): Html | '' {
  const { clock, settings } = c.get('frame').deps
  if (changedSince === null || clock.now() - changedSince < LATE) return ''
  return html`<p class="banner" role="status">As of ${createDateFormat(settings.school)(changedSince)}: what has changed since is still being counted.</p>`
}

function perDay(c: ConsoleContext, { insight, range, file }: Parameters<typeof times>[0]): Html {
  const { school } = c.get('frame').deps.settings
  const { unit, periods } = periodsOf(range, insight)
  const columns = periods.map(({ from, student, site }) => ({
    label: shortLabel(from, unit, school),
    parts: [student, site],
  }))
  return html`<section class="panel" id="per-period"><div class="section-head"><h2>Wrote in per ${unit}</h2>${range.kind === undefined ? legend(titles, 'part') : ''}${file('days')}</div>
${columnChart(columns)}
<details><summary>As a table</summary>${numberTable(`Wrote in per ${unit}`, {
    of: capital(unit),
    columns: titles,
    rows: periods.map(period => ({ name: periodInWords(period, school), cells: [period.student, period.site] })),
  })}</details></section>`
}

async function insightFile(c: ConsoleContext) {
  const { deps } = c.get('frame')
  const { settings } = deps
  const { range, insight } = await read(c)
  const table = (c.req.param('file') ?? '').replace(/\.csv$/, '')
  const tables: Record<string, Record<string, unknown>[]> = {
    ...csvTables(insight, range.kind, settings),
    ...emailTables(await readEmailInsight(deps, range)),
    ...costTables(await deps.store.readSourceCosts(range), range),
  }
  if (!Object.hasOwn(tables, table)) return notFound(c)
  return downloadTable(c, `insight-${table}-${range.from}-${range.to}`, tables[table] ?? [])
}
