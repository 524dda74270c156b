/** The page on which counselors and the manager say when they are away. */
import { html } from 'hono/html'
import { MANAGER, peopleOn } from '../../leads/lead/staff.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import {
  type Absence,
  dayFields,
  deleteAbsence,
  messagesInWords,
  readAbsences,
  recordAbsence,
  spanInWords,
} from '../team/team-absences.ts'

const ACCOUNT = '/account'
const PATH = `${ACCOUNT}/absences`
const ACTION = 'use own account'

export const ownAbsenceRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, (c, deps) => ownAbsencesPage(c, deps, {})),
  post(PATH, ACTION, async (c, deps) => add(c, deps, await fieldsOf(c))),
  post(`${PATH}/remove`, ACTION, async (c, deps) => remove(c, deps, numberOf((await fieldsOf(c))['id']))),
]

/** The counselor or manager that this operator is; undefined for everyone else, since they have no absences. */
const personOf = (c: ConsoleContext, { settings }: ConsoleDeps) =>
  peopleOn(settings.admissions).find(({ id }) => id === c.get('operator').counselor)

/** Throws a ConsoleError with status 422 for an operator who is not on the team. */
function assertOnTeam(c: ConsoleContext, deps: ConsoleDeps) {
  const person = personOf(c, deps)
  if (person === undefined) throw new ConsoleError(422, 'You are not on the team, so no leads go to you.')
  return person
}

/** This person's absences, and everyone's, which say whether the backup is away, too. */
async function absencesOf(id: string, deps: ConsoleDeps): Promise<{ own: Absence[]; all: Absence[] }> {
  const all = await readAbsences(deps)
  return { own: all.filter(one => one.counselor === id), all }
}

/** The part of *Your account* that says when someone on the team is away next; nothing for anyone else. */
export async function ownAbsencePanel(c: ConsoleContext, deps: ConsoleDeps): Promise<Html | ''> {
  const person = personOf(c, deps)
  if (person === undefined) return ''
  const [next] = (await absencesOf(person.id, deps)).own
  const words = next === undefined ? 'No absence is recorded.' : `You are away ${spanInWords(next, deps)}.`
  return html`<section class="panel"><h2>When you are away</h2>
<p>${words} ${person.id === MANAGER ? TEAM_STANDS_IN : 'Meanwhile, new students go to others, and your reminders go to your backup or to the team.'}</p>
<p><a class="button secondary" href="${PATH}">Your absences</a></p></section>`
}

/** What an absence of the manager means. */
const TEAM_STANDS_IN = 'Meanwhile, the team gets your warnings, reminders and lists. The weekly report waits for you.'

type Shown = { fields?: Record<string, string | undefined>; problem?: string }

async function ownAbsencesPage(c: ConsoleContext, deps: ConsoleDeps, { fields = {}, problem }: Shown) {
  const person = personOf(c, deps)
  const { own, all } = person === undefined ? { own: [], all: [] } : await absencesOf(person.id, deps)
  return page(
    c,
    { title: 'Your absences', current: ACCOUNT, status: problem === undefined ? 200 : 422 },
    html`<p class="back"><a href="${ACCOUNT}">Back to your account</a></p>
${
  person === undefined
    ? html`<p>You are not on the team, so no leads go to you.</p>`
    : html`<section class="panel"><h2>When you are away</h2>
<p class="quiet">${person.id === MANAGER ? TEAM_STANDS_IN : 'Meanwhile, new students go to others. Your leads and the callbacks that you have promised stay yours; reminders about them go to your backup or, without one, to the team.'}</p>
${own.length === 0 ? html`<p>No absence is recorded.</p>` : html`<ul class="plain-list">${own.map(one => absenceRow(one, all, deps))}</ul>`}
</section>
<section class="panel"><h2>Add an absence</h2><form method="post" action="${PATH}" class="stack">
${dayFields(fields, problem, 'Leave it empty if you are away for one day.')}
<button>Add</button></form></section>`
}`,
  )
}

function absenceRow(absence: Absence, all: readonly Absence[], deps: ConsoleDeps): Html {
  const { id, where } = absence
  const days = spanInWords(absence, deps)
  return html`<li><span><strong>${days}</strong><br><span class="quiet small">${messagesInWords(absence, all, deps)}; ${where}</span></span>${
    id === undefined
      ? ''
      : html`<form method="post" action="${PATH}/remove">${hidden({ id })}<button class="secondary small">Remove<span class="hidden"> ${days}</span></button></form>`
  }</li>`
}

async function add(c: ConsoleContext, deps: ConsoleDeps, fields: Record<string, string | undefined>) {
  const recorded = await recordAbsence(c, deps, assertOnTeam(c, deps), fields)
  if ('problem' in recorded) return ownAbsencesPage(c, deps, { fields, problem: recorded.problem })
  const { days, messages } = recorded
  return redirect(c, PATH, {
    text: `You are away ${days}: ${messages}. Managers see it under Team; no email is sent about it.`,
  })
}

async function remove(c: ConsoleContext, deps: ConsoleDeps, id: number | undefined) {
  const { own } = await absencesOf(assertOnTeam(c, deps).id, deps)
  const absence = own.find(one => one.id !== undefined && one.id === id)
  if (absence?.id === undefined) throw new ConsoleError(404, 'This absence was already removed.')
  const { counselor, from, to } = absence
  await deleteAbsence(c, deps, { id: absence.id, detail: `${counselor}, ${from} to ${to}` })
  return redirect(c, PATH, { text: 'The absence is removed.' })
}
