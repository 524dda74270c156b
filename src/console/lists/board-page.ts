/** The board: the open leads of one kind by stage. Cards are moved by dragging, by their menu, or by keyboard. */
import { html, raw } from 'hono/html'
import { staffOf } from '../../lead-actions/assign.ts'
import { withoutRank } from '../../leads/body/ranked-answers.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { actorName, TEAM } from '../../leads/lead/staff.ts'
import { stageInWords } from '../../leads/lead/stages.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import type { Board, BoardCard, BoardFilter } from '../../store/lists/board.ts'
import type { Position } from '../../store/lists/filter.ts'
import { may, mayWork } from '../frame/access.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { isLocal, redirect } from '../frame/flash.ts'
import { fieldsOf, kindOf, numberOf, option } from '../frame/form-fields.ts'
import { keyboardHelp } from '../frame/keyboard-help.ts'
import { type Html, hidden, livePart, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { undoInList } from '../lead/bulk-actions.ts'
import { leadButtonNamed } from '../lead/buttons.ts'
import { rowContext, suppressedLeads } from '../lead/list-row-words.ts'
import { noLead } from '../lead/view.ts'
import {
  type BoardPage,
  boardColumn,
  CARDS,
  columnTabs,
  furtherCards,
  placesToClose,
  readPlace,
} from './board-columns.ts'
import {
  type FilterFields,
  filterOf,
  NO_FILTER,
  positionText,
  queryOf,
  readFields,
  readPosition,
} from './inbox-filter.ts'

const PATH = '/board'

export const boardRoutes: ConsoleRoute[] = [
  get(PATH, 'see leads', boardPage, { menu: 'Board' }),
  post(`${PATH}/move`, 'work on leads', moveCard),
]

/** The inbox filters that the board has, too. */
type BoardFields = Pick<FilterFields, 'kind' | 'who' | 'source' | 'tag'>

function readBoardFields(c: ConsoleContext): BoardFields {
  const { kind, who, source, tag } = readFields(c.req.query())
  return { kind: kind || 'student', who, source, tag }
}

async function boardPage(c: ConsoleContext) {
  const { deps, assets } = c.get('frame')
  const { store, settings, calendar, clock } = deps
  const operator = c.get('operator')
  const fields = readBoardFields(c)
  const context = { operator, settings, calendar }
  const { owner, visibleTo, source, labels } = filterOf({ ...NO_FILTER, ...fields }, context)
  const filter: BoardFilter = { kind: kindOf(fields.kind), owner, visibleTo, source, labels }
  const stage = c.req.query('column') ?? ''
  const after = readPosition(c.req.query('after'))
  const words = rowContext(deps, clock.now())
  // Actions return to the URL as it was requested, even if it does not name a kind.
  const asAsked = { ...fields, kind: readFields(c.req.query()).kind }
  const shown: BoardPage = {
    kind: filter.kind,
    work: may(operator, 'work on leads'),
    words,
    path: more => `${PATH}${queryOf(fields, more)}`,
    back: `${PATH}${queryOf(asAsked, after ? { column: stage, after: positionText(after) } : { column: stage })}`,
  }
  // The script requests either more cards of one column or, after leads have changed, only the columns.
  if (c.req.header('x-part') === 'cards' && after !== undefined) {
    const more = await store.readBoardCards(filter, { stage, after, limit: CARDS })
    return livePart(c, furtherCards(await withSuppressed(deps, shown, more.cards), { stage, ...more }))
  }
  const board = await readFrom(deps, filter, { stage, after })
  const current = board.columns.find(column => column.stage === stage) ?? board.columns[0]
  const cards = board.columns.flatMap(column => column.cards)
  const marked = await withSuppressed(deps, shown, cards)
  const columns = html`${columnTabs(shown, board.columns, current)}
<div class="board">${board.columns.map(column => boardColumn(marked, column, column === current))}</div>
${board.newestOnly ? html`<p class="quiet">The board shows only the newest leads with this source or tag; older ones are in the <a href="/inbox${queryOf(fields)}">inbox</a>.</p>` : ''}`
  if (c.req.header('x-part') === 'list') return livePart(c, columns)
  return page(
    c,
    { title: 'Board', current: PATH, width: 'wide' },
    html`<div data-board data-shortcuts="${operator.shortcuts ? 'on' : 'off'}">
${kinds(fields)}
${await filterForm(c, fields)}
<div data-live="list">${columns}</div>
${shown.work ? placesToClose() : ''}
${keyboardHelp(KEYS)}
</div>
<script src="${assets['board.js']}" type="module"></script>`,
  )
}

/** Marks the cards whose address is wrong, or gets no emails. */
async function withSuppressed(deps: ConsoleDeps, shown: BoardPage, cards: readonly BoardCard[]): Promise<BoardPage> {
  const suppressed = await suppressedLeads(
    deps,
    cards.map(({ row }) => row),
  )
  return { ...shown, words: { ...shown.words, suppressed } }
}

/** Reads the board. Without JavaScript, more cards of a column replace its first ones. */
async function readFrom(
  { store }: ConsoleDeps,
  filter: BoardFilter,
  { stage, after }: { stage: string; after: Position | undefined },
): Promise<Board> {
  const board = await store.readBoard(filter, { limit: CARDS })
  if (after === undefined) return board
  const more = await store.readBoardCards(filter, { stage, after, limit: CARDS })
  const columns = board.columns.map(column => (column.stage === stage ? { ...column, ...more } : column))
  return { ...board, columns }
}

function kinds(fields: BoardFields): Html {
  const link = (kind: Kind) =>
    html`<a href="${PATH}${queryOf({ ...fields, kind })}"${kind === fields.kind ? raw(' aria-current="page"') : ''}>${kindTitles[kind]}</a>`
  return html`<nav class="tabs" aria-label="Kind">${link('student')}${link('site')}</nav>`
}

async function filterForm(c: ConsoleContext, fields: BoardFields): Promise<Html> {
  const { settings, store } = c.get('frame').deps
  const tags = await store.listLabels('tag')
  const people = [
    ...(c.get('operator').counselor === undefined ? [] : [{ id: 'me', name: 'Me' }]),
    { id: TEAM, name: 'Unassigned' },
    ...staffOf(settings),
  ]
  const sources = settings.studentInterest.answers.source?.allowed?.map(withoutRank)
  const source =
    sources === undefined
      ? html`<input name="source" value="${fields.source}" placeholder="A friend" maxlength="120">`
      : html`<select name="source">${option('', 'Any', fields.source === '')}${sources.map(one => option(one, one, fields.source === one))}</select>`
  const isFiltered = queryOf({ ...fields, kind: '' }) !== ''
  // On a phone, the cards come first.
  return html`<details class="filters board-filters"${isFiltered ? raw(' open') : ''}><summary>Filters</summary><form class="board-filter search" method="get" action="${PATH}">
${hidden({ kind: fields.kind })}
<label>Counselor <select name="who">${option('', 'Anyone', fields.who === '')}${people.map(({ id, name }) => option(id, name, fields.who === id))}</select></label>
${fields.kind === 'student' ? html`<label>Heard of us ${source}</label>` : ''}
${tags.length === 0 ? '' : html`<label>Tag <select name="tag">${option('', 'Any', fields.tag === '')}${tags.map(({ id, name }) => option(String(id), name, fields.tag === String(id)))}</select></label>`}
<button class="secondary">Show</button>
${isFiltered ? html`<a href="/inbox${queryOf(fields)}">These leads in the inbox</a>` : ''}
</form></details>`
}

/** Moves a card to another stage, or closes its lead. */
async function moveCard(c: ConsoleContext, deps: ConsoleDeps) {
  const fields = await fieldsOf(c)
  const lead = await deps.store.findLead(numberOf(fields['lead']) ?? 0)
  if (lead === undefined || !mayWork(c.get('operator'), lead)) throw noLead()
  const back = isLocal(fields['back']) ? fields['back'] : PATH
  const place = readPlace(fields['to'])
  const button = place && leadButtonNamed('reason' in place ? 'close' : 'stage')
  if (place === undefined || button === undefined) throw new ConsoleError(422, 'Choose where to move the lead.')
  const pressed = { from: fields['from'] ?? lead.stage, ...place }
  const said = await button({ deps, lead, fields: pressed, by: byOperator(c) })
  if ('problem' in said) return redirect(c, back, { text: said.problem })
  const { result } = said
  if (result.outcome === 'gone') throw noLead()
  if (result.outcome !== 'done') return redirect(c, back, { text: await movedByOthers(deps, result.lead) })
  return redirect(c, back, {
    text: 'reason' in place ? `${fullName(lead)}: ${said.text}` : said.text,
    undo: undoInList([result.entry ?? 0], back),
  })
}

/** Where the lead is now, and who moved it there, for the person who tried to move the card. */
async function movedByOthers({ store, settings }: ConsoleDeps, lead: Lead): Promise<string> {
  const entry = await store.readLatestEntry(lead.id, ['stage', 'undone'])
  const by = entry?.actor ? ` ${actorName(entry.actor, settings.admissions)} moved it there.` : ''
  return `Nothing changed: the lead of ${fullName(lead)} is in ${stageInWords(lead.stage, lead.closedReason)} by now.${by}`
}

const KEYS: [key: string, does: string][] = [
  ['j', 'Next lead'],
  ['k', 'Previous lead'],
  ['h', 'Previous column'],
  ['l', 'Next column'],
  ['<', 'Move to the previous stage'],
  ['>', 'Move to the next stage'],
  ['m', 'Choose where to move'],
  ['Enter', 'Open the lead'],
  ['s', 'Promise a callback'],
  ['n', 'Write a note'],
  ['z', 'Undo'],
  ['?', 'Show these keys'],
]
