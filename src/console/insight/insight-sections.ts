/** The sections of insight: key figures, how fast people were reached, how far they got, and where they came from. */
import { html } from 'hono/html'
import { formsOf } from '../../config/school-forms.ts'
import type { Settings } from '../../config/settings.ts'
import { roughly } from '../../content/date-format.ts'
import { titleOfNamed } from '../../content/form-titles.ts'
import { type ContactTimes, contactBands } from '../../follow-up/times-to-reach.ts'
import { type Kind, kinds } from '../../leads/body/submission.ts'
import { capital, inDigits, share } from '../../leads/body/tidy-text.ts'
import { TEAM } from '../../leads/lead/staff.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import { NOT_COUNTED } from '../../mail/report/report-words.ts'
import type { Insight } from '../../store/insight/insight.ts'
import type { Html } from '../frame/layout.ts'
import { BAR, numberTable, numberWith } from '../frame/number-table.ts'
import { type FilterFields, queryOf } from '../lists/inbox-filter.ts'
import { bar, legend } from './charts.ts'
import { counterList } from './counters.ts'
import type { InsightRange } from './range.ts'
import { namesOfEntered, type SplitName, type SplitRow, splitRows, splitTitles, stageNames } from './split-tables.ts'

type Section = {
  insight: Insight
  range: InsightRange
  settings: Settings
  /** The link to a table as CSV. */
  file: (table: string) => Html
  costs: Html
}

/** The key figures. */
export function countersOf({ insight, range }: Section): Html {
  const { all, entered } = insight
  const last = all.stages.at(-1) ?? 0
  const half = all.leads > 0 && all.working.p50 === null ? 'not yet' : roughly(all.working.p50)
  const others = { title: 'Imported', value: inDigits(entered.leads), more: 'or entered by hand, not counted' }
  return html`${counterList([
    { title: 'Wrote in', value: numberOf(all.leads, { insight, range }, { stage: 'any' }) },
    { title: 'Reached', value: inDigits(all.reached), more: share(all.reached, all.leads) },
    { title: 'Half within', value: half, more: 'school hours' },
    {
      title: 'Not reached yet',
      value: numberOf(all.waiting, { insight, range }, { stage: 'new' }),
      more: share(all.waiting, all.leads),
    },
    { title: stageNames(range.kind).at(-1) ?? '', value: inDigits(last), more: share(last, all.leads) },
    ...(entered.leads === 0 ? [] : [others]),
  ])}
<p class="quiet small">${NOT_COUNTED}</p>`
}

/** A number of leads, as a link to them. No link if the inbox would also show people who were imported or entered. */
function numberOf(
  n: number,
  { insight, range }: Pick<Section, 'insight' | 'range'>,
  filter: Partial<FilterFields>,
): string | Html {
  return n === 0 || insight.entered.leads > 0
    ? inDigits(n)
    : html`<a href="/inbox${queryInRange(range, filter)}" aria-label="${inDigits(n)}: see these leads">${inDigits(n)}</a>`
}

/** The leads of a range that match a filter of the inbox. */
const queryInRange = ({ from, to, kind }: InsightRange, filter: Partial<FilterFields>): string =>
  queryOf({ stage: 'any', counted: '1', since: from, until: to, kind: kind ?? '', ...filter })

