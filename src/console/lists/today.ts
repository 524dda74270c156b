/** What is due for me today: people who were promised a call, then people who wrote back, then new people. */
import { html } from 'hono/html'
import type { Place } from '../../follow-up/area-codes.ts'
import { statesWith } from '../../leads/body/states.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { staffIds } from '../../leads/lead/staff.ts'
import type { DueCallback, DueLeads } from '../../store/lists/due-leads.ts'
import type { InboxRow } from '../../store/lists/inbox-rows.ts'
import { may } from '../frame/access.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { keyboardHelp } from '../frame/keyboard-help.ts'
import { type Html, hidden, livePart, page } from '../frame/layout.ts'
import { get } from '../frame/routes.ts'
import { bestTimeInWords, type CallTime, callTimes } from '../lead/call-times.ts'
import { nextSchoolDays } from '../lead/callback-choices.ts'
import {
  type RowContext,
  type RowWords,
  rowContext,
  rowWords,
  suppressedLeads,
  targetOf,
  unbroken,
} from '../lead/list-row-words.ts'
import { filterOf, NO_FILTER } from './inbox-filter.ts'
import { columnsOf, leadList } from './lead-rows.ts'
import { nextCard } from './next-card.ts'
import { unsentNotices, unsentRoute } from './unsent-notices.ts'
import { type Colleagues, colleaguesLine, waitForColleagues } from './waiting-for-colleagues.ts'

const PATH = '/today'

const KEYS: [key: string, does: string][] = [
  ['j', 'Next lead'],
  ['k', 'Previous lead'],
  ['Enter', 'Open the lead'],
  ['c', 'Reached'],
  ['x', 'No answer'],
  ['s', 'Promise a callback'],
  ['n', 'Write a note'],
  ['z', 'Undo'],
  ['?', 'Show these keys'],
]

/** The most leads that are read of each sort: more than a day's work. */
const MOST = 200
const SHOWN = 40
/** The counts of the menu and its pages' tabs stop at this number. */
export const MOST_COUNTED = 99

export const upToMost = (count: number): string => (count > MOST_COUNTED ? `${MOST_COUNTED}+` : `${count}`)

export const todayRoutes: ConsoleRoute[] = [
  get(PATH, 'see leads', todayPage, { menu: 'Today' }),
  // Every page's script requests this count separately, so that no page has to wait for it.
  get(`${PATH}/count`, 'see leads', countWaiting),
  unsentRoute,
]

/** How much waits on the pages of the menu that the operator may see. */
async function countWaiting(c: ConsoleContext, { store, settings, calendar }: ConsoleDeps) {
  const operator = c.get('operator')
  const { due, more } = await readDue(c, { inOrder: false })
  // The same number as beside the view in the inbox: everyone who the operator sees there.
  const unanswered = filterOf({ ...NO_FILTER, waiting: 'unanswered' }, { operator, settings, calendar })
  const [wroteBack = 0] = await store.countInbox([unanswered], MOST_COUNTED + 1)
  const counts = { now: countOf(nowOf(due), more.now), wroteBack: upToMost(wroteBack) }
  if (!may(operator, 'see quarantine')) return c.json(counts)
  const held = await store.countQuarantined(MOST_COUNTED + 1)
  const { mailFailedToStaff, mailFailedToStudents, unfileable } = await c.get('frame').mailTrouble.recent()
  const waiting = held + unfileable
  return c.json({ ...counts, quarantined: upToMost(waiting), failed: `${mailFailedToStaff + mailFailedToStudents}` })
}

/**
 * What is due for the operator. Only a limited number of leads is read. After a large import, all of these may live
 * where it is too early to call; we then also read people who live elsewhere. `inOrder`: whether the order matters.
 */
async function readDue(c: ConsoleContext, { inOrder }: { inOrder: boolean }) {
  const { store, clock, calendar, settings } = c.get('frame').deps
  const operator = c.get('operator')
  const now = clock.now()
  const until = calendar.midnightAfter(now)
  const owner = operator.counselor ?? (operator.role === 'counselor' ? 'no one' : undefined)
  const callTime = callTimes({ settings, calendar, now })
  const rows = { ...rowContext({ settings, calendar }, now), callTime, columns: columnsOf(operator) }
  const query = { owner, team: staffIds(settings.admissions), until, limit: MOST, withFollowUps: inOrder }
  const found = await store.listDueLeads(query)
  const due = sorted(found, rows)
  const context = { ...rows, callbacks: new Map(found.callbacks.map(one => [one.lead.id, one])) }
  const open = calendar
    .areasOf([...statesWith(settings.studentInterest.states).values(), null])
    .filter(({ place }) => callTime(place).open)
    .map(({ area }) => area)
  const some = due.promised.length + due.now.length > 0
  if (!found.more || some || open.length === 0)
    return { due, more: { now: found.more && some, others: found.more }, context }
  const callable = await store.listDueLeads({ ...query, areas: open })
  return { due: { ...due, now: sorted(callable, rows).now }, more: { now: callable.more, others: true }, context }
}

