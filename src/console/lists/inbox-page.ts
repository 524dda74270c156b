/** The inbox: the leads that match a filter, newest first, or by how long they wait. */
import { html, raw } from 'hono/html'
import { dateInWords } from '../../content/date-format.ts'
import { type Assignee, assignees } from '../../lead-actions/assign.ts'
import { reasonsToClose } from '../../lead-actions/close.ts'
import { capital, counted, isBlank, textProblem, tidy } from '../../leads/body/tidy-text.ts'
import { LONGEST_TAG } from '../../leads/lead/labels.ts'
import { TEAM } from '../../leads/lead/staff.ts'
import type { Position } from '../../store/lists/filter.ts'
import type { Store } from '../../store/store.ts'
import { may, type SignedIn } from '../frame/access.ts'
import { audit } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf } from '../frame/form-fields.ts'
import { keyboardHelp } from '../frame/keyboard-help.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { bulkRoutes } from '../lead/bulk-actions.ts'
import { rowContext, rowWords } from '../lead/list-row-words.ts'
import {
  type FilterFields,
  filterOf,
  NO_FILTER,
  oldestFirst,
  positionText,
  queryOf,
  readFields,
  readPosition,
} from './inbox-filter.ts'
import { leadList } from './lead-rows.ts'
import { chips, matchingLabels, searchForm } from './search.ts'

const PATH = '/inbox'
const PAGE = 50
const MOST_COUNTED = 99

/** Saving a filter of the inbox under a name, changing the name, and deleting it again. */
const viewRoutes: ConsoleRoute[] = [
  post('/inbox/views', 'see leads', saveView),
  post('/inbox/views/:id{[0-9]{1,15}}/rename', 'see leads', renameView),
  post('/inbox/views/:id{[0-9]{1,15}}/delete', 'see leads', deleteView),
]

export const inboxRoutes: ConsoleRoute[] = [
  get(PATH, 'see leads', inboxPage, { menu: 'Inbox' }),
  ...bulkRoutes,
  ...viewRoutes,
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
    page: { after, oldestFirst: oldestFirst(fields), limit: PAGE },
    counted: standard.filter(one => one.counted).map(one => filterOf({ ...NO_FILTER, ...one.fields }, context(c))),
    most: MOST_COUNTED + 1,
    today: calendar.today(clock.now()),
  })
  const { views } = found
  const list = await listOf(c, fields, after, found)
  const tabs = tabLinks(fields, standard, found)
  // The script asks for the list alone when leads have changed.
  if (c.req.header('x-part') === 'list') return c.html(html`${list}<template data-for="tabs">${tabs}</template>`)
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
    html`<div class="inbox" data-live${fields.q === '' ? '' : raw(' data-start')} data-shortcuts="${operator.shortcuts ? 'on' : 'off'}">
<nav class="tabs" aria-label="Views" data-tabs>${tabs}</nav>
${await searchForm(c, fields, labels)}
${matchingLabels(fields, labels)}
${chips(c, { fields, views, labels })}
<div id="list" data-list>${list}</div>
${keyboardHelp(KEYS)}
</div>`,
  )
}

const context = (c: ConsoleContext) => {
  const { settings, calendar } = c.get('frame').deps
  return { operator: c.get('operator'), settings, calendar }
}

type Found = Awaited<ReturnType<Store['readInboxPage']>>

type StandardView = { name: string; fields: Partial<FilterFields>; counted: boolean }

/** The views that everyone has. */
const standardViews = ({ counselor }: SignedIn): StandardView[] => [
  { name: 'Open', fields: {}, counted: false },
  { name: 'Wrote back', fields: { waiting: 'unanswered' }, counted: true },
  { name: 'Waiting', fields: { waiting: '1' }, counted: true },
  { name: 'Not called yet', fields: { waiting: 'untried' }, counted: true },
  ...(counselor === undefined ? [] : [{ name: 'Mine', fields: { who: 'me' }, counted: true } as const]),
  { name: 'Unassigned', fields: { who: TEAM }, counted: true },
  { name: 'All', fields: { stage: 'any' }, counted: false },
]

/** The views that everyone has, with how many leads some of them have, and the saved ones. */
function tabLinks(fields: FilterFields, standard: readonly StandardView[], { counts, views }: Found): Html {
  const current = queryOf(fields)
  const link = (name: string, query: string, count?: number) =>
    html`<a href="${PATH}${query}"${query === current ? raw(' aria-current="page"') : ''}>${name}${count === undefined ? '' : html` <span class="count">${count > MOST_COUNTED ? `${MOST_COUNTED}+` : count}</span>`}</a>`
  const remaining = [...counts]
  const links = standard.map(one => link(one.name, queryOf(one.fields), one.counted ? remaining.shift() : undefined))
  return html`${links}${views.map(({ name, filter }) => link(name, filter === '' ? '' : `?${filter}`))}`
}

