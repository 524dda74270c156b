/** The team: the counselors, their territories, how much work each person has, and who is away. */
import { html } from 'hono/html'
import { dayAsOf } from '../../content/date-format.ts'
import { notWorking, whyNotWorking, worksOnLeads } from '../../follow-up/working-staff.ts'
import { takersOf } from '../../lead-actions/assign.ts'
import { emailKey } from '../../leads/body/email.ts'
import { languageName } from '../../leads/body/languages.ts'
import { capital, inDigits } from '../../leads/body/tidy-text.ts'
import { actorName, MANAGER } from '../../leads/lead/staff.ts'
import type { Operator } from '../../store/operators/operators.ts'
import type { Workload } from '../../store/team/workloads.ts'
import { may } from '../frame/access.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get } from '../frame/routes.ts'
import { whereFrom } from '../versions/edited-page.ts'
import { versionRoutes } from '../versions/version-pages.ts'
import { absenceRoutes } from './absences-page.ts'
import { teamPersonRoutes } from './counselor-page.ts'
import type { Counselor } from './edits.ts'
import { handOverFormRoutes } from './hand-over-form.ts'
import { handOverResultRoutes, latestHandOvers } from './hand-over-result.ts'
import { type Away, awaySoon, readAbsences } from './team-absences.ts'
import { editedTeam } from './team-versions.ts'
import { leadsInWords, leadsOf, openLeads, readTeamWorkloads, untriedOf } from './workload.ts'

const PATH = '/team'

export const teamRoutes: ConsoleRoute[] = [
  get(PATH, 'edit team', teamPage, { menu: 'Team' }),
  ...teamPersonRoutes,
  ...versionRoutes(editedTeam),
  ...handOverFormRoutes,
  ...handOverResultRoutes,
  ...absenceRoutes,
]

async function teamPage(c: ConsoleContext, deps: ConsoleDeps) {
  const { settings } = deps
  const { counselors, manager } = settings.admissions
  const workloads = await readTeamWorkloads(deps)
  const away = awaySoon(deps, await readAbsences(deps))
  const operators = new Map((await deps.store.listOperators()).map(one => [emailKey(one.email), one]))
  const someoneIsAway = counselors.some(({ id }) => away(id) !== undefined)
  const rows = counselors.map(one =>
    row(c, deps, {
      counselor: one,
      workload: workloads.of(one.id),
      away: someoneIsAway ? (away(one.id) ?? 'not away') : undefined,
      operator: operators.get(emailKey(one.email)),
    }),
  )
  return page(
    c,
    {
      title: 'Team',
      current: PATH,
      width: 'wide',
      beside: html`<div class="actions"><a class="button secondary" href="${PATH}/absences">Absences</a><a class="button secondary" href="${PATH}/versions">Versions</a><a class="button" href="${PATH}/add">Add a counselor</a></div>`,
    },
    html`<p class="quiet">${whereFrom('team', deps)}</p>
${noOneLeft(deps)}
${workloads.former.map(one => formerNotice(one, actorName(one.owner, deps.settings.admissions)))}
${
  rows.length === 0
    ? html`<div class="empty"><h2>No counselors yet</h2><p>Until you add one, all students go to the team at ${deps.config.admissionsEmail}.</p></div>`
    : html`<table class="table stacked team">
<thead><tr><th scope="col">Counselor</th><th scope="col">Takes</th><th scope="col">Has to do</th>${someoneIsAway ? html`<th scope="col">Away</th>` : ''}<th scope="col"><span class="hidden">Actions</span></th></tr></thead>
<tbody>${rows}</tbody></table>`
}
<section class="panel"><h2>Manager</h2>
<div class="notice"><p>${manager === undefined ? 'No one. The team is notified when no one has reached a student.' : html`${manager.name}, <span class="quiet">${manager.email}</span><br>${worksOnLeads(MANAGER, settings.admissions) ? 'Is notified when no one has reached a student.' : html`${whyNothing(MANAGER, settings)} The team gets their emails.`}`}</p>
<a class="button secondary small" href="${PATH}/manager">${manager === undefined ? 'Name a manager' : 'Change'}</a></div></section>
${await latestHandOvers(deps)}`,
  )
}

/** A warning if everyone on the team is disabled or a viewer. */
const noOneLeft = ({ settings, config }: ConsoleDeps): Html | '' =>
  notWorking(settings.admissions).length > 0 && takersOf(settings).length === 0
    ? html`<div class="banner" role="alert"><p><strong>No one on the team can work on leads.</strong> New leads and all reminders go to ${config.admissionsEmail}.</p></div>`
    : ''

