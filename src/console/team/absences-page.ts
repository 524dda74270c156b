/** The calendar of absences: who is away when, where each absence was recorded, and what it means. */
import { html, raw } from 'hono/html'
import { awayOn, coverageGaps, type Gap, missingOn } from '../../follow-up/absences.ts'
import { notWorking } from '../../follow-up/working-staff.ts'
import { stateName } from '../../leads/body/states.ts'
import { memberName, peopleOn } from '../../leads/lead/staff.ts'
import { DAY, utcDay } from '../../platform/time.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf, option } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { versionInForce } from '../versions/edited-page.ts'
import { saveTeam, teamWith } from './edits.ts'
import {
  type Absence,
  dayFields,
  deleteAbsence,
  messagesInWords,
  readAbsences,
  recordAbsence,
  spanInWords,
} from './team-absences.ts'
import { openLeads, readTeamWorkloads, type TeamWorkloads, untriedOf } from './workload.ts'

const PATH = '/team/absences'
const ACTION = 'edit team'

const MONTHS = 3

export const absenceRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, (c, deps) => absencesPage(c, deps, {})),
  post(PATH, ACTION, async (c, deps) => add(c, deps, await fieldsOf(c))),
  post(`${PATH}/remove`, ACTION, async (c, deps) => remove(c, deps, await fieldsOf(c))),
]

/** The first day of the month that is this many months later. */
function monthAfter(day: string, months: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return utcDay(Date.UTC(year, month - 1 + months, 1))
}

function daysFrom(first: string, end: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(first); at < Date.parse(end); at += DAY) days.push(utcDay(at))
  return days
}

type Shown = { fields?: Record<string, string | undefined>; problem?: string }

async function absencesPage(c: ConsoleContext, deps: ConsoleDeps, { fields = {}, problem }: Shown) {
  const { clock, calendar, settings } = deps
  const today = calendar.today(clock.now())
  const asked = c.req.query('month') ?? ''
  const first = `${/^20\d\d-(0[1-9]|1[0-2])$/.test(asked) ? asked : today.slice(0, 7)}-01`
  const end = monthAfter(first, MONTHS)
  const all = await readAbsences(deps, first < today ? first : today)
  const workloads = await readTeamWorkloads(deps)
  const { counselors } = settings.admissions
  const recorded = all.map(one => ({ counselor: one.counselor, firstDay: one.from, lastDay: one.to }))
  const away = (day: string) => awayOn(day, counselors, recorded)
  const missing = (day: string) => missingOn(day, settings.admissions, recorded)
  const ahead = daysFrom(first < today ? today : first, end)
  const months = Array.from({ length: MONTHS }, (_, index) => monthAfter(first, index))
  const link = (months: number, words: string) =>
    html`<a class="button secondary small" href="${PATH}?month=${monthAfter(first, months).slice(0, 7)}">${words}</a>`
  return page(
    c,
    {
      title: 'Absences',
      current: '/team',
      width: 'wide',
      status: problem === undefined ? 200 : 422,
      beside: html`<div class="actions">${link(-MONTHS, 'Earlier')}${link(MONTHS, 'Later')}</div>`,
    },
    html`<p class="back"><a href="/team">Back to the team</a></p>
${gapNotices(coverageGaps(ahead, counselors, missing), deps)}
<div class="columns">
<section class="panel"><h2>Who is away</h2>
<p class="quiet">While a counselor is away, new students go to others. Their leads stay with them, and their notifications and reminders go to their backup or, without one, to the team. While the manager is away, the team gets the manager’s warnings and lists.</p>
${all.length === 0 ? html`<p>No one is away today or later.</p>` : html`<ul class="plain-list">${all.map(one => absenceRow(one, all, { deps, workloads }))}</ul>`}
</section>
${peopleOn(settings.admissions).length === 0 ? '' : addForm(deps, fields, problem)}
</div>
<div class="columns">${months.map(month => monthTable(month, { deps, away, today }))}</div>`,
  )
}

/** One warning for all gaps on the same days. */
function gapNotices(gaps: readonly Gap[], deps: ConsoleDeps): Html[] {
  const bySpan = Map.groupBy(gaps, gap => `${gap.from} ${gap.to} ${gap.state === null}`)
  return [...bySpan.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : gapNotice(first, [first, ...others], deps),
  )
}

function gapNotice(span: Gap, gaps: readonly Gap[], deps: ConsoleDeps): Html {
  const { admissions, studentInterest } = deps.settings
  const states = gaps.flatMap(({ state }) => state ?? [])
  const names = new Intl.ListFormat('en', { type: 'disjunction' }).format(
    states.map(state => stateName(state, studentInterest.states)),
  )
  const othersTakeTurns = states.every(state =>
    admissions.counselors.some(one => !one.states?.includes(state) && one.weight !== 0),
  )
  const gone = notWorking(admissions).length > 0 ? 'is away or cannot work on leads' : 'is away'
  const words =
    states.length === 0
      ? `Everyone ${gone}: new students go to the team.`
      : `Everyone who has ${names} ${gone}: students from there go to ${othersTakeTurns ? 'others in turn' : 'the team'}.`
  return html`<div class="banner"><p><strong>${spanInWords(span, deps)}:</strong> ${words}</p></div>`
}

