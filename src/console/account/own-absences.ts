/** The page on which counselors say when they are away. */
import { html } from 'hono/html'
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

/** The counselor of the team that the operator is. The manager and everyone else has no absences. */
const counselorOf = (c: ConsoleContext, { settings }: ConsoleDeps) =>
  settings.admissions.counselors.find(({ id }) => id === c.get('operator').counselor)

/** Throws a ConsoleError with status 422 for an operator who is not a counselor of the team. */
function assertCounselor(c: ConsoleContext, deps: ConsoleDeps) {
  const counselor = counselorOf(c, deps)
  if (counselor === undefined) throw new ConsoleError(422, 'You are not on the team, so no leads go to you.')
  return counselor
}

/** The absences of this counselor, and those of everyone, which say whether the backup is away, too. */
async function absencesOf(counselor: string, deps: ConsoleDeps): Promise<{ own: Absence[]; all: Absence[] }> {
  const all = await readAbsences(deps, deps.calendar.today(deps.clock.now()))
  return { own: all.filter(one => one.counselor === counselor), all }
}

/** The part of *Your account* that says when a counselor is away next; nothing for anyone else. */
export async function ownAbsencePanel(c: ConsoleContext, deps: ConsoleDeps): Promise<Html | ''> {
  const counselor = counselorOf(c, deps)
  if (counselor === undefined) return ''
  const [next] = (await absencesOf(counselor.id, deps)).own
  const words = next === undefined ? 'No absence is recorded.' : `You are away ${spanInWords(next, deps)}.`
  return html`<section class="panel"><h2>When you are away</h2>
<p>${words} New students go to others then, and reminders of yours to your backup or to the team.</p>
<p><a class="button secondary" href="${PATH}">Your absences</a></p></section>`
}

type Shown = { fields?: Record<string, string | undefined>; problem?: string }

async function ownAbsencesPage(c: ConsoleContext, deps: ConsoleDeps, { fields = {}, problem }: Shown) {
  const counselor = counselorOf(c, deps)
  const { own, all } = counselor === undefined ? { own: [], all: [] } : await absencesOf(counselor.id, deps)
  return page(
    c,
    { title: 'Your absences', current: ACCOUNT, status: problem === undefined ? 200 : 422 },
    html`<p class="back"><a href="${ACCOUNT}">Back to your account</a></p>
${
  counselor === undefined
    ? html`<p>You are not on the team, so no leads go to you.</p>`
    : html`<section class="panel"><h2>When you are away</h2>
<p class="quiet">Meanwhile, new students go to others. Your leads and the callbacks that you have promised stay yours; reminders of them go to your backup or, without one, to the team.</p>
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
  const recorded = await recordAbsence(c, deps, assertCounselor(c, deps), fields)
  if ('problem' in recorded) return ownAbsencesPage(c, deps, { fields, problem: recorded.problem })
  const { days, messages } = recorded
  return redirect(c, PATH, { text: `You are away ${days}: ${messages}. Managers see it under Team; no email says so.` })
}

async function remove(c: ConsoleContext, deps: ConsoleDeps, id: number | undefined) {
  const { own } = await absencesOf(assertCounselor(c, deps).id, deps)
  const absence = own.find(one => one.id !== undefined && one.id === id)
  if (absence?.id === undefined) throw new ConsoleError(404, 'This absence was already removed.')
  const { counselor, from, to } = absence
  await deleteAbsence(c, deps, { id: absence.id, detail: `${counselor}, ${from} to ${to}` })
  return redirect(c, PATH, { text: 'The absence is removed.' })
}