const formerNotice = (workload: Workload, name: string): Html =>
  html`<div class="banner notice"><p><strong>${name} has left the team</strong> and has ${leadsInWords(workload)}. Their reminders go to the team.</p><a class="button secondary small" href="${PATH}/people/${workload.owner}/hand-over">Hand over</a></div>`

type Row = {
  counselor: Counselor
  workload: Workload | undefined
  /** Undefined if no one is away: then there is no column. */
  away: Away | 'not away' | undefined
  operator: Operator | undefined
}

function row(c: ConsoleContext, deps: ConsoleDeps, { counselor, workload, away, operator }: Row): Html {
  const { id, name, email } = counselor
  return html`<tr><td><strong>${name}</strong> <span class="quiet small">${id}</span><br><span class="quiet small">${email}</span>${signInOf(c, counselor, operator)}</td>
<td>${takes(counselor, deps)}</td>
<td>${workload === undefined || workload.open === 0 ? html`<span class="quiet">Nothing open</span>` : html`<a href="/inbox?who=${id}">${openLeads(workload)}</a>${detail(workload)}`}</td>
${away === undefined ? '' : html`<td>${away === 'not away' ? '' : awayWords(away, deps)}</td>`}
<td><div class="actions"><a class="button secondary small" href="${PATH}/people/${id}">Change<span class="hidden"> ${name}</span></a>${leadsOf(workload) === 0 ? '' : html`<a class="button secondary small" href="${PATH}/people/${id}/hand-over">Hand over<span class="hidden"> the leads of ${name}</span></a>`}</div></td></tr>`
}

function takes(
  { states = [], programs = [], campuses = [], weight = 1, languages = [], backup }: Counselor,
  deps: ConsoleDeps,
) {
  const { counselors } = deps.settings.admissions
  const others =
    weight === 0
      ? 'No other students'
      : [...states, ...programs, ...campuses].length === 0
        ? 'Students in turn'
        : 'Others in turn'
  const share = weight > 1 ? `${others}, weight ${weight}` : others
  const lines = [
    programs.length === 0 ? [] : [programs.join(', ')],
    campuses.length === 0 ? [] : [campuses.join(', ')],
    states.length === 0 ? [] : [states.join(', ')],
    [share],
    languages.length === 0 ? [] : [`Speaks ${languages.map(languageName).join(', ')}`],
    backup === undefined ? [] : [`Backup: ${counselors.find(one => one.id === backup)?.name ?? backup}`],
  ].flat()
  return lines.map((line, index) => (index === 0 ? line : html`<br><span class="quiet small">${line}</span>`))
}

function detail(workload: Workload): Html | '' {
  const { late, moreUntried } = workload
  const untried = untriedOf(workload)
  if (untried === undefined) return ''
  return html`<br><span class="small">${untried} not called yet</span>${late === 0 ? '' : html` <span class="tag wrong">${inDigits(late)}${moreUntried ? ' or more' : ''} late</span>`}`
}

function awayWords({ from, until, now }: Away, { settings, calendar, clock }: ConsoleDeps): Html {
  const day = (text: string) => dayAsOf(text, calendar.today(clock.now()), settings.school)
  return now
    ? html`<span class="tag strong">Away</span> <span class="small">until ${day(until)}</span>`
    : html`<span class="small">From ${day(from)}${from === until ? '' : html` to ${day(until)}`}</span>`
}

const whyNothing = (id: string, { admissions }: ConsoleDeps['settings']): Html =>
  html`<span class="tag wrong">${capital(whyNotWorking(id, admissions))}</span>`

/** Whether they can sign in and work on leads. If they have no account, an admin can invite them from here. */
function signInOf(c: ConsoleContext, { id, name, email }: Counselor, operator: Operator | undefined): Html | '' {
  const { settings } = c.get('frame').deps
  if (!worksOnLeads(id, settings.admissions))
    return html`<br>${whyNothing(id, settings)} <span class="small">Gets no new leads and no emails</span>`
  if (operator !== undefined) return ''
  if (!may(c.get('operator'), 'manage operators'))
    return html`<br><span class="quiet small">Cannot sign in yet: an admin can invite them</span>`
  return html`<form method="post" action="/operators" class="here">${hidden({ name, email, role: 'counselor' })}<button class="plain small"><span>Invite<span class="hidden"> ${name}</span> to sign in</span></button></form>`
}
