/** The inbox: the leads that match a filter, newest first, or by how long they wait. */
import { html, raw } from 'hono/html'
import { dateInWords } from '../content/date-format.ts'
import { consentInShort } from '../leads/consent.ts'
import { languageName } from '../leads/languages.ts'
import { TEAM } from '../leads/staff.ts'
import { allStages, stageInWords } from '../leads/stages.ts'
import { capital } from '../leads/text.ts'
import type { SavedView } from '../store/saved-views.ts'
import { may } from './access.ts'
import { bulkRoutes, reasonsToClose } from './bulk-actions.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from './context.ts'
import {
  type FilterFields,
  filterOf,
  NO_FILTER,
  oldestFirst,
  partsInWords,
  positionText,
  queryOf,
  readFields,
  readPosition,
} from './inbox-filter.ts'
import { keyboardHelp } from './keyboard-help.ts'
import { type Html, page } from './layout.ts'
import { leadList } from './lead-list.ts'
import { rowContext, rowWords } from './lead-row.ts'
import { liveRoutes } from './live.ts'
import { viewRoutes } from './saved-views.ts'

const PATH = '/inbox'
const PAGE = 50
const MOST_COUNTED = 99

export const inboxRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  { method: 'GET', path: PATH, action: 'see leads', menu: 'Inbox', handle: inboxPage },
  ...bulkRoutes(deps),
  ...viewRoutes(deps),
  ...liveRoutes(deps),
]

async function inboxPage(c: ConsoleContext) {
  const fields = readFields(c.req.query())
  const list = await listOf(c, fields)
  // The script asks for the list alone when leads have changed.
  if (c.req.header('x-part') === 'list') return c.html(list)
  const { deps } = c.get('frame')
  const operator = c.get('operator')
  const views = await deps.store.listViews(operator.id)
  return page(
    c,
    {
      title: 'Inbox',
      current: PATH,
      width: 'wide',
      beside: html`${
        may(operator, 'export leads')
          ? html`<a class="button secondary small" href="/export${queryOf(fields)}">Export</a>`
          : ''
      } ${
        may(operator, 'add leads')
          ? html`<a class="button secondary small" href="/leads/add">Add a lead</a>`
          : ''
      }`,
    },
    html`<div class="inbox" data-live data-shortcuts="${operator.shortcuts ? 'on' : 'off'}">
${await tabs(c, fields, views)}
${await searchForm(c, fields)}
${chips(c, fields, views)}
<div id="list" data-list>${list}</div>
${keyboardHelp(KEYS)}
</div>`,
  )
}

const context = (c: ConsoleContext) => {
  const { settings, calendar } = c.get('frame').deps
  return { operator: c.get('operator'), settings, calendar }
}

/** The views that everyone has, the saved ones, and how many leads the first ones have. */
async function tabs(c: ConsoleContext, fields: FilterFields, views: SavedView[]): Promise<Html> {
  const { store } = c.get('frame').deps
  const { counselor } = c.get('operator')
  const standard: { name: string; fields: Partial<FilterFields>; counted: boolean }[] = [
    { name: 'Open', fields: {}, counted: false },
    { name: 'Waiting', fields: { waiting: '1' }, counted: true },
    ...(counselor === undefined
      ? []
      : [{ name: 'Mine', fields: { who: 'me' }, counted: true } as const]),
    { name: 'Unassigned', fields: { who: TEAM }, counted: true },
    { name: 'All', fields: { stage: 'any' }, counted: false },
  ]
  const current = queryOf(fields)
  const link = (name: string, query: string, count: number | undefined) =>
    html`<a href="${PATH}${query}"${query === current ? raw(' aria-current="page"') : ''}>${name}${count === undefined ? '' : html` <span class="count">${count > MOST_COUNTED ? `${MOST_COUNTED}+` : count}</span>`}</a>`
  const counted = await Promise.all(
    standard.map(async ({ name, fields: own, counted }) => {
      const filter = filterOf({ ...NO_FILTER, ...own }, context(c))
      const count = counted ? await store.countInbox(filter, MOST_COUNTED + 1) : undefined
      return link(name, queryOf(own), count)
    }),
  )
  const saved = views.map(({ name, filter }) =>
    link(name, filter === '' ? '' : `?${filter}`, undefined),
  )
  return html`<nav class="tabs" aria-label="Views" data-tabs>${counted}${saved}</nav>`
}