/** Whether more leads are due than were read. */
type More = { now: boolean; others: boolean }

async function todayPage(c: ConsoleContext) {
  const { store } = c.get('frame').deps
  const operator = c.get('operator')
  const { due, more, context } = await readDue(c, { inOrder: true })
  const work = may(operator, 'work on leads')
  const colleagues = await waitForColleagues(c, { now: context.now, limit: MOST })
  const list = await sections(due, { deps: c.get('frame').deps, context, work, more, colleagues })
  const words = countInWords(due, more, context, colleagues)
  if (c.req.header('x-part') === 'list') return livePart(c, list, { summary: html`${words}` })
  return page(
    c,
    { title: 'Today', current: PATH, width: 'wide', beside: html`<p class="quiet beside" data-summary>${words}</p>` },
    html`<div class="inbox" data-start data-shortcuts="${operator.shortcuts ? 'on' : 'off'}">
${unsentNotices(await store.listUnsentMessages({ actor: operator.actor, now: context.now }), context.moment)}
<div id="list" data-live="list">${list}</div>
${keyboardHelp(KEYS)}</div>`,
  )
}

function countInWords(due: Due, more: More, { moment, callTime }: TodayContext, { total }: Colleagues): string {
  const { promised, wroteBack, closed, tried } = due
  const now = [...promised, ...due.now]
  const [first] = closed
  const opens = first && callTime(first).until
  const triedToday = tried.length === 0 ? '' : `, ${countOf(tried, more.others)} tried today`
  if (nowOf(due).length > 0) {
    const notYet = closed.length === 0 ? '' : `, ${countOf(closed, more.others)} not yet`
    const wrote = wroteBack.length === 0 ? [] : [`${countOf(wroteBack, more.now)} wrote back`]
    const call = now.length === 0 ? [] : [`${countOf(now, more.now)} to call now`]
    return `${[...wrote, ...call].join(', ')}${notYet}${triedToday}`
  }
  if (closed.length === 0) return `Nothing is due${total > 0 ? ' for you' : ''}${triedToday}`
  const until = opens ? ` until ${moment(opens)}` : ' now'
  return `No one to call${until}, ${countOf(closed, more.others)} waiting${triedToday}`
}

const countOf = (leads: readonly Lead[], more: boolean): string => `${leads.length}${more ? '+' : ''}`

type Shown = { deps: ConsoleDeps; context: TodayContext; work: boolean; more: More; colleagues: Colleagues }

/** The first leads of each sort. Everything else is read only for these. */
async function sections(due: Due, { deps, context: known, work, more, colleagues }: Shown): Promise<Html> {
  const all = [due.promised, due.wroteBack, due.now, due.closed, due.later, due.tried]
  const shown = all.map(leads => leads.slice(0, SHOWN))
  const rows = await deps.store.readInboxRows(shown.flat().map(({ id }) => id))
  const context = { ...known, suppressed: await suppressedLeads(deps, rows) }
  const byId = new Map(rows.map(row => [row.lead.id, row]))
  const [promised = [], wroteBack = [], now = [], closed = [], later = [], tried = []] = shown.map(leads =>
    leads.flatMap(({ id }) => byId.get(id) ?? []),
  )
  const after = (count: number, orMore: boolean) =>
    count === 0 ? '' : html`<p class="quiet">And ${count}${orMore ? ' or more' : ''} after these.</p>`
  const [first] = [...promised, ...wroteBack, ...now]
  const why = first && (promised.includes(first) ? 'promised' : wroteBack.includes(first) ? 'wrote back' : 'new')
  // The first has a card of its own.
  const section = (title: string, all: Lead[], some: InboxRow[], orMore = more.others) => {
    const others = some.filter(row => row !== first)
    return others.length === 0
      ? ''
      : html`<h2 class="list-head">${title}</h2>${listForm(others, context, work)}${after(all.length - some.length, orMore)}`
  }
  const [next] = nextSchoolDays(context, 1)
  const again = next === undefined ? '' : `, call again ${nextDay(next.name)}`
  const card = first && why && nextCard(first, { words: wordsOf(first, context), context, work, why })
  return html`${card ?? nothingNow({ closed, tried }, colleagues)}
${section('Promised a call', due.promised, promised, more.now)}
${section('Wrote back, not answered', due.wroteBack, wroteBack, more.now)}
${section('To call now', due.now, now, more.now)}
${section('Not to be called yet', due.closed, closed)}
${section('Later today', due.later, later)}
${section(`Tried today${again}`, due.tried, tried)}
${colleaguesLine(colleagues)}`
}

/** `tomorrow`, or `on Monday`. */
const nextDay = (name: string): string => (name === 'Tomorrow' ? 'tomorrow' : `on ${name}`)