/** How fast people were reached: all together, and by counselor. */
export function times(section: Section): Html {
  const { insight, range, settings, file } = section
  const { all, by } = insight
  const total = all.leads
  const bands = [...contactBands.map(capital), 'Not reached']
  const parts = ({ bands: reached }: ContactTimes, leads: number, known: number) => [...reached, leads - known]
  const row = (hours: string, times: ContactTimes) => {
    const shown = parts(times, total, times.count)
    return {
      name: hours,
      cells: [...shown.map(n => numberWith(n, share(n, total))), roughly(times.p50), roughly(times.p95)],
      bar: bar(shown, total, 'band'),
    }
  }
  return html`<section class="panel" id="times"><div class="section-head"><h2>Time until someone reached them</h2>${legend(bands, 'band')}${file('times')}</div>
${numberTable('Time until someone reached them', {
  of: 'Counted in',
  columns: [...bands, 'Half within', '95% within'],
  rows: [row('School hours', all.working), row('All hours', all.wall)],
})}
<p class="quiet small">In school hours, an inquiry counts from the next time the school opens. “Half within” counts everyone who wrote in, “95% within” only those who were reached; both are rounded up.${all.closed === 0 ? '' : ` “Not reached” includes ${inDigits(all.closed)} whose lead was closed first.`}</p>
<div class="section-head"><h3>By counselor</h3>${file('counselor')}</div>
${numberTable('Time until someone reached them, by counselor', {
  of: 'Counselor',
  folded: true,
  columns: [
    'Wrote in',
    'Reached',
    'Within 1 hour',
    'Half within',
    '95% within',
    'Half, all hours',
    '95%, all hours',
    'Not reached yet',
    'Closed first',
  ],
  rows: splitRows('counselor', by.counselor, settings).map(one => {
    const { leads, reached, working, wall } = one
    const soon = (working.bands[0] ?? 0) + (working.bands[1] ?? 0)
    const waiting = { stage: 'new', who: one.value || TEAM }
    return {
      name: nameOf('counselor', one, section),
      cells: [
        leads,
        numberWith(reached, share(reached, leads)),
        numberWith(soon, share(soon, leads)),
        ...[working.p50, working.p95, wall.p50, wall.p95].map(roughly),
        one.value === undefined ? one.waiting : numberOf(one.waiting, { insight, range }, waiting),
        one.closed,
      ],
    }
  }),
})}
<p class="quiet small">A lead counts for the counselor who had it when the person was reached; until then, for the one who has it now. “Closed first” means that it was closed before anyone reached them. Times are school hours unless they say otherwise.</p></section>`
}

/** How far the people who wrote in during the range came, for each kind of lead. */
export function funnels({ insight, range, file }: Section): Html {
  const shown = kinds.filter(kind => (range.kind ?? kind) === kind && insight.byKind[kind].leads > 0)
  return html`<section class="panel" id="stages"><div class="section-head"><h2>How far they came</h2>${file('stages')}</div>
<div class="columns">${shown.map(kind => funnel(kind, insight))}</div>
<p class="quiet small">Those who wrote in on these days, by their stage now; a closed lead counts in the stage it had before.</p></section>`
}

function funnel(kind: Kind, { byKind }: Insight): Html {
  const { stages, leads } = byKind[kind]
  const title = kindTitles[kind]
  return html`<table class="funnel"><caption>${title}</caption>
<thead><tr><th scope="col"><span class="hidden">Stage</span></th><th scope="col" class="number"><span class="hidden">Leads</span></th><th scope="col" class="number">Of all</th><th scope="col" class="number">Of the previous stage</th></tr></thead>
<tbody>${stageNames(kind).map((name, index) => {
    const [n = 0, before = 0] = [stages[index], stages[index - 1]]
    return html`<tr><th scope="row">${name}</th><td class="number">${inDigits(n)}</td><td class="number">${share(n, leads)}</td><td class="number quiet">${index === 0 || before === 0 ? '' : share(n, before)}</td></tr>
<tr class="bar-row" aria-hidden="true"><td colspan="4">${bar([n], leads)}</td></tr>`
  })}</tbody></table>`
}

/** Which programs, sources, campaigns and states brought people, and how far those people came. */
export function sources(section: Section): Html {
  return html`<section class="panel" id="sources"><h2>Where they came from</h2>
<p>${best(section)}${bestHeard(section)}</p>
${(['program', 'form', 'source', 'heard', 'campaign', 'state'] as const).map(by => splitTable(by, section))}
${section.costs}</section>`
}

/** The words for people who reached the last stage. */
const arrivals = {
  student: 'students who enrolled',
  site: 'active sites',
  all: 'students who enrolled and active sites',
}

/** People who were imported or entered by hand, by where they came from. No other section counts them. */
export const enteredSection = (section: Section): Html | '' =>
  section.insight.entered.leads === 0
    ? ''
    : html`<section class="panel" id="entered"><h2>Imported and entered by hand</h2>
<p>These people did not write in, so they are not counted above.</p>
${splitTable('entered', section)}</section>`

