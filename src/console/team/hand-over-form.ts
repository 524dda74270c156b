/** Handing over all leads of someone who leaves: to one person, to several in turn, or to the team. */
import { html, raw } from 'hono/html'
import { handOver } from '../../lead-actions/hand-over.ts'
import { emailKey } from '../../leads/body/email.ts'
import { inDigits } from '../../leads/body/tidy-text.ts'
import { actorName, MANAGER, memberName } from '../../leads/lead/staff.ts'
import { stageName } from '../../leads/lead/stages.ts'
import type { HandOverPlan } from '../../store/team/hand-overs.ts'
import { may } from '../frame/access.ts'
import { audit, byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { formOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { saveTeam, teamWith, versionInForce, wasFaster, withoutCounselor } from './edits.ts'
import { awaySoon, countOpen, openLeads, readAbsences, untriedOf } from './workload.ts'

const PATH = '/team/people/:id{[a-z0-9-]{1,40}}/hand-over'

export const handOverFormRoutes: ConsoleRoute[] = [
  get(PATH, 'edit team', (c, deps) => handOverPage(c, deps, personOf(c, deps))),
  post(PATH, 'edit team', async (c, deps) => submit(c, deps, personOf(c, deps), await formOf(c))),
]

/** The person whose leads are handed over. They may have left the team already. */
type Person = { id: string; name: string; isCounselor: boolean; email: string | undefined }

function personOf(c: ConsoleContext, { settings: { admissions } }: ConsoleDeps): Person {
  const id = c.req.param('id') ?? ''
  const counselor = admissions.counselors.find(one => one.id === id)
  const email = id === MANAGER ? admissions.manager?.email : counselor?.email
  const name = actorName(id, admissions)
  return { id, name, isCounselor: counselor !== undefined, email }
}

async function handOverPage(c: ConsoleContext, deps: ConsoleDeps, person: Person, problem?: string) {
  const { id, name } = person
  const { counselors, manager } = deps.settings.admissions
  const [workload] = await deps.store.readWorkloads([id], { lateBefore: new Map() })
  const stages = await deps.store.countStages(id)
  const absences = await readAbsences(deps)
  const away = awaySoon(deps, absences)
  const others = counselors.filter(one => one.id !== id)
  const people = [
    ...others.map(one => ({ id: one.id, name: one.name, away: away(one.id)?.now === true })),
    ...(manager && id !== MANAGER ? [{ id: MANAGER, name: `${manager.name} (manager)`, away: false }] : []),
  ]
  const isAway = absences.some(({ counselor }) => counselor === id)
  const open = workload?.open ?? 0
  const untried = workload && untriedOf(workload)
  const total = openLeads(workload ?? { open: 0, more: false })
  return page(
    c,
    { title: `Hand over the leads of ${name}`, current: '/team', status: problem === undefined ? 200 : 422 },
    html`${
      open === 0
        ? html`<p>${name} has no open leads.</p>`
        : html`<p>${name} has ${total}: ${stages.map(({ stage, leads }) => `${inDigits(leads)} ${stageName(stage)}`).join(', ')}. ${untried === undefined ? 'Someone has tried to reach all of them.' : `No one has tried to reach ${untried} of them.`}</p>`
    }
<form method="post" class="panel">${hidden({ version: versionInForce(deps) })}
${open === 0 ? '' : whoGetsThem(people, problem)}
${await leavingFields(c, deps, person, isAway)}
<div class="actions"><button>${open === 0 ? 'Save' : `Hand over ${total}`}</button><a class="button secondary" href="/team">Cancel</a></div>
</form>`,
  )
}

type Choice = { id: string; name: string; away: boolean }

function whoGetsThem(people: readonly Choice[], problem: string | undefined): Html {
  const counselors = people.filter(({ id }) => id !== MANAGER)
  const radio = (value: string, words: string, checked: boolean) =>
    html`<p class="check"><input type="radio" id="to-${value}" name="to" value="${value}"${checked ? raw(' checked') : ''}><label for="to-${value}">${words}</label></p>`
  const suffix = ({ away }: Choice) => (away ? ' (away)' : '')
  return html`<fieldset><legend>Who gets them</legend>
${problem === undefined ? '' : html`<p class="problem">${problem}</p>`}
${
  people.length === 0
    ? ''
    : html`${radio('one', 'One person', counselors.length < 2)}
<select name="person" aria-label="The person">${people.map(one => html`<option value="${one.id}">${one.name}${suffix(one)}</option>`)}</select>`
}
${
  counselors.length < 2
    ? ''
    : html`${radio('turns', 'Several in turn, by their states and weights', true)}
<div class="among">${counselors.map(
        one =>
          html`<p class="check"><input type="checkbox" id="among-${one.id}" name="among" value="${one.id}"${one.away ? '' : raw(' checked')}><label for="among-${one.id}">${one.name}${suffix(one)}</label></p>`,
      )}</div>`
}
${radio('team', 'The team', people.length === 0)}
<p class="hint">Everyone who gets some receives one email with the list. Reminders about those who wait begin again, except about imported people, who have none. For a day, you can undo all of it.</p>
</fieldset>`
}

/** What else there is to do when someone leaves. */
async function leavingFields(
  c: ConsoleContext,
  deps: ConsoleDeps,
  person: Person,
  isAway: boolean,
): Promise<Html | ''> {
  const operator = await operatorOf(deps, person)
  const box = (name: string, words: string, checked = false) =>
    html`<p class="check"><input type="checkbox" id="${name}" name="${name}"${checked ? raw(' checked') : ''}><label for="${name}">${words}</label></p>`
  const boxes = [
    ...(person.isCounselor ? [box('remove', 'Remove them from the team', c.req.query('leaves') !== undefined)] : []),
    ...(isAway ? [box('present', 'Cancel their absences')] : []),
    ...(operator !== undefined && may(c.get('operator'), 'manage operators')
      ? [box('disable', 'End their sign-in to the console')]
      : []),
  ]
  const note =
    operator !== undefined && !may(c.get('operator'), 'manage operators')
      ? html`<p class="hint">They can still sign in. An admin can end that under Operators.</p>`
      : ''
  return boxes.length === 0 && note === ''
    ? ''
    : html`<fieldset><legend>If they leave</legend>${boxes}${note}</fieldset>`
}

/** The operator with the email address of the person; undefined if no one can sign in with it. */
async function operatorOf({ store }: ConsoleDeps, { email }: Person) {
  if (email === undefined) return undefined
  const found = (await store.listOperators()).find(one => emailKey(one.email) === emailKey(email))
  return found?.disabled === false ? found : undefined
}

function planFrom(form: FormData, { id }: Person, { settings }: ConsoleDeps): HandOverPlan | string {
  const to = String(form.get('to') ?? '')
  if (to === 'team') return { to, people: [] }
  const named = to === 'one' ? [String(form.get('person'))] : form.getAll('among').map(String)
  const people = [...new Set(named)].filter(one => one !== id && memberName(one, settings.admissions) !== undefined)
  if (people.length === 0 || (to !== 'one' && to !== 'turns')) return 'Choose who gets the leads.'
  return { to, people }
}

async function submit(c: ConsoleContext, deps: ConsoleDeps, person: Person, form: FormData) {
  const open = await countOpen(deps, person.id)
  const plan = planFrom(form, person, deps)
  if (typeof plan === 'string' && open > 0) return handOverPage(c, deps, person, plan)
  // Removed first, so that they get no new leads in the meantime.
  if (form.get('remove') === 'on' && person.isCounselor) await removePerson(c, deps, person, form)
  await endSignInAndAbsences(c, deps, person, form)
  if (open === 0 || typeof plan === 'string') return redirect(c, '/team', { text: `${person.name}: saved.` })
  const begun = await handOver(deps, { from: person.id, fromName: person.name, plan, open }, byOperator(c))
  if (begun.outcome === 'before') throw new ConsoleError(409, 'Their leads are already being handed over.')
  return redirect(c, `/team/hand-overs/${begun.id}`)
}

async function removePerson(c: ConsoleContext, deps: ConsoleDeps, person: Person, form: FormData) {
  const saved = await saveTeam(c, deps, {
    replaces: numberOf(String(form.get('version'))) ?? -1,
    team: teamWith(deps, { counselors: withoutCounselor(deps, person.id) }),
    note: `removed ${person.name}`,
  })
  if ('before' in saved)
    throw new ConsoleError(409, `Nothing was changed: ${wasFaster(saved.before)} Open the page again.`)
  if ('problems' in saved) throw new ConsoleError(422, `${saved.problems[0]}.`)
}

/** Ends the person's sign-in and absences, if the form says so. No one ends their own sign-in. */
async function endSignInAndAbsences(c: ConsoleContext, deps: ConsoleDeps, person: Person, form: FormData) {
  const { store, clock } = deps
  const operator = await operatorOf(deps, person)
  const own = operator?.id === c.get('operator').id
  if (form.get('disable') === 'on' && operator && !own && may(c.get('operator'), 'manage operators')) {
    await store.disableOperator(operator.id, clock.now())
    await audit(c, 'disabled an operator', { detail: operator.email })
  }
  if (form.get('present') !== 'on') return
  for (const one of await readAbsences(deps)) {
    if (one.counselor !== person.id || !(await store.removeAbsence(one.id))) continue
    const detail = `${person.name}, ${one.firstDay} to ${one.lastDay}`
    await audit(c, 'deleted an absence', { detail })
  }
}