type MonthContext = { deps: ConsoleDeps; away: (day: string) => Map<string, string>; today: string }

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

function monthTable(month: string, { deps, away, today }: MonthContext): Html {
  const { school, admissions } = deps.settings
  const days = daysFrom(month, monthAfter(month, 1))
  // Weeks begin as in the date fields of the country's browsers: firstDay is 1 for Monday and 7 for Sunday.
  const first = new Intl.Locale(`en-${school.country}`).getWeekInfo().firstDay - 1
  // 1 January 1970 was a Thursday.
  const empty = (Date.parse(month) / DAY + 3 + 7 - first) % 7
  const weekdays = [...WEEKDAYS.slice(first), ...WEEKDAYS.slice(0, first)]
  const cells = [...Array.from({ length: empty }, () => null), ...days]
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, n) => cells.slice(7 * n, 7 * n + 7))
  const title = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const cell = (day: string | null) => {
    if (day === null) return html`<td></td>`
    const names = peopleOn(admissions).filter(({ id }) => away(day).has(id))
    return html`<td${day === today ? raw(' aria-current="date"') : ''}>${Number(day.slice(8))}${names.map(({ name }) => html`<span class="away" title="${name}"><span aria-hidden="true">${initials(name)}</span><span class="hidden">${name}</span></span>`)}</td>`
  }
  return html`<section class="panel"><h2>${title.format(Date.parse(month))}</h2><table class="month">
<thead><tr>${weekdays.map(day => html`<th scope="col"><abbr title="${day}">${day.slice(0, 2)}</abbr></th>`)}</tr></thead>
<tbody>${weeks.map(week => html`<tr>${week.map(cell)}</tr>`)}</tbody></table></section>`
}

const initials = (name: string): string =>
  name
    .split(/[\s-]+/)
    .map(part => part.slice(0, 1))
    .slice(0, 2)
    .join('')

function absenceRow(
  absence: Absence,
  all: readonly Absence[],
  { deps, workloads }: { deps: ConsoleDeps; workloads: TeamWorkloads },
): Html {
  const { id, counselor, from, to, where } = absence
  const name = memberName(counselor, deps.settings.admissions) ?? counselor
  const workload = workloads.of(counselor)
  const untried = workload && untriedOf(workload)
  const open =
    workload === undefined || workload.open === 0
      ? ''
      : html`<br><span class="small"><a href="/inbox?who=${counselor}">${openLeads(workload)}</a>${untried === undefined ? '' : `, ${untried} not called yet`}</span>`
  const fixed = id === undefined && where === 'in the settings file'
  return html`<li><span><strong>${name}</strong>, ${spanInWords(absence, deps)}<br><span class="quiet small">${messagesInWords(absence, all, deps)}; ${where}</span>${open}</span>${
    fixed
      ? ''
      : html`<form method="post" action="${PATH}/remove">${hidden({ version: versionInForce('team', deps), id: id ?? '', counselor, from, to })}<button class="secondary small">Remove<span class="hidden"> the absence of ${name}</span></button></form>`
  }</li>`
}

function addForm(deps: ConsoleDeps, fields: Record<string, string | undefined>, problem: string | undefined): Html {
  const people = peopleOn(deps.settings.admissions)
  return html`<section class="panel"><h2>Add an absence</h2><form method="post" action="${PATH}" class="stack">
<label for="counselor">Who</label><select id="counselor" name="counselor">${people.map(({ id, name }) => option(id, name, id === fields['counselor']))}</select>
${dayFields(fields, problem, 'Leave it empty if they are away for one day.')}
<button>Add</button></form></section>`
}

async function add(c: ConsoleContext, deps: ConsoleDeps, fields: Record<string, string | undefined>) {
  const person = peopleOn(deps.settings.admissions).find(({ id }) => id === fields['counselor'])
  if (person === undefined) throw new ConsoleError(422, 'This person is not on the team.')
  const recorded = await recordAbsence(c, deps, person, fields)
  if ('problem' in recorded) return absencesPage(c, deps, { fields, problem: recorded.problem })
  const { days, messages } = recorded
  return redirect(c, PATH, {
    text: `${person.name} is away ${days}: ${messages}. No email says so in advance; please tell them.`,
  })
}

async function remove(c: ConsoleContext, deps: ConsoleDeps, fields: Record<string, string | undefined>) {
  const { settings } = deps
  const { counselor = '', from = '', to = '' } = fields
  const id = numberOf(fields['id'])
  const detail = `${counselor}, ${from} to ${to}`
  if (id === undefined) {
    const counselors = settings.admissions.counselors.map(({ absent = [], ...one }) => {
      const left = absent.filter(span => one.id !== counselor || span.from !== from || span.to !== to)
      return left.length === 0 ? one : { ...one, absent: left }
    })
    const saved = await saveTeam(c, deps, {
      replaces: numberOf(fields['version']) ?? -1,
      team: teamWith(deps, { counselors }),
      note: `removed the absence of ${detail}`,
    })
    if (!('saved' in saved)) throw new ConsoleError(409, 'Not removed: someone changed the team meanwhile. Try again.')
  } else {
    await deleteAbsence(c, deps, { id, detail })
  }
  return redirect(c, PATH, { text: 'The absence is removed.' })
}