/** The sentence about which source brings the people who reach the last stage. */
function best({ insight, range, settings }: Section): Html {
  const who = arrivals[range.kind ?? 'all']
  const last = insight.all.stages.at(-1) ?? 0
  if (last === 0) return html`There are no ${who} yet among those who wrote in on these days.`
  const { first, came, notKnown } = most(splitRows('source', insight.by.source, settings))
  const [only] = first
  if (only === undefined)
    return html`Where the ${inDigits(last)} ${who} came from is not known: only inquiries through our forms say so.`
  const part =
    first.length > 1
      ? html`${inDigits(came)} each`
      : html`${inDigits(came)}, which is ${share(came, only.leads)} of those who wrote in from there`
  return notKnown === 0
    ? html`${named(first)} brought the most ${who}: ${part}.`
    : html`Of the ${inDigits(last)} ${who}, the source of ${inDigits(notKnown)} is not known. Of the others, ${named(first)} brought the most: ${part}.`
}

/** The answer that people who enrolled gave most often when asked how they heard of the school. */
function bestHeard({ insight, settings }: Section): Html | '' {
  const all = insight.byKind.student.stages.at(-1) ?? 0
  const { first, came } = most(splitRows('heard', insight.by.heard, settings))
  if (first.length === 0) return ''
  return html` Asked how they heard of us, those who enrolled said ${named(first)} most often: ${inDigits(came)} of ${inDigits(all)}${first.length > 1 ? ' each' : ''}.`
}

/** The values with the most people in the last stage, how many people that is, and how many people have no value. */
function most(rows: readonly SplitRow[]): { first: SplitRow[]; came: number; notKnown: number } {
  const last = ({ stages }: SplitRow) => stages.at(-1) ?? 0
  const known = rows.filter(({ value }) => value)
  const came = Math.max(0, ...known.map(last))
  const without = rows.find(({ value }) => value === '')
  return {
    first: came === 0 ? [] : known.filter(row => last(row) === came),
    came,
    notKnown: without === undefined ? 0 : last(without),
  }
}

/** How many names a sentence may have. If more values are tied, it names only the first ones. */
const NAMED = 3

const named = (rows: readonly SplitRow[]): Html => {
  const names = rows.slice(0, NAMED)
  const rest = rows.length - names.length
  return html`${names.map(({ name }, i) => html`${i === 0 ? '' : i === names.length - 1 && rest === 0 ? ' and ' : ', '}<strong>${name}</strong>`)}${rest === 0 ? '' : ` and ${inDigits(rest)} more`}`
}

function splitTable(by: SplitName, section: Section): Html | '' {
  const { insight, range, settings, file } = section
  const rows = splitRows(by, insight.by[by], settings)
  if (by !== 'entered' && rows.every(({ value }) => value === '')) return ''
  const names = by === 'entered' ? namesOfEntered(range.kind) : stageNames(range.kind)
  const most = Math.max(...rows.map(({ stages }) => stages.at(-1) ?? 0))
  return html`<div class="section-head"><h3>${splitTitles[by]}</h3>${file(by)}</div>
${numberTable(by === 'entered' ? 'Imported and entered by hand, by where they came from' : splitTitles[by], {
  of: splitTitles[by],
  folded: true,
  columns: [...names, BAR, 'Half within', '95% within'],
  rows: rows.map(row => {
    const [leads, ...stages] = row.stages
    return {
      name: nameOf(by, row, section),
      cells: [
        leads ?? 0,
        ...stages.map(n => numberWith(n, share(n, row.leads))),
        bar([stages.at(-1) ?? 0], most),
        roughly(row.working.p50),
        roughly(row.working.p95),
      ],
    }
  }),
})}`
}

/** The name, as a link to these leads if the inbox can show them. A form has its title, and its name beside it. */
function nameOf(by: SplitName, { name, value }: SplitRow, { range, settings }: Section): Html | string {
  const filter = value ? filterFor(by, value, name) : undefined
  if (filter === undefined) return name
  const title = by === 'form' ? titleOfNamed(name, formsOf(settings), settings) : name
  const link = html`<a href="/inbox${queryInRange(range, filter)}">${title}</a>`
  return title === name ? link : html`${link} <span class="quiet small">${name}</span>`
}

function filterFor(by: SplitName, value: string, name: string): Partial<FilterFields> | undefined {
  // The inbox filters by who has a lead now, not by who had it.
  if (by === 'counselor') return undefined
  // The inbox's menu has the answer in the words of the settings.
  if (by === 'heard') return { source: name }
  return {
    [{ source: 'from', entered: 'from', program: 'mainProgram', campaign: 'campaign', form: 'form', state: 'state' }[
      by
    ]]: value,
  }
}
