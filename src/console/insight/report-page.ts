/** The report of a week: who wrote in, who was reached and how fast, which stages leads entered, what to do first. */
import { html } from 'hono/html'
import { telLink } from '../../content/contact-links.ts'
import { createShortDateFormat, roughly } from '../../content/date-format.ts'
import type { Group } from '../../follow-up/weekly-tally.ts'
import { type Week, weekAfter, weekBefore, weekOf } from '../../follow-up/weeks.ts'
import { readablePhone } from '../../leads/body/phone.ts'
import { stateName } from '../../leads/body/states.ts'
import { capital, share } from '../../leads/body/tidy-text.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { ownerName, TEAM } from '../../leads/lead/staff.ts'
import { readWeeklyReport, type WeeklyReport } from '../../mail/report/read-report.ts'
import {
  advice,
  arrivalsInWords,
  difference,
  type Grouping,
  groupInFigures,
  groupName,
  NOT_COUNTED,
  NOTHING_TO_DO,
  outcomeInWords,
  weekInWords,
} from '../../mail/report/report-words.ts'
import { isDay } from '../../platform/time.ts'
import { may } from '../frame/access.ts'
import type { ConsoleContext, ConsoleRoute } from '../frame/context.ts'
import { downloadTable } from '../frame/download.ts'
import { type Html, page } from '../frame/layout.ts'
import { get } from '../frame/routes.ts'
import { type FilterFields, queryOf } from '../lists/inbox-filter.ts'
import { counterList } from './counters.ts'
import { minutes } from './split-tables.ts'

const PATH = '/report'

/** How many people of each sort the page names. */
const MOST_NAMED = 200

/** If there are more people of a sort than this, the page folds the rest, since the figures come below. */
const MOST_OPEN = 10
const FIRST_FEW = 6

export const reportRoutes: ConsoleRoute[] = [
  get(PATH, 'see insight', reportPage, { menu: 'Report' }),
  get(`${PATH}/week.csv`, 'see insight', reportFile),
]

async function reportPage(c: ConsoleContext) {
  const { clock, calendar, settings } = c.get('frame').deps
  const current = weekOf(calendar.today(clock.now()), calendar)
  const week = weekIn(c)
  const report = await readWeek(c, week, MOST_NAMED)
  const words = weekInWords(week, settings.school)
  const isOver = week.first < current.first
  // The page of an earlier week leaves out what is waiting now.
  const isRecent = week.first >= weekBefore(current, calendar).first
  return page(
    c,
    { title: 'Report', current: PATH, width: 'wide' },
    html`<nav class="back" aria-label="Weeks"><a href="${pathOf(weekBefore(week, calendar))}">The week before</a>${
      isOver ? html`<a href="${pathOf(weekAfter(week, calendar))}">The week after</a>` : ''
    }</nav>
<section class="panel report-week"><div><h2>The week of ${words}${isOver ? '' : ', so far'}</h2>
<p>${arrivalsInWords(report)}</p></div>
<form class="inline compact" action="${PATH}"><div><label for="week">Another week (any day in it)</label><input id="week" name="week" type="date" value="${week.first}" max="${current.last}"></div><button class="secondary">Show</button></form></section>
${report.tally.all.leads === 0 ? '' : figuresOf(report)}
${isRecent ? toDoFirst(c, report) : ''}
${isRecent ? waitingPeople(c, report) : ''}
${untriedPeople(c, report)}
${groupsTable(c, week, 'owner', report.tally.byOwner)}
${groupsTable(c, week, 'state', report.tally.byState)}
${groupsTable(c, week, 'source', report.tally.bySource)}
${groupsTable(c, week, 'heard', report.tally.byHeard)}
${outcomesOf(report)}
${
  report.tally.all.leads === 0
    ? ''
    : html`<p class="quiet small">${NOT_COUNTED} Times are school hours, rounded up: half of everyone who wrote in, and 95% of those who were reached. A lead counts for the counselor who had it when the person was reached; until then, for the one who has it now. <a href="${PATH}/week.csv?week=${week.first}" download>Tables as CSV</a></p>`
}`,
  )
}

/** The same figures as at the top of the email. */
function figuresOf({ tally: { all }, before }: WeeklyReport): Html {
  const { leads, reached, share, half, left } = groupInFigures(all)
  return counterList([
    { title: 'Wrote in', value: leads, more: difference(all.leads, before.student + before.site) },
    { title: 'Reached', value: share, more: `${reached} of ${leads}` },
    { title: 'Half within', value: all.reached.working.p50 === null ? 'not yet' : half, more: 'school hours' },
    { title: 'Not called yet', value: left },
  ])
}