async function searchForm(c: ConsoleContext, fields: FilterFields): Promise<Html> {
  const { settings, store } = c.get('frame').deps
  const known = await store.recentOrigins()
  const people = [
    { id: 'me', name: 'Me' },
    { id: TEAM, name: 'Unassigned' },
    ...c.get('frame').deps.actions.staff(),
  ].filter(({ id }) => id !== 'me' || c.get('operator').counselor !== undefined)
  const option = (value: string, words: string, selected: boolean) =>
    html`<option value="${value}"${selected ? raw(' selected') : ''}>${words}</option>`
  const sources = settings.studentInterest.answers.source?.allowed?.map(answer =>
    answer.replace(/^\d - /, ''),
  )
  const more =
    fields.kind ||
    fields.stage ||
    fields.who ||
    fields.state ||
    fields.source ||
    fields.campaign ||
    fields.from ||
    fields.consent ||
    fields.language ||
    fields.since ||
    fields.until
  return html`<form class="search" method="get" action="${PATH}" role="search">
<div class="search-line">
<label class="hidden" for="q">Search leads</label>
<input id="q" name="q" type="search" value="${fields.q}" placeholder="Search name, company, email, phone, message" autocomplete="off" data-search>
<button class="secondary">Search</button>
</div>
<details class="filters"${more ? raw(' open') : ''}><summary>Filters</summary>
<div class="filter-grid">
<label>Kind <select name="kind">${option('', 'Any', fields.kind === '')}${option('student', 'Students', fields.kind === 'student')}${option('site', 'Sites', fields.kind === 'site')}</select></label>
<label>Stage <select name="stage">${option('', 'Open', fields.stage === '')}${option('any', 'Any', fields.stage === 'any')}${allStages.map(stage => option(stage, stageInWords(stage, null), fields.stage === stage))}</select></label>
<label>Counselor <select name="who">${option('', 'Anyone', fields.who === '')}${people.map(({ id, name }) => option(id, name, fields.who === id))}</select></label>
<label>Waiting <select name="waiting">${option('', 'All', fields.waiting === '')}${option('1', 'Waiting', fields.waiting === '1')}</select></label>
<label>State <input name="state" value="${fields.state}" placeholder="TX" maxlength="60"></label>
<label>Heard of us ${
    sources === undefined
      ? html`<input name="source" value="${fields.source}" placeholder="A friend" maxlength="120">`
      : html`<select name="source">${option('', 'Any', fields.source === '')}${sources.map(source => option(source, source, fields.source === source))}</select>`
  }</label>
<label>Came from <input name="from" value="${fields.from}" placeholder="facebook" maxlength="120" list="sites"></label>
<label>Campaign <input name="campaign" value="${fields.campaign}" placeholder="spring-2027" maxlength="120" list="campaigns"></label>
<label>Calls and texts <select name="consent">${option('', 'Any', fields.consent === '')}${Object.entries(consentInShort).map(([consent, words]) => option(consent, words, fields.consent === consent))}</select></label>
<label>Language <select name="language">${option('', 'Any', fields.language === '')}${settings.languages.map(tag => option(tag, languageName(tag), fields.language === tag))}</select></label>
<label>First wrote from <input name="since" type="date" value="${fields.since}"></label>
<label>First wrote until <input name="until" type="date" value="${fields.until}"></label>
</div>
${suggestions('sites', known.sites)}${suggestions('campaigns', known.campaigns)}
<div class="actions"><button>Show leads</button><a class="button secondary" href="${PATH}">Clear</a></div>
</details>
</form>`
}

const suggestions = (id: string, values: readonly string[]): Html =>
  html`<datalist id="${id}">${values.map(value => html`<option value="${value}"></option>`)}</datalist>`

/** What is filtered, each part with a way to leave it out, and the form that saves it. */
function chips(c: ConsoleContext, fields: FilterFields, views: SavedView[]): Html {
  const saved = views.find(({ own, filter }) => own && filter === queryOf(fields).slice(1))
  const parts = partsInWords(fields, c.get('frame').deps.settings)
  if (parts.length === 0) return html``
  return html`<div class="chips">
${parts.map(
  ({ words, without }) =>
    html`<a class="chip" href="${PATH}${queryOf(without)}">${words}<span aria-hidden="true">×</span><span class="hidden">: leave out</span></a>`,
)}
${saved === undefined ? saveForm(c, fields) : html`<form method="post" action="/inbox/views/${saved.id}/delete"><button class="plain small">Delete the view “${saved.name}”</button></form>`}
</div>`
}

function saveForm(c: ConsoleContext, fields: FilterFields): Html {
  return html`<details class="save-view"><summary>Save as view</summary>
<form method="post" action="/inbox/views" class="inline">
<input type="hidden" name="filter" value="${queryOf(fields).slice(1)}">
<label>Name <input name="name" required maxlength="40"></label>
${may(c.get('operator'), 'work on leads') ? html`<label class="check"><input type="checkbox" name="shared" value="1"> Share with everyone</label>` : ''}
<button class="small">Save</button>
</form></details>`
}

