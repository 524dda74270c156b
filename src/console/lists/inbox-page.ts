/** The inbox: the leads that match a filter, newest first, or by how long they wait. */
import { html, raw } from 'hono/html'
import { dateOf } from '../../content/date-format.ts'
import { urlsOf } from '../../http/urls.ts'
import { type Assignee, assignees } from '../../lead-actions/assign.ts'
import { reasonsToClose } from '../../lead-actions/close.ts'
import { capital, counted } from '../../leads/body/tidy-text.ts'
import { LONGEST_TAG } from '../../leads/lead/labels.ts'
import { TEAM } from '../../leads/lead/staff.ts'
import type { Position } from '../../store/lists/filter.ts'
import type { Store } from '../../store/store.ts'
import { may, type SignedIn } from '../frame/access.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf } from '../frame/form-fields.ts'
import { keyboardHelp } from '../frame/keyboard-help.ts'
import { type Html, hidden, livePart, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { bulkRoutes } from '../lead/bulk-actions.ts'
import { rowContext, rowWords, suppressedLeads } from '../lead/list-row-words.ts'
import { colleaguesLeadRoutes, colleaguesQuery, colleaguesSection } from './colleagues-search.ts'
import {
  type FilterFields,
  filterOf,
  hasOrders,
  isSortOrder,
  NO_FILTER,
  orderOf,
  positionText,
  queryOf,
  readFields,
  readPosition,
  sortOrders,
} from './inbox-filter.ts'
import { columnsOf, leadList, rowColumns } from './lead-rows.ts'
import { viewRoutes } from './saved-views.ts'
import { chips, matchingLabels, searchForm } from './search.ts'
import { MOST_COUNTED, upToMost } from './today.ts'

const PATH = '/inbox'
const PAGE = 50

const choiceRoutes: ConsoleRoute[] = [
  post(`${PATH}/order`, 'see leads', saveOrder),
  post(`${PATH}/columns`, 'see leads', saveColumns),
]

export const inboxRoutes: ConsoleRoute[] = [
  get(PATH, 'see leads', inboxPage, { menu: 'Inbox' }),
  ...bulkRoutes,
  ...viewRoutes,
  ...choiceRoutes,
  ...colleaguesLeadRoutes,
]

async function inboxPage(c: ConsoleContext) {
  const fields = readFields(c.req.query())
  const { store, clock, calendar } = c.get('frame').deps
  const operator = c.get('operator')
  const after = readPosition(c.req.query('after'))
  const standard = standardViews(operator)
  const found = await store.readInboxPage({
    operatorId: operator.id,
    filter: filterOf(fields, context(c)),
    page: { after, order: orderOf(fields, operator), limit: PAGE },
    counted: standard.filter(one => one.counted).map(one => filterOf({ ...NO_FILTER, ...one.fields }, context(c))),
    most: MOST_COUNTED + 1,
    today: calendar.today(clock.now()),
    colleagues: after === undefined ? colleaguesQuery(fields.q, operator, c.get('frame').deps) : undefined,
  })
  const { views } = found
  const list = await listOf(c, fields, after, found)
  const tabs = tabLinks(fields, standard, found)
  // The script requests only the list after leads have changed.
  if (c.req.header('x-part') === 'list') return livePart(c, list, { tabs })
  const labels = await store.listLabels('tag', 'program')
  return page(
    c,
    {
      title: 'Inbox',
      current: PATH,
      width: 'wide',
      beside: html`${
        may(operator, 'edit tags') && labels.length > 0
          ? html`<a class="button secondary small" href="/tags">Tags</a>`
          : ''
      } ${
        may(operator, 'export leads')
          ? html`<a class="button secondary small" href="/export${queryOf(fields)}">Export</a>`
          : ''
      } ${may(operator, 'add leads') ? html`<a class="button secondary small" href="/leads/add">Add a lead</a>` : ''}`,
    },
    html`<div class="inbox"${fields.q === '' ? '' : raw(' data-start')} data-shortcuts="${operator.shortcuts ? 'on' : 'off'}">
<nav class="tabs" aria-label="Views" data-tabs>${tabs}</nav>
${await searchForm(c, fields, labels)}
${matchingLabels(fields, labels)}
${chips(c, { fields, views, labels })}
${listChoices(c, fields)}
<div id="list" data-live="list">${list}</div>
${keyboardHelp(KEYS)}
</div>`,
  )
}

const context = (c: ConsoleContext) => {
  const { settings, calendar } = c.get('frame').deps
  return { operator: c.get('operator'), settings, calendar }
}

type Found = Awaited<ReturnType<Store['readInboxPage']>>

/** `rare`: the view is shown only while it has leads. */
type StandardView = { name: string; fields: Partial<FilterFields>; counted: boolean; rare?: true }

/** The views that everyone has. */
const standardViews = ({ counselor }: SignedIn): StandardView[] => [
  { name: 'Open', fields: {}, counted: true },
  { name: 'Wrote back', fields: { waiting: 'unanswered' }, counted: true },
  { name: 'Waiting', fields: { waiting: '1' }, counted: true },
  { name: 'Not called yet', fields: { waiting: 'untried' }, counted: true },
  ...(counselor === undefined ? [] : [{ name: 'Mine', fields: { who: 'me' }, counted: true } as const]),
  { name: 'Unassigned', fields: { who: TEAM }, counted: true },
  { name: 'Imported', fields: { imported: '1' }, counted: true, rare: true },
  { name: 'All', fields: { stage: 'any' }, counted: false },
]

/** The links to everyone's views, some with a count of leads, and to the saved views. */
function tabLinks(fields: FilterFields, standard: readonly StandardView[], { counts, views }: Found): Html {
  const current = queryOf({ ...fields, sort: '' })
  const link = (name: string, query: string, count?: number) =>
    html`<a href="${PATH}${query}"${query === current ? raw(' aria-current="page"') : ''}>${name}${count === undefined ? '' : html` <span class="count">${upToMost(count)}</span>`}</a>`
  const remaining = [...counts]
  const links = standard.map(({ name, fields, counted, rare }) => {
    const query = queryOf(fields)
    const count = counted ? remaining.shift() : undefined
    return rare && count === 0 && query !== current ? '' : link(name, query, count)
  })
  const savedQuery = (filter: string) => queryOf({ ...readFields(Object.fromEntries(new URLSearchParams(filter))) })
  return html`${links}${views.map(({ name, filter }) => link(name, savedQuery(filter)))}`
}

async function listOf(
  c: ConsoleContext,
  fields: FilterFields,
  after: Position | undefined,
  { list: found, absences, colleagues, notes }: Found,
): Promise<Html> {
  const { deps } = c.get('frame')
  const { clock, settings } = deps
  const words = { ...rowContext(deps, clock.now()), suppressed: await suppressedLeads(deps, found.rows) }
  const rows = found.rows.map(row => rowWords(row, words))
  const back = `${PATH}${queryOf(fields, after ? { after: positionText(after) } : {})}`
  const next = found.next === null ? '' : `${PATH}${queryOf(fields, { after: positionText(found.next) })}`
  const work = may(c.get('operator'), 'work on leads')
  const columns = columnsOf(c.get('operator'))
  const pages = html`<nav class="pages" aria-label="Further leads">
${after === undefined ? '' : html`<a class="button secondary" href="${PATH}${queryOf(fields)}" rel="first">First page</a>`}
${
  found.lookedUpTo === null
    ? ''
    : html`<p class="quiet">Looked through leads ${orderOf(fields, c.get('operator')) === 'longest' ? 'up to' : 'back to'} ${dateOf(found.lookedUpTo, settings.school)}.</p>`
}
${next === '' ? '' : html`<a class="button secondary" href="${next}" rel="next">${found.lookedUpTo === null ? 'Next page' : 'Look further'}</a>`}
</nav>`
  const howMany = countInWords(rows.length, { further: next !== '', later: after !== undefined })
  const count = found.similar
    ? html`<p>No one matches “${fields.q}”. ${rows.length === 1 ? 'This person has' : 'These people have'} a similar name.</p>`
    : html`<p class="quiet small">${howMany}, ${orderInWords(fields, c.get('operator'))}</p>`
  const elsewhere = colleaguesSection({ ...colleagues, q: fields.q, absences, notes }, deps)
  if (rows.length === 0 && colleagues.leads.length > 0) return html`${elsewhere}${pages}`
  if (rows.length === 0) return html`${elsewhere}${emptyState(c, fields, after !== undefined || next !== '')}${pages}`
  if (!work) return html`${elsewhere}${count}${leadList(rows, { work, columns })}${pages}`
  return html`${elsewhere}${count}<form method="post" action="/inbox/actions" data-bulk>
${hidden({ back })}
${leadList(rows, { work, columns })}
${bulkBar(await assignees(deps, absences))}
</form>${pages}`
}

const orderInWords = (fields: FilterFields, operator: SignedIn): string =>
  fields.q !== '' ? 'names first' : ordersInWords[orderOf(fields, operator)]

const ordersInWords = {
  newest: 'newest first',
  longest: 'the longest wait first',
  active: 'by what happened last',
  hottest: 'the warmest answers first',
}

/** How many leads a page has, and whether these are all. */
function countInWords(n: number, { further, later }: { further: boolean; later: boolean }): string {
  if (later) return `${further ? 'Another' : 'The last'} ${counted(n, 'lead')}`
  return further ? `The first ${counted(n, 'lead')}` : counted(n, 'lead')
}

/** The bar at the bottom of the list while leads are selected. Without JavaScript, it is always there. */
const bulkBar = (people: readonly Assignee[]): Html =>
  html`<div class="bulk" data-bulk-bar role="group" aria-label="Selected leads">
<span class="bulk-count" data-bulk-count aria-live="polite">Selected leads</span>
<button class="secondary small" name="do" value="reached">Reached</button>
<button class="secondary small" name="do" value="no answer">No answer</button>
${
  people.length === 0
    ? ''
    : html`<span class="choice"><select name="assign" aria-label="Counselor">${people.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select><button class="secondary small" name="do" value="assign" data-key="a">Assign</button></span>`
}
<span class="choice"><select name="close" aria-label="Reason">${reasonsToClose.map(reason => html`<option value="${reason}">${capital(reason)}</option>`)}</select><button class="secondary small" name="do" value="close">Close</button></span>
<span class="choice"><input name="tag" list="tags" maxlength="${LONGEST_TAG}" placeholder="A tag" aria-label="Tag" autocomplete="off"><button class="secondary small" name="do" value="tag">Tag</button></span>
</div>`

function emptyState(c: ConsoleContext, fields: FilterFields, further: boolean): Html {
  const { studentForm } = urlsOf(c.get('frame').deps.config)
  if (further) return html`<div class="empty"><h2>No leads on this page</h2><p>There may be some further on.</p></div>`
  if (fields.waiting === 'unanswered' && queryOf({ ...fields, waiting: '', sort: '' }) === '')
    return html`<div class="empty"><h2>Everyone has an answer</h2><p>Someone has answered everyone who wrote back. New replies appear here automatically, whatever the stage of the lead.</p></div>`
  if (fields.imported === '1' && queryOf({ ...fields, imported: '', sort: '' }) === '')
    return html`<div class="empty"><h2>No imported people wait</h2><p>Something has happened with everyone who was imported: they are with the other leads.</p></div>`
  if (fields.waiting === 'untried' && queryOf({ ...fields, waiting: '', sort: '' }) === '')
    return html`<div class="empty"><h2>Everyone was called</h2><p>Someone has tried to reach everyone who wrote in. New leads appear here automatically.</p></div>`
  if (fields.waiting === '1' && queryOf({ ...fields, waiting: '', sort: '' }) === '')
    return html`<div class="empty"><h2>No one is waiting</h2><p>Everyone who wrote in has been reached. New leads appear here automatically.</p></div>`
  if (queryOf({ ...fields, sort: '' }) !== '')
    return html`<div class="empty"><h2>No leads match</h2><p>Search for the beginning of a word, part of a phone number, or clear the filters.</p><p><a class="button secondary" href="${PATH}?stage=any">Show all leads</a></p></div>`
  return html`<div class="empty"><h2>No open leads</h2><p>Leads appear here automatically as soon as people write in. To try it, <a href="${studentForm}">fill in the form for students</a>.</p></div>`
}

/** Saves the operator's order of lists, and what lists show of each lead. */
async function saveOrder(c: ConsoleContext, { store }: ConsoleDeps) {
  const sent = await fieldsOf(c)
  const order = sent['sort'] ?? ''
  if (!isSortOrder(order)) throw new ConsoleError(422, 'Choose one of the orders.')
  await store.chooseList(c.get('operator').id, { order })
  const fields = readFields(Object.fromEntries(new URLSearchParams(sent['filter'] ?? '')))
  return redirect(c, `${PATH}${queryOf({ ...fields, sort: order })}`)
}

async function saveColumns(c: ConsoleContext, { store }: ConsoleDeps) {
  const sent = await fieldsOf(c)
  await store.chooseList(c.get('operator').id, { columns: Object.keys(rowColumns).filter(name => sent[name] === 'on') })
  const fields = readFields(Object.fromEntries(new URLSearchParams(sent['filter'] ?? '')))
  return redirect(c, `${PATH}${queryOf(fields)}`)
}

function listChoices(c: ConsoleContext, fields: FilterFields): Html {
  const operator = c.get('operator')
  const filter = queryOf({ ...fields, sort: '' }).slice(1)
  const current = orderOf(fields, operator)
  const shown = columnsOf(operator)
  const sort = Object.entries(sortOrders).map(
    ([order, name]) =>
      html`<button class="plain small" name="sort" value="${order}"${order === current ? raw(' aria-current="true"') : ''}>${name}</button>`,
  )
  return html`<div class="list-choices">
${hasOrders(fields) ? html`<details class="sort"><summary>${sortOrders[current]}</summary><form method="post" action="${PATH}/order" aria-label="Sort by">${hidden({ filter })}<span class="quiet">Sort by</span> ${sort}</form></details>` : ''}
<details class="list-columns"><summary>Columns</summary><form method="post" action="${PATH}/columns">${hidden({ filter: queryOf(fields).slice(1) })}
${Object.entries(rowColumns).map(([name, title]) => html`<label class="check"><input type="checkbox" name="${name}"${shown.has(name) ? raw(' checked') : ''}> ${title}</label>`)}
<button class="small">Show these</button></form></details>
</div>`
}

const KEYS: [key: string, does: string][] = [
  ['j', 'Next lead'],
  ['k', 'Previous lead'],
  ['Enter', 'Open the lead'],
  ['e', 'Select the lead'],
  ['c', 'Reached'],
  ['x', 'No answer'],
  ['a', 'Assign'],
  ['s', 'Promise a callback'],
  ['n', 'Write a note'],
  ['z', 'Undo'],
  ['/', 'Search'],
  ['?', 'Show these keys'],
]