/** The week of the request, named by any of its days. Without one, the last week that is over. */
function weekIn(c: ConsoleContext): Week {
  const { clock, calendar } = c.get('frame').deps
  const day = c.req.query('week') ?? ''
  const today = calendar.today(clock.now())
  const current = weekOf(today, calendar)
  if (!isDay(day)) return weekBefore(current, calendar)
  return day > today ? current : weekOf(day, calendar)
}

function readWeek(c: ConsoleContext, week: Week, mostNamed: number): Promise<WeeklyReport> {
  const { store, clock, calendar } = c.get('frame').deps
  const before = weekBefore(week, calendar)
  return readWeeklyReport(store, { week, before, calendar, mostNamed, now: clock.now() })
}

const pathOf = ({ first }: Week): string => `${PATH}?week=${first}`

/** Leaves out what is done on a page that the operator may not open. */
function toDoFirst(c: ConsoleContext, report: WeeklyReport): Html {
  const operator = c.get('operator')
  const closed = [
    ...(may(operator, 'see delivery') ? [] : ['/delivery']),
    ...(may(operator, 'see quarantine') ? [] : ['/quarantine']),
  ]
  const list = advice(report).filter(({ path }) => !closed.some(page => path.startsWith(page)))
  return html`<section class="panel"><h2>What to do first</h2>${
    list.length === 0
      ? html`<p class="quiet">${NOTHING_TO_DO}</p>`
      : html`<ol class="to-do">${list.map(({ text, path }) => html`<li><a href="${path}">${text}</a></li>`)}</ol>`
  }</section>`
}

/** Who is waiting now for an answer or for a promised call. */
function waitingPeople(c: ConsoleContext, { unanswered, overdue, toDo }: WeeklyReport): Html {
  const wrote = unanswered.map(lead => ({ lead, since: lead.unansweredSince ?? 0 }))
  const promised = overdue.map(({ lead, dueAt }) => ({ lead, since: dueAt }))
  const more = toDo.unanswered - unanswered.length
  const others = html`And ${more} more. <a href="/inbox?waiting=unanswered">Everyone who wrote back</a>`
  return html`${namedPeople(c, { id: 'unanswered', title: 'They wrote back, and no one has answered', when: 'Wrote', people: wrote, more: more > 0 ? others : undefined })}
${namedPeople(c, { id: 'overdue', title: 'They were promised a call, and no one has recorded one', when: 'Promised for', people: promised })}`
}

function untriedPeople(c: ConsoleContext, { untried, week }: WeeklyReport): Html | '' {
  const people = untried.leads.map(lead => ({ lead, since: lead.createdAt }))
  const more = untried.total - untried.leads.length
  const others = html`And ${more} more. <a href="/inbox${queryOf({ ...daysOf(week), waiting: 'untried' })}">Everyone who wrote in and has not been called yet</a>`
  const named = { id: 'untried', title: 'No one has tried to reach them', when: 'First wrote', people }
  return namedPeople(c, { ...named, more: more > 0 ? others : undefined })
}

type Named = {
  id: string
  title: string
  /** The heading for the moment that is shown for each person. */
  when: string
  people: { lead: Lead; since: number }[]
  more?: Html | undefined
}

function namedPeople(c: ConsoleContext, { id, title, when, people, more }: Named): Html | '' {
  if (people.length === 0) return ''
  const { clock, settings } = c.get('frame').deps
  const moment = createShortDateFormat(settings.school)
  const now = clock.now()
  const { states } = settings.studentInterest
  const whereOf = ({ kind, company, state }: Lead) =>
    kind === 'site' ? (company ?? '') : state === null ? '' : stateName(state, states)
  const table = (those: Named['people']) =>
    html`<table class="table stacked people"><thead><tr><th>Name</th><th>State or company</th><th>Phone</th><th>${when}</th><th>Counselor</th></tr></thead><tbody>${those.map(
      ({ lead, since }) =>
        html`<tr><td><a href="/leads/${lead.id}">${fullName(lead)}</a></td><td>${whereOf(lead)}</td><td>${lead.phone === null ? 'No phone number yet' : html`<a href="${telLink(lead.phone, settings.school.country)}">${readablePhone(lead.phone, settings.school.country)}</a>`}</td><td><span class="cell-label">${when}</span>${moment(since, now)}</td><td><span class="cell-label">Counselor</span>${capital(ownerName(lead.owner, settings.admissions))}</td></tr>`,
    )}</tbody></table>`
  const folded = people.length > MOST_OPEN ? people.slice(FIRST_FEW) : []
  const others =
    folded.length > 0 && html`<details><summary>Show ${folded.length} more</summary>${table(folded)}</details>`
  return html`<section id="${id}"><h2>${title}</h2>
${table(people.slice(0, people.length - folded.length))}${others || ''}${more === undefined ? '' : html`<p>${more}</p>`}</section>`
}