async function listOf(c: ConsoleContext, fields: FilterFields): Promise<Html> {
  const { deps } = c.get('frame')
  const { store, clock, settings } = deps
  const after = readPosition(c.req.query('after'))
  const found = await store.listInbox(filterOf(fields, context(c)), {
    after,
    oldestFirst: oldestFirst(fields),
    limit: PAGE,
  })
  const words = rowContext(deps, clock.now())
  const rows = found.rows.map(row => rowWords(row, words))
  const back = `${PATH}${queryOf(fields, after ? { after: positionText(after) } : {})}`
  const next =
    found.next === null ? '' : `${PATH}${queryOf(fields, { after: positionText(found.next) })}`
  const work = may(c.get('operator'), 'work on leads')
  const pages = html`<nav class="pages" aria-label="Further leads">
${after === undefined ? '' : html`<a class="button secondary" href="${PATH}${queryOf(fields)}" rel="first">First page</a>`}
${
  found.lookedUpTo === null
    ? ''
    : html`<p class="quiet">Looked through leads ${oldestFirst(fields) ? 'up to' : 'back to'} ${dateInWords(new Date(found.lookedUpTo).toISOString().slice(0, 10), settings.school)}.</p>`
}
${next === '' ? '' : html`<a class="button secondary" href="${next}" rel="next">${found.lookedUpTo === null ? 'Next page' : 'Look further'}</a>`}
</nav>`
  if (rows.length === 0)
    return html`${emptyState(c, fields, after !== undefined || next !== '')}${pages}`
  if (!work) return html`${leadList(rows, { work })}${pages}`
  return html`<form method="post" action="/inbox/actions" data-bulk>
<input type="hidden" name="back" value="${back}">
${leadList(rows, { work })}
${await bulkBar(c)}
</form>${pages}`
}

/** Stands at the foot of the list while leads are selected. Without JavaScript, it is always there. */
async function bulkBar(c: ConsoleContext): Promise<Html> {
  const people = await c.get('frame').deps.actions.choices()
  return html`<div class="bulk" data-bulk-bar role="group" aria-label="Selected leads">
<span class="bulk-count" data-bulk-count aria-live="polite">Selected leads</span>
<button class="secondary small" name="do" value="reached">Reached</button>
<button class="secondary small" name="do" value="no answer">No answer</button>
${
  people.length === 0
    ? ''
    : html`<span class="choice"><select name="assign" aria-label="Counselor">${people.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select><button class="secondary small" name="do" value="assign" data-key="a">Assign</button></span>`
}
<span class="choice"><select name="close" aria-label="Reason">${reasonsToClose.map(reason => html`<option value="${reason}">${capital(reason)}</option>`)}</select><button class="secondary small" name="do" value="close">Close</button></span>
</div>`
}

function emptyState(c: ConsoleContext, fields: FilterFields, further: boolean): Html {
  const { baseUrl, learnUrl } = c.get('frame').deps.config
  if (further)
    return html`<div class="empty"><h2>No leads on this page</h2><p>There may be some further on.</p></div>`
  if (fields.waiting === '1' && queryOf({ ...fields, waiting: '' }) === '')
    return html`<div class="empty"><h2>No one is waiting</h2><p>Everyone who wrote in has been reached. New leads appear here by themselves.</p></div>`
  if (queryOf(fields) !== '')
    return html`<div class="empty"><h2>No leads match</h2><p>Search for the beginning of a word, part of a phone number, or clear the filters.</p><p><a class="button secondary" href="${PATH}?stage=any">Show all leads</a></p></div>`
  return html`<div class="empty"><h2>No open leads</h2><p>Leads appear here by themselves as soon as people write in. To try it, send an inquiry as the documents at <a href="${baseUrl}">${new URL(baseUrl).host}</a> and <a href="${learnUrl}">${new URL(learnUrl).host}</a> describe.</p></div>`
}

const KEYS: [key: string, does: string][] = [
  ['j', 'Next lead'],
  ['k', 'Previous lead'],
  ['Enter', 'Open the lead'],
  ['e', 'Select the lead'],
  ['c', 'Reached'],
  ['x', 'No answer'],
  ['a', 'Assign'],
  ['s', 'Call again later'],
  ['n', 'Write a note'],
  ['z', 'Undo'],
  ['/', 'Search'],
  ['?', 'Show these keys'],
]
