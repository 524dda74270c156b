/** Handing over all leads of someone who leaves: to one person, to several in turn, or to the team. */
import { html, raw } from 'hono/html'
import { takersOf } from '../../lead-actions/assign.ts'
import { handOver } from '../../lead-actions/hand-over.ts'
import { withdrawEmails } from '../../lead-actions/withdraw-emails.ts'
import { emailKey } from '../../leads/body/email.ts'
import { inDigits } from '../../leads/body/tidy-text.ts'
import { actorName, MANAGER, memberName } from '../../leads/lead/staff.ts'
import { stageName } from '../../leads/lead/stages.ts'
import type { Operator } from '../../store/operators/operators.ts'
import type { HandOverPlan } from '../../store/team/hand-overs.ts'
import { may } from '../frame/access.ts'
import { auditEntries, byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, doesNotExist } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { checkbox, formOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { versionInForce } from '../versions/edited-page.ts'
import { saveTeam, teamWith, wasFaster, withoutCounselor } from './edits.ts'
import { type Absence, awaySoon, readAbsences } from './team-absences.ts'
import { countLeadsOf, dutiesInWords, leadsInWords, leadsOf, readWorkload, untriedOf } from './workload.ts'

const PATH = '/team/people/:id{[a-z0-9-]{1,40}}/hand-over'

export const handOverFormRoutes: ConsoleRoute[] = [
  get(PATH, 'edit team', async (c, deps) => handOverPage(c, deps, await personOf(c, deps))),
  post(PATH, 'edit team', async (c, deps) => submit(c, deps, await personOf(c, deps), await formOf(c))),
]

/** The person whose leads are handed over. They may have left the team already. */
type Person = { id: string; name: string; isCounselor: boolean; email: string | undefined }

/** Throws ConsoleError if no one with this id was ever on the team, and no one has leads under it. */
async function personOf(c: ConsoleContext, { settings: { admissions }, store }: ConsoleDeps): Promise<Person> {
  const id = c.req.param('id') ?? ''
  const isKnown = memberName(id, admissions) !== undefined || admissions.former?.some(one => one.id === id)
  if (!isKnown && !(await store.listOwners()).some(({ owner }) => owner === id)) throw doesNotExist('counselor')
  const counselor = admissions.counselors.find(one => one.id === id)
  const email = id === MANAGER ? admissions.manager?.email : counselor?.email
  const name = actorName(id, admissions)
  return { id, name, isCounselor: counselor !== undefined, email }
}

async function handOverPage(c: ConsoleContext, deps: ConsoleDeps, person: Person, problem?: string) {
  const { id, name } = person
  const workload = await readWorkload(deps, id)
  const has = await deps.store.readDuties(id)
  const stages = has.stages.map(({ stage, leads }) => `${inDigits(leads)} ${stageName(stage)}`)
  const duties = dutiesInWords(has)
  const absences = await readAbsences(deps)
  const isAway = absences.some(one => one.counselor === id && one.id !== undefined)
  const all = leadsOf(workload)
  const named = leadsInWords(workload)
  const untried = workload && untriedOf(workload)
  return page(
    c,
    { title: `Hand over the leads of ${name}`, current: '/team', status: problem === undefined ? 200 : 422 },
    html`${
      all === 0
        ? html`<p>${name} has no open leads.${duties}</p>`
        : html`<p>${name} has ${named}${stages.length === 0 ? '' : `: ${stages.join(', ')}`}. ${untried === undefined ? 'Someone has tried to reach all of them.' : `No one has tried to reach ${untried} of them.`}${duties}</p>`
    }
<form method="post" class="panel">${hidden({ version: versionInForce('team', deps) })}
${all === 0 ? '' : whoGetsThem(deps, id, absences, problem)}
${await leavingFields(c, deps, person, isAway)}
<div class="actions"><button>${all === 0 ? 'Save' : all === 1 ? 'Hand over the lead' : `Hand over all ${inDigits(all)}${workload?.more ? ' or more' : ''} leads`}</button><a class="button secondary" href="/team">Cancel</a></div>
</form>`,
  )
}

/** Asks who gets a person's leads: anyone on the team who can get leads. */
export function whoGetsThem(deps: ConsoleDeps, from: string, absences: readonly Absence[], problem?: string): Html {
  const away = awaySoon(deps, absences)
  const people = takersOf(deps.settings)
    .filter(({ id }) => id !== from)
    .map(one => ({ ...one, away: away(one.id)?.now === true }))
  const counselors = people.filter(({ id }) => id !== MANAGER)
  const radio = (value: string, words: string, checked: boolean) =>
    html`<p class="check"><input type="radio" id="to-${value}" name="to" value="${value}"${checked ? raw(' checked') : ''}><label for="to-${value}">${words}</label></p>`
  const suffix = ({ away }: { away: boolean }) => (away ? ' (away)' : '')
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
<div class="among">${counselors.map(one =>
        checkbox('among', html`${one.name}${suffix(one)}`, !one.away, { value: one.id }),
      )}</div>`
}
${radio('team', 'The team', people.length === 0)}
<p class="hint">Everyone who gets leads receives one email with the list. Reminders about those who wait begin again, except about imported people, who have none. For a day, you can undo all of it.</p>
</fieldset>`
}

/** What else must be done when someone leaves. */
async function leavingFields(
  c: ConsoleContext,
  deps: ConsoleDeps,
  person: Person,
  isAway: boolean,
): Promise<Html | ''> {
  const operator = await operatorOf(deps, person)
  const boxes = [
    ...(person.isCounselor
      ? [checkbox('remove', 'Remove them from the team', c.req.query('leaves') !== undefined)]
      : []),
    ...(isAway ? [checkbox('present', 'Cancel their absences', false)] : []),
    ...(operator !== undefined && may(c.get('operator'), 'manage operators')
      ? [checkbox('disable', 'End their sign-in to the console', false)]
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

/** The plan that the fields of this form describe, or what is wrong with it. */
export function planFrom(form: FormData, id: string, { settings }: ConsoleDeps): HandOverPlan | string {
  const to = String(form.get('to') ?? '')
  if (to === 'team') return { to, people: [] }
  const named = to === 'one' ? [String(form.get('person'))] : form.getAll('among').map(String)
  const takers = takersOf(settings)
  const people = [...new Set(named)].filter(one => one !== id && takers.some(taker => taker.id === one))
  if (people.length === 0 || (to !== 'one' && to !== 'turns')) return 'Choose who gets the leads.'
  return { to, people }
}

async function submit(c: ConsoleContext, deps: ConsoleDeps, person: Person, form: FormData) {
  const leads = await countLeadsOf(deps, person.id)
  const duties = dutiesInWords(await deps.store.readDuties(person.id))
  const plan = planFrom(form, person.id, deps)
  if (typeof plan === 'string' && leads > 0) return handOverPage(c, deps, person, plan)
  // They are removed first, so that they get no new leads in the meantime.
  if (form.get('remove') === 'on' && person.isCounselor) await removeFromTeam(c, deps, person, form)
  await endSignInAndAbsences(c, deps, person, form)
  if (form.get('remove') === 'on' || form.get('disable') === 'on') await endEmails(c, deps, person)
  if (leads === 0 || typeof plan === 'string') return redirect(c, '/team', { text: `${person.name}: saved.${duties}` })
  const begun = await handOver(deps, { from: person.id, fromName: person.name, plan, leads }, byOperator(c))
  if (begun.outcome === 'before') throw new ConsoleError(409, 'Their leads are already being handed over.')
  return redirect(c, `/team/hand-overs/${begun.id}`, duties === '' ? undefined : { text: duties.trim() })
}

/** Removes a counselor, or the manager, from the shown version of the team. Throws ConsoleError if not possible. */
export async function removeFromTeam(
  c: ConsoleContext,
  deps: ConsoleDeps,
  { id, name }: Pick<Person, 'id' | 'name'>,
  form: FormData,
): Promise<void> {
  const without = id === MANAGER ? { manager: undefined } : { counselors: withoutCounselor(deps, id) }
  const saved = await saveTeam(c, deps, {
    replaces: numberOf(String(form.get('version'))) ?? -1,
    team: teamWith(deps, without),
    note: `removed ${name}`,
  })
  if ('before' in saved)
    throw new ConsoleError(409, `Nothing was changed: ${wasFaster(saved.before)} Open the page again.`)
  if ('problems' in saved) throw new ConsoleError(422, `${saved.problems[0]}.`)
}

/** No email goes out anymore in the name of someone who leaves. */
export async function endEmails(
  c: ConsoleContext,
  deps: ConsoleDeps,
  { id, email }: Pick<Person, 'id' | 'email'>,
): Promise<void> {
  const found = email === undefined ? undefined : await deps.store.findOperator(email)
  await withdrawEmails(deps, { actor: id, operatorId: found?.operator.id }, byOperator(c))
}

/** Disables an operator. From then on they get no leads and no emails. */
export async function endSignIn(c: ConsoleContext, deps: ConsoleDeps, { id, email }: Operator): Promise<void> {
  const { store, clock, settingsEdited } = deps
  await store.disableOperator(id, {
    now: clock.now(),
    by: c.get('operator').id,
    audit: auditEntries(c, 'disabled an operator', { detail: email }),
  })
  await settingsEdited()
}

/** Ends the person's sign-in and absences, if the form says so. Operators cannot end their own sign-in. */
async function endSignInAndAbsences(c: ConsoleContext, deps: ConsoleDeps, person: Person, form: FormData) {
  const { store, calendar, clock } = deps
  const operator = await operatorOf(deps, person)
  const own = operator?.id === c.get('operator').id
  if (form.get('disable') === 'on' && operator && !own && may(c.get('operator'), 'manage operators')) {
    await endSignIn(c, deps, operator)
  }
  if (form.get('present') !== 'on') return
  for (const one of await store.listAbsences(calendar.today(clock.now()))) {
    if (one.counselor !== person.id) continue
    const detail = `${person.name}, ${one.firstDay} to ${one.lastDay}`
    await store.removeAbsence(one.id, auditEntries(c, 'deleted an absence', { detail }))
  }
}
