/** What is due for me today, in order: the next one on top, and one key for each. */
import { html } from 'hono/html'
import { telLink } from '../content/contact-links.ts'
import type { InboxRow } from '../store/inbox-rows.ts'
import { may } from './access.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from './context.ts'
import { type Html, page } from './layout.ts'
import { leadList } from './lead-list.ts'
import { type RowContext, type RowWords, rowContext, rowWords, targetOf } from './lead-row.ts'

const PATH = '/today'

/** More than a day's work. */
const MOST = 200
const SHOWN = 40

export const todayRoutes = (_: ConsoleDeps): ConsoleRoute[] => [
  { method: 'GET', path: PATH, action: 'see leads', menu: 'Today', handle: todayPage },
]

async function todayPage(c: ConsoleContext) {
  const { store, clock, calendar, settings } = c.get('frame').deps
  const operator = c.get('operator')
  const now = clock.now()
  const midnight = calendar.midnightAfter(now)
  const owner = operator.counselor ?? (operator.role === 'counselor' ? 'no one' : undefined)
  const rows = await store.listDueLeads({ owner, until: midnight, limit: MOST })
  const context = rowContext({ settings, calendar }, now)
  const due = inOrder(rows, context)
  const work = may(operator, 'work on leads')
  const list = html`${nowList(due.now.slice(0, SHOWN), context, work)}
${due.now.length > SHOWN ? html`<p class="quiet">And ${due.now.length - SHOWN}${rows.length >= MOST ? ' or more' : ''} after these.</p>` : ''}
${due.later.length === 0 ? '' : html`<h2 class="list-head">Later today</h2>${listForm(due.later, context, work)}`}`
  if (c.req.header('x-part') === 'list') return c.html(list)
  return page(
    c,
    {
      title: 'Today',
      current: PATH,
      width: 'wide',
      beside: html`<p class="quiet beside">${countInWords(due.now.length)}</p>`,
    },
    html`<div class="inbox" data-live data-start data-shortcuts="${operator.shortcuts ? 'on' : 'off'}">
<div id="list" data-list>${list}</div></div>`,
  )
}

const countInWords = (count: number): string =>
  count === 0 ? 'Nothing is due' : `${count} to call now`

function nowList(rows: InboxRow[], context: RowContext, work: boolean): Html {
  const [next] = rows
  if (next === undefined)
    return html`<div class="empty"><h2>All done</h2><p>No one waits for you right now. New leads appear here by themselves; everything else is in the <a href="/inbox">inbox</a>.</p></div>`
  return html`${nextCard(next, rowWords(next, context), context)}${listForm(rows, context, work)}`
}

function nextCard({ lead }: InboxRow, words: RowWords, { settings }: RowContext): Html {
  const { phone, latestPhone } = lead
  const telephone = (number: string) => telLink(number, settings.school.country)
  return html`<section class="next-card" aria-label="Next">
<div><p class="quiet small">Next</p><h2>${words.name}</h2><p>${words.what || 'No message'}</p></div>
<div class="actions"><a class="button" href="${telephone(phone)}">Call ${phone}</a>${
    latestPhone === null
      ? ''
      : html`<a class="button secondary" href="${telephone(latestPhone)}">Call ${latestPhone}</a>`
  }<a class="button secondary" href="/leads/${lead.id}">Open</a></div>
</section>`
}

function listForm(rows: InboxRow[], context: RowContext, work: boolean): Html {
  const list = leadList(
    rows.map(row => rowWords(row, context)),
    { work, pick: false },
  )
  if (!work) return list
  return html`<form method="post" action="/inbox/actions"><input type="hidden" name="back" value="${PATH}">${list}</form>`
}

/** What to do now, the most urgent first, and what comes later today, by its time. */
export function inOrder(
  rows: readonly InboxRow[],
  context: RowContext,
): { now: InboxRow[]; later: InboxRow[] } {
  const { now } = context
  const urgency = new Map(rows.map(row => [row, urgencyOf(row, context)]))
  const order = (one: InboxRow, other: InboxRow) =>
    compare(urgency.get(one) ?? LAST, urgency.get(other) ?? LAST)
  return {
    now: rows
      .filter(row => (row.lead.pausedUntil ?? now) <= now && urgency.get(row) !== LAST)
      .toSorted(order),
    later: rows.filter(row => (row.lead.pausedUntil ?? now) > now).toSorted(order),
  }
}

/** A rank, and a moment among those of the same rank. */
type Urgency = readonly [rank: number, at: number]

const LAST: Urgency = [9, 0]

const compare = (one: Urgency, other: Urgency): number => one[0] - other[0] || one[1] - other[1]

function urgencyOf({ lead }: InboxRow, context: RowContext): Urgency {
  // Someone promised to call.
  if (lead.pausedUntil !== null) return [0, lead.pausedUntil]
  if (lead.repliedAt !== null) return [1, lead.repliedAt]
  if (lead.firstAttemptAt === null) return [2, targetOf(lead, context) ?? lead.createdAt]
  // A call without an answer is enough for one day.
  const { calendar, now } = context
  return calendar.today(lead.updatedAt) === calendar.today(now) ? LAST : [3, lead.updatedAt]
}
