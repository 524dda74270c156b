/** The columns of the board and their cards. */
import { html, raw } from 'hono/html'
import { reasonsToClose } from '../../lead-actions/close.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { allStages, stageInWords } from '../../leads/lead/stages.ts'
import { type BoardCard, type BoardColumn, openStages, type Waiting } from '../../store/lists/board.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { type RowContext, roughDuration, rowWords, targetOf } from '../lead/list-row-words.ts'
import { positionText } from './inbox-filter.ts'
import { leadTags, waitingClock } from './lead-rows.ts'

/** How many cards of a column are shown at first, and how many more are added at a time. */
export const CARDS = 24

export type BoardPage = {
  kind: Kind
  work: boolean
  words: RowContext
  path: (more: Record<string, string>) => string
  back: string
}

const nameOf = (stage: string): string => stageInWords(stage, null)

/** On a phone, only one column is shown; these links lead to the others. */
export const columnTabs = (
  { path }: BoardPage,
  columns: readonly BoardColumn[],
  current: BoardColumn | undefined,
): Html =>
  html`<nav class="tabs column-tabs" aria-label="Stages">${columns.map(
    column =>
      html`<a href="${path({ column: column.stage })}"${column === current ? raw(' aria-current="page"') : ''}>${nameOf(column.stage)} <span class="count">${countOf(column)}</span></a>`,
  )}</nav>`

const countOf = ({ waiting, uncounted }: BoardColumn): string => `${waiting.length}${uncounted ? '+' : ''}`

export function boardColumn(shown: BoardPage, column: BoardColumn, current: boolean): Html {
  const { stage } = column
  return html`<section class="column${current ? ' current' : ''}" aria-labelledby="stage-${stage}" data-drop="${stage}">
<header class="column-head"><h2 id="stage-${stage}">${nameOf(stage)} <span class="count">${countOf(column)}</span></h2>
<p class="quiet small">${howLong(shown, column)}</p></header>
${cardsOf(shown, column)}
</section>`
}

/** The cards of a column, with the link to more cards. The script adds those to the column. */
export const furtherCards = (shown: BoardPage, column: Pick<BoardColumn, 'stage' | 'cards' | 'next'>): Html =>
  html`${cardsOf(shown, column)}`

function cardsOf(shown: BoardPage, { stage, cards, next }: Pick<BoardColumn, 'stage' | 'cards' | 'next'>): Html {
  const places = shown.work ? placesFrom(stage, shown.kind) : undefined
  return html`<ul class="board-cards" data-cards>${cards.map(card => cardItem(shown, card, places))}</ul>
${next === null ? '' : html`<p class="board-more" data-more><a class="button secondary small" href="${shown.path({ column: stage, after: positionText(next) })}" rel="next">Show more<span class="hidden"> in ${nameOf(stage)}</span></a></p>`}`
}

function howLong({ kind, words }: BoardPage, { stage, waiting, uncounted }: BoardColumn): string {
  const [first] = waiting
  if (first === undefined) return 'No leads'
  const time = roughDuration(words.now - first.since)
  if (stage !== 'new') return `Longest ${time}`
  const late = countLate(kind, waiting, words)
  const overTarget = late === 0 ? '' : `, ${late}${uncounted ? '+' : ''} over target`
  return `Longest wait ${time}${overTarget}`
}

function countLate(kind: Kind, waiting: readonly Waiting[], words: RowContext): number {
  const isLate = ({ place, since, awaits }: Waiting): boolean => {
    const target = awaits && targetOf({ ...place, ...awaits, kind, createdAt: since }, words, awaits.followUp)
    return target != null && words.now > target
  }
  const counted = waiting.filter(({ awaits }) => awaits !== null)
  const planned = counted.filter(({ awaits }) => awaits?.followUp?.reminderAt != null)
  const others = counted.filter(one => !planned.includes(one))
  return planned.filter(isLate).length + countFirst(groupsOf(others, words), isLate)
}