async function listOf(
  c: ConsoleContext,
  fields: FilterFields,
  after: Position | undefined,
  { list: found, absences }: Found,
): Promise<Html> {
  const { deps } = c.get('frame')
  const { clock, settings } = deps
  const words = rowContext(deps, clock.now())
  const rows = found.rows.map(row => rowWords(row, words))
  const back = `${PATH}${queryOf(fields, after ? { after: positionText(after) } : {})}`
  const next = found.next === null ? '' : `${PATH}${queryOf(fields, { after: positionText(found.next) })}`
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
  const howMany = countInWords(rows.length, { further: next !== '', later: after !== undefined })
  const count = found.similar
    ? html`<p>No one is found by “${fields.q}”. ${rows.length === 1 ? 'This person has' : 'These people have'} a similar name.</p>`
    : html`<p class="quiet small">${howMany}, ${orderInWords(fields)}</p>`
  if (rows.length === 0) return html`${emptyState(c, fields, after !== undefined || next !== '')}${pages}`
  if (!work) return html`${count}${leadList(rows, { work })}${pages}`
  return html`${count}<form method="post" action="/inbox/actions" data-bulk>
${hidden({ back })}
${leadList(rows, { work })}
${bulkBar(await assignees(deps, absences))}
</form>${pages}`
}

const orderInWords = (fields: FilterFields): string =>
  fields.q !== '' ? 'names first' : oldestFirst(fields) ? 'the longest wait first' : 'newest first'

/** How many leads a page has, and whether these are all. */
function countInWords(n: number, { further, later }: { further: boolean; later: boolean }): string {
  if (later) return `${further ? 'Another' : 'The last'} ${counted(n, 'lead')}`
  return further ? `The first ${counted(n, 'lead')}` : counted(n, 'lead')
}

/** Stands at the foot of the list while leads are selected. Without JavaScript, it is always there. */
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
  const { baseUrl, learnUrl } = c.get('frame').deps.config
  if (further) return html`<div class="empty"><h2>No leads on this page</h2><p>There may be some further on.</p></div>`
  if (fields.waiting === 'unanswered' && queryOf({ ...fields, waiting: '' }) === '')
    return html`<div class="empty"><h2>Everyone has an answer</h2><p>Someone has answered everyone who wrote back. Those who write next appear here by themselves, whatever their stage.</p></div>`
  if (fields.waiting === 'untried' && queryOf({ ...fields, waiting: '' }) === '')
    return html`<div class="empty"><h2>Everyone was called</h2><p>Someone has tried to reach everyone who wrote in. New leads appear here by themselves.</p></div>`
  if (fields.waiting === '1' && queryOf({ ...fields, waiting: '' }) === '')
    return html`<div class="empty"><h2>No one is waiting</h2><p>Everyone who wrote in has been reached. New leads appear here by themselves.</p></div>`
  if (queryOf(fields) !== '')
    return html`<div class="empty"><h2>No leads match</h2><p>Search for the beginning of a word, part of a phone number, or clear the filters.</p><p><a class="button secondary" href="${PATH}?stage=any">Show all leads</a></p></div>`
  return html`<div class="empty"><h2>No open leads</h2><p>Leads appear here by themselves as soon as people write in. To try it, send an inquiry as the documents at <a href="${baseUrl}">${new URL(baseUrl).host}</a> and <a href="${learnUrl}">${new URL(learnUrl).host}</a> describe.</p></div>`
}

async function saveView(c: ConsoleContext, { store, clock }: ConsoleDeps) {
  const sent = await fieldsOf(c)
  const name = nameIn(sent)
  const operator = c.get('operator')
  const given = Object.fromEntries(new URLSearchParams(sent['filter'] ?? ''))
  const filter = queryOf(readFields(given)).slice(1)
  const shared = sent['shared'] === '1' && may(operator, 'work on leads')
  const saved = await store.saveView(operator.id, { name, filter, shared, now: clock.now() })
  if (!saved) throw new ConsoleError(409, 'You have too many views. Delete one first.')
  await audit(c, shared ? 'saved a view for everyone' : 'saved a view')
  return redirect(c, `/inbox?${filter}`, { text: `Saved as “${name}”.` })
}

async function renameView(c: ConsoleContext, { store }: ConsoleDeps) {
  const name = nameIn(await fieldsOf(c))
  const renamed = await store.renameView(Number(c.req.param('id')), { operatorId: c.get('operator').id, name })
  if (renamed === 'gone') throw new ConsoleError(404, 'This view is gone, or not yours.')
  if (renamed === 'taken') throw new ConsoleError(409, `You have a view “${name}” already.`)
  await audit(c, 'renamed a view')
  return redirect(c, `/inbox?${renamed.filter}`, { text: `The view is now “${name}”.` })
}

async function deleteView(c: ConsoleContext, { store }: ConsoleDeps) {
  const { id: operatorId } = c.get('operator')
  const anyone = may(c.get('operator'), 'manage operators')
  const deleted = await store.deleteView(Number(c.req.param('id')), { operatorId, anyone })
  if (deleted) await audit(c, 'deleted a view')
  return redirect(c, '/inbox', {
    text: deleted ? 'The view is deleted.' : 'Only the person who saved a view can delete it.',
  })
}

const LONGEST_NAME = 40

/** Throws a ConsoleError with status 422 for a name that no view can have. */
function nameIn(sent: Record<string, string | undefined>): string {
  const name = tidy(sent['name'] ?? '')
  if (isBlank(name) || textProblem(name, 'one') !== undefined || name.length > LONGEST_NAME)
    throw new ConsoleError(422, `Give the view a name of at most ${LONGEST_NAME} characters.`)
  return name
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