const titles: Record<Grouping, { title: string; of: string }> = {
  owner: { title: 'By counselor', of: 'Counselor' },
  state: { title: 'By state', of: 'State' },
  source: { title: 'By source', of: 'Source' },
  heard: { title: 'By how they heard of us', of: 'Heard of us' },
}

function groupsTable(c: ConsoleContext, week: Week, grouping: Grouping, groups: readonly Group[]): Html | '' {
  if (groups.length === 0) return ''
  const { settings } = c.get('frame').deps
  const { title, of } = titles[grouping]
  const row = (group: Group) => {
    const name = groupName(grouping, group.value, settings)
    const filter = filterOf(grouping, group.value, name)
    const { count, p50, p95 } = group.reached.working
    return html`<tr><td>${
      filter === undefined
        ? name
        : html`<a href="/inbox${queryOf({ ...daysOf(week), stage: 'any', counted: '1', ...filter })}">${name}</a>`
    }</td>${[
      { label: 'Wrote in', value: group.leads },
      { label: 'Not called yet', value: group.leads - group.tried },
      { label: 'Reached', value: `${count} (${share(count, group.leads)})` },
      { label: 'Half within', value: roughly(p50) },
      { label: '95% within', value: roughly(p95) },
    ].map(({ label, value }) => html`<td class="number"><span class="cell-label">${label}</span>${value}</td>`)}</tr>`
  }
  return html`<section><h2>${title}</h2>
<table class="table stacked figures"><thead><tr><th>${of}</th><th>Wrote in</th><th>Not called yet</th><th>Reached</th><th>Half within</th><th>95% within</th></tr></thead><tbody>${groups.map(row)}</tbody></table></section>`
}

/** The inbox filter that shows a group; undefined if there is none. */
function filterOf(grouping: Grouping, value: string | null, name: string): Partial<FilterFields> | undefined {
  if (grouping === 'owner') return { who: value ?? TEAM }
  if (value === null) return undefined
  // The inbox's menu has the answer in the words of the settings.
  if (grouping === 'heard') return { source: name }
  return grouping === 'state' ? { state: value } : { from: value }
}

const daysOf = ({ first, last }: Week) => ({ since: first, until: last })

const outcomesOf = ({ outcomes }: WeeklyReport): Html | '' =>
  outcomes.length === 0
    ? ''
    : html`<section class="panel"><h2>What became of leads</h2><p class="quiet">What changed in this week, whenever the person wrote in. A lead counts in each stage that it came to:</p><ul>${outcomes.map(outcome => html`<li>${outcomeInWords(outcome)}</li>`)}</ul></section>`

async function reportFile(c: ConsoleContext) {
  const { settings } = c.get('frame').deps
  const week = weekIn(c)
  const { tally } = await readWeek(c, week, 0)
  const row = (by: string, name: string, { leads, tried, reached: { working, wall } }: Group) => ({
    week: week.first,
    by,
    name,
    'wrote in': leads,
    'not called yet': leads - tried,
    reached: working.count,
    'half within, minutes of school hours': minutes(working.p50),
    '95% within, minutes of school hours': minutes(working.p95),
    'half within, minutes': minutes(wall.p50),
    '95% within, minutes': minutes(wall.p95),
  })
  const rows = (grouping: Grouping, groups: readonly Group[]) =>
    groups.map(group => row(titles[grouping].of.toLowerCase(), groupName(grouping, group.value, settings), group))
  return downloadTable(c, `report-${week.first}`, [
    row('all', '', tally.all),
    ...rows('owner', tally.byOwner),
    ...rows('state', tally.byState),
    ...rows('source', tally.bySource),
    ...rows('heard', tally.byHeard),
  ])
}