function nothingNow({ closed, tried }: Record<'closed' | 'tried', InboxRow[]>, { total }: Colleagues): Html {
  if (closed.length > 0)
    return html`<div class="empty"><h2>No one to call right now</h2><p>It’s too early or too late to call these people where they live. Each row says when you can.</p></div>`
  return html`<div class="empty"><h2>${total > 0 ? 'Nothing to do for you' : 'All done'}</h2><p>${tried.length === 0 ? 'No one waits for you right now' : 'You have tried everyone who waits for you'}. New leads appear here automatically; everything else is in the <a href="/inbox">inbox</a>.</p></div>`
}

type CallContext = RowContext & { callTime: (place: Place) => CallTime; columns: ReadonlySet<string> }

/** The context for rows, with the callbacks that are promised for today, by the id of their lead. */
type TodayContext = CallContext & { callbacks: ReadonlyMap<number, DueCallback> }

function wordsOf(row: InboxRow, context: TodayContext): RowWords {
  const { local, sure, by, words } = context.callTime(row.lead)
  const there = `${local} ${row.lead.state === null ? 'at the school' : 'there'}${sure && by ? ` (${by})` : ''}`
  const promised = context.callbacks.get(row.lead.id)
  const callback = promised && `callback promised for ${context.moment(promised.dueAt)}`
  const what = promised?.words ? { what: promised.words } : {}
  const best = bestTimeInWords(row.lead, context)
  const call = callback && promised.dueAt <= context.now ? `${callback}; now ${there}` : `${there}, ${words}${best}`
  return { ...rowWords(row, context), ...what, call: unbroken(call) }
}

function listForm(rows: InboxRow[], context: TodayContext, work: boolean): Html {
  const list = leadList(
    rows.map(row => wordsOf(row, context)),
    { work, pick: false, columns: context.columns },
  )
  if (!work) return list
  return html`<form method="post" action="/inbox/actions">${hidden({ back: PATH })}${list}</form>`
}

type Due = Record<'promised' | 'wroteBack' | 'now' | 'closed' | 'later' | 'tried', Lead[]>

/** The people that someone should call or answer now. */
const nowOf = ({ promised, wroteBack, now }: Due): Lead[] => [...promised, ...wroteBack, ...now]

/**
 * Sorts the leads that are due, without repeats:
 * - people whose promised call is due, the most overdue first, at any hour of the day where they are
 * - people who wrote back and wait for an answer, which can be written at any hour
 * - people to call now, the most urgent first
 * - people who are due but live where it is too early to call, by the time when staff may
 * - what comes later today, by its time
 * - people who did not answer today, the longest wait first
 */
function sorted({ callbacks, ...due }: DueLeads, context: CallContext): Due {
  const { now, callTime } = context
  const untried = new Set(due.untried)
  const promised = callbacks.filter(({ dueAt }) => dueAt <= now).map(({ lead }) => lead)
  const placed = new Set(promised.map(({ id }) => id))
  const notYet = ({ id }: Lead) => !placed.has(id)
  const wroteBack = due.wroteBack.filter(notYet)
  for (const { id } of wroteBack) placed.add(id)
  const leads = due.leads.filter(notYet)
  for (const { id } of leads) placed.add(id)
  const urgency = new Map<Lead, Urgency>(
    leads.map(lead => [
      lead,
      untried.has(lead.id)
        ? [1, targetOf(lead, context, due.followUps.get(lead.id)?.followUp) ?? lead.createdAt]
        : againAt(lead, due.lastTried.get(lead.id), context),
    ]),
  )
  const order = (one: Lead, other: Lead) => compare(urgency.get(one) ?? LAST, urgency.get(other) ?? LAST)
  const opens = (lead: Lead) => callTime(lead).until ?? 0
  const others = leads.filter(lead => urgency.get(lead) !== LAST).toSorted(order)
  return {
    promised,
    wroteBack,
    now: others.filter(lead => callTime(lead).open),
    closed: others.filter(lead => !callTime(lead).open).toSorted((one, other) => opens(one) - opens(other)),
    later: callbacks.map(({ lead }) => lead).filter(notYet),
    tried: leads.filter(lead => urgency.get(lead) === LAST).toSorted((one, other) => one.createdAt - other.createdAt),
  }
}

/** How urgent a lead is: its rank, and a time that decides among leads of the same rank. */
type Urgency = readonly [rank: number, at: number]

const LAST: Urgency = [9, 0]

const compare = (one: Urgency, other: Urgency): number => one[0] - other[0] || one[1] - other[1]

/** `tried`: when someone last tried to reach them; undefined if that is not known. */
function againAt(lead: Lead, tried: number | undefined, { calendar, now }: RowContext): Urgency {
  // One call without an answer is enough for a day.
  const at = tried ?? lead.createdAt
  return tried !== undefined && calendar.today(at) === calendar.today(now) ? LAST : [2, at]
}