/** Groups of people with the same calling hours and cadence. In each group, the person who wrote first is due first. */
const groupsOf = (waiting: readonly Waiting[], { calendar }: RowContext): Waiting[][] =>
  [...Map.groupBy(waiting, ({ place }) => calendar.hoursFor(place)).values()]
    .flatMap(those => [...Map.groupBy(those, ({ awaits }) => awaits?.followUp?.cadence).values()])
    .map(those => those.toSorted((one, other) => startOf(one) - startOf(other)))

const startOf = ({ since, awaits }: Waiting): number => awaits?.unansweredSince ?? awaits?.followUp?.since ?? since

/** Counts the entries that meet the condition. In each group, these must be the first entries. */
function countFirst<T>(groups: readonly T[][], holds: (one: T) => boolean): number {
  return groups.reduce((sum, those) => {
    let [from, to] = [0, those.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (holds(those[middle] as T)) from = middle + 1
      else to = middle
    }
    return sum + from
  }, 0)
}

function cardItem(shown: BoardPage, { row, since }: BoardCard, places: Html | undefined): Html {
  const words = rowWords(row, shown.words)
  const { id, name, waiting, counselor, next, from, what } = words
  const { stage } = row.lead
  return html`<li class="board-card${waiting?.late ? ' late' : ''}" data-lead="${id}" data-stage="${stage}"${places ? raw(' draggable="true"') : ''}>
<p class="board-who"><a class="lead-link" dir="auto" href="/leads/${id}" draggable="false">${name}</a>${
    waiting === null
      ? html`<span class="quiet">${roughDuration(shown.words.now - since)} in this stage</span>`
      : html`<span class="wait">${waitingClock}<span class="hidden">Waiting </span>${waiting.time}</span>`
  }</p>
${from === '' ? '' : html`<p class="lead-from" dir="auto">${from}</p>`}
${what === '' ? '' : html`<p class="board-what" dir="auto">${what}</p>`}
${words.last === null || isMove(row) ? '' : html`<p class="last" dir="auto">${words.last}</p>`}
${leadTags(words, { withKind: false })}
${waiting === null || waiting.target === '' ? '' : html`<p class="target">${capital(waiting.target)}</p>`}
<p class="board-next">${next === null ? '' : html`<span class="next">${next.what}${next.at === '' ? '' : `, ${next.at}`}</span>`}<span class="${counselor === null ? 'unassigned' : 'counselor'}">${counselor ?? 'Unassigned'}</span></p>
${
  places === undefined
    ? ''
    : html`<details class="move"><summary aria-label="Move ${name}">Move</summary><form method="post" action="/board/move" data-move>
${hidden({ lead: id, from: stage, back: shown.back })}
<select name="to" required aria-label="Where to move ${name}">${places}</select><button class="secondary small">Move</button></form></details>`
}
</li>`
}

/** Whether the last thing that happened is the move to this column: the column already says so. */
const isMove = ({ last }: BoardCard['row']): boolean => last?.kind === 'stage' && last.undoneAt === null

/** The options of the menu. They are made once for each column, since all of its cards have the same. */
function placesFrom(stage: string, kind: Kind): Html {
  const stages = openStages(kind).filter(one => one !== stage)
  return html`<option value="">Move to …</option>${stages.map(one => html`<option value="${one}">${nameOf(one)}</option>`)}<optgroup label="Close">${reasonsToClose.map(reason => html`<option value="${closing(reason)}">${capital(reason)}</option>`)}</optgroup>`
}

/** The places where a dropped card closes its lead. The menu of a card has the same choices. */
export const placesToClose = (): Html =>
  html`<div class="board-close" aria-hidden="true"><span>Close:</span>${reasonsToClose.map(reason => html`<span class="board-reason" data-drop="${closing(reason)}">${capital(reason)}</span>`)}</div>`

/** The value of a place in a form: a stage, or a reason to close the lead. */
const closing = (reason: string): string => `closed: ${reason}`

export function readPlace(text: string | undefined): { stage: string } | { reason: string } | undefined {
  const [, stage = '', reason] = /^([a-z]+)(?:: ([a-z ]+))?$/.exec(text ?? '') ?? []
  if (reason !== undefined) return stage === 'closed' ? { reason } : undefined
  return allStages.includes(stage) ? { stage } : undefined
}
