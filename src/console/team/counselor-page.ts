/** Adding, changing and removing one person on the team. */
import { html } from 'hono/html'
import { emailKey } from '../../leads/body/email.ts'
import { inDigits, tidy } from '../../leads/body/tidy-text.ts'
import { MANAGER } from '../../leads/lead/staff.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { field, fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { type Saved, versionInForce } from '../versions/edited-page.ts'
import {
  counselorFields,
  counselorFrom,
  type Fields,
  fieldsOfCounselor,
  problemsByField,
  statesIn,
} from './counselor-form.ts'
import { type Counselor, newId, saveTeam, teamWith, withoutCounselor } from './edits.ts'
import { endEmails } from './hand-over-form.ts'
import { countLeadsOf, scheduledInWords } from './workload.ts'

const PATH = '/team'
const ACTION = 'edit team'
const PERSON = `${PATH}/people/:id{[a-z0-9-]{1,40}}`

export const teamPersonRoutes: ConsoleRoute[] = [
  get(`${PATH}/add`, ACTION, (c, deps) => personPage(c, deps, { fields: { weight: '1' } })),
  post(`${PATH}/add`, ACTION, async (c, deps) => add(c, deps, await fieldsOf(c))),
  get(PERSON, ACTION, (c, deps) => showPerson(c, deps, counselorOf(c, deps))),
  post(PERSON, ACTION, async (c, deps) => change(c, deps, counselorOf(c, deps), await fieldsOf(c))),
  post(`${PERSON}/remove`, ACTION, async (c, deps) => remove(c, deps, counselorOf(c, deps), await fieldsOf(c))),
  get(`${PATH}/manager`, ACTION, showManager),
  post(`${PATH}/manager`, ACTION, async (c, deps) => changeManager(c, deps, await fieldsOf(c))),
]

function counselorOf(c: ConsoleContext, { settings }: ConsoleDeps): Counselor {
  const found = settings.admissions.counselors.find(({ id }) => id === c.req.param('id'))
  return existing('counselor', found, 'Someone may have removed them.')
}

async function add(c: ConsoleContext, deps: ConsoleDeps, fields: Fields) {
  const { counselors } = deps.settings.admissions
  const [name, email] = [tidy(fields['name'] ?? ''), tidy(fields['email'] ?? '')]
  const added = counselorFrom(fields, { id: await newId(deps, { name, email }) }, deps.settings)
  const saved = await saveTeam(c, deps, {
    replaces: seen(fields),
    team: teamWith(deps, { counselors: [...counselors, added] }),
    note: `added ${name}`,
  })
  const path = `admissions.counselors[${counselors.length}]`
  if (!('saved' in saved)) return personPage(c, deps, { fields, saved, path })
  const known = (await deps.store.findOperator(email)) !== undefined
  const next = known ? '' : ' They can sign in once an admin has invited them.'
  return redirect(c, PATH, { text: `${name} is on the team.${next}` })
}

async function change(c: ConsoleContext, deps: ConsoleDeps, before: Counselor, fields: Fields) {
  const { counselors } = deps.settings.admissions
  const after = counselorFrom(fields, before, deps.settings)
  const saved = await saveTeam(c, deps, {
    replaces: seen(fields),
    team: teamWith(deps, { counselors: counselors.map(one => (one === before ? after : one)) }),
    note: `changed ${before.name}${differences(before, after)}`,
  })
  const path = `admissions.counselors[${counselors.indexOf(before)}]`
  if (!('saved' in saved)) return personPage(c, deps, { fields, saved, path, counselor: before })
  return redirect(c, PATH, {
    text: `${after['name']} is changed. This counts for new students; leads stay with those who have them.`,
  })
}

/** The fields that differ, with new values if they decide assignments: ` (email; states: TX, NM; weight: 2)`. */
function differences(before: Counselor, after: Record<string, unknown>): string {
  const was: Record<string, unknown> = { weight: 1, ...before }
  const words = (value: unknown): string => [value ?? []].flat().join(', ')
  const changed = ['name', 'email', 'states', 'programs', 'campuses', 'languages', 'weight', 'backup']
    .filter(name => words(was[name]) !== words(after[name]))
    .map(name => (name === 'name' || name === 'email' ? name : `${name}: ${words(after[name]) || 'none'}`))
  return changed.length === 0 ? '' : ` (${changed.join('; ')})`
}

/** Removes a counselor who has no leads: leads must be handed over first, so that none is left behind unnoticed. */
async function remove(c: ConsoleContext, deps: ConsoleDeps, gone: Counselor, fields: Fields) {
  if ((await countLeadsOf(deps, gone.id)) > 0)
    throw new ConsoleError(409, `${gone.name} still has leads. Hand them over first.`)
  const saved = await saveTeam(c, deps, {
    replaces: seen(fields),
    team: teamWith(deps, { counselors: withoutCounselor(deps, gone.id) }),
    note: `removed ${gone.name}`,
  })
  if (!('saved' in saved)) {
    const counselor = deps.settings.admissions.counselors.find(({ id }) => id === gone.id)
    return personPage(c, deps, { fields: fieldsOfCounselor(gone), saved, counselor })
  }
  const { callbacks, scheduled } = await deps.store.readDuties(gone.id)
  await endEmails(c, deps, gone)
  const theirs = callbacks === 0 ? '' : ` The ${callbacksInWords(callbacks)} that they promised ${fallTo(callbacks)}.`
  return redirect(c, PATH, {
    text: `${gone.name} has left the team.${theirs}${scheduled === 0 ? '' : ` ${scheduledInWords(scheduled)}.`}`,
  })
}

const callbacksInWords = (count: number): string => `${inDigits(count)} ${count === 1 ? 'callback' : 'callbacks'}`

/** Who will make the calls that a counselor promised before leaving the team. */
const fallTo = (callbacks: number): string =>
  callbacks === 1 ? 'falls to the counselor of that lead' : 'fall to the counselors of those leads'

const seen = (fields: Fields): number => numberOf(fields['version']) ?? -1

const showPerson = (c: ConsoleContext, deps: ConsoleDeps, counselor: Counselor) =>
  personPage(c, deps, { fields: fieldsOfCounselor(counselor), counselor })

type Shown = {
  fields: Fields
  saved?: Exclude<Saved, { saved: true }>
  /** The path in the settings of the counselor or manager that the form shows. */
  path?: string
  counselor?: Counselor | undefined
}

async function personPage(c: ConsoleContext, deps: ConsoleDeps, { fields, saved, path = '', counselor }: Shown) {
  const id = counselor?.id
  const problems = saved && 'problems' in saved ? saved.problems : []
  const action = id === undefined ? `${PATH}/add` : `${PATH}/people/${id}`
  return page(
    c,
    {
      title: counselor === undefined ? 'Add a counselor' : `Change ${counselor.name}`,
      current: PATH,
      status: statusOf(saved),
    },
    html`${conflict(saved)}
<form method="post" action="${action}" class="panel">${version(deps)}<div class="stack">
${counselorFields({ fields, id, problems: problemsByField(problems, path, statesIn(fields, deps.settings)), settings: deps.settings })}</div>
<div class="actions"><button>${counselor === undefined ? 'Add the counselor' : 'Save'}</button><a class="button secondary" href="${PATH}">Cancel</a></div>
</form>
${counselor === undefined ? '' : await leaving(deps, counselor)}`,
  )
}

async function leaving(deps: ConsoleDeps, { id, name }: Counselor): Promise<Html> {
  const leads = await countLeadsOf(deps, id)
  const { callbacks, scheduled } = leads > 0 ? { callbacks: 0, scheduled: 0 } : await deps.store.readDuties(id)
  const backupOf = deps.settings.admissions.counselors.filter(({ backup }) => backup === id)
  const names = backupOf.map(one => one.name).join(', ')
  return html`<section class="panel"><h2>${name} leaves</h2>
${
  leads > 0
    ? html`<p>They still have leads. Say who gets them; then they can be removed.</p>
<p><a class="button secondary" href="${PATH}/people/${id}/hand-over?leaves">Hand over their leads</a></p>`
    : html`<p>They have no open leads.${names === '' ? '' : ` ${names} then has no backup.`}${callbacks === 0 ? '' : ` They have promised ${callbacksInWords(callbacks)}, which ${fallTo(callbacks)}.`}${scheduled === 0 ? '' : ` ${scheduledInWords(scheduled)}.`} What they did stays in the timelines.</p>
<form method="post" action="${PATH}/people/${id}/remove">${version(deps)}<button class="danger">Remove from the team</button></form>`
}</section>`
}

function showManager(c: ConsoleContext, deps: ConsoleDeps) {
  const { name, email } = deps.settings.admissions.manager ?? {}
  return managerPage(c, deps, { fields: { name, email } })
}

async function changeManager(c: ConsoleContext, deps: ConsoleDeps, fields: Fields) {
  const [name, email] = [tidy(fields['name'] ?? ''), tidy(fields['email'] ?? '')]
  const none = name === '' && email === ''
  if (none && (await countLeadsOf(deps, MANAGER)) > 0)
    throw new ConsoleError(409, 'The manager still has leads. Assign them to someone else first.')
  const saved = await saveTeam(c, deps, {
    replaces: seen(fields),
    team: teamWith(deps, { manager: none ? undefined : { name, email } }),
    note: none ? 'no manager' : `the manager is ${name}`,
  })
  if (!('saved' in saved)) return managerPage(c, deps, { fields, saved })
  return redirect(c, PATH, { text: none ? 'There is no manager.' : `${name} is the manager.` })
}

function managerPage(c: ConsoleContext, deps: ConsoleDeps, { fields, saved }: Shown) {
  const problems = problemsByField(saved && 'problems' in saved ? saved.problems : [], 'admissions.manager')
  const input = (name: string, label: string, type: string) =>
    field({ name, label, type, value: fields[name], problem: problems.get(name), required: false, autocomplete: 'off' })
  const { counselors } = deps.settings.admissions
  const also = counselors.find(one => emailKey(one.email) === emailKey(fields['email'] ?? ''))
  return page(
    c,
    { title: 'Manager', current: PATH, status: statusOf(saved) },
    html`${conflict(saved)}
<form method="post" action="${PATH}/manager" class="panel">${version(deps)}<div class="stack">
<p>The manager is notified when no one has reached a student. Leave both empty to notify the team instead.${also === undefined ? '' : ` ${also.name} has the same address.`}</p>
${input('name', 'Name', 'text')}
${input('email', 'Email', 'email')}</div>
<div class="actions"><button>Save</button><a class="button secondary" href="${PATH}">Cancel</a></div></form>`,
  )
}

/** Which version of the team the person sees. */
const version = (deps: ConsoleDeps): Html => hidden({ version: versionInForce('team', deps) })

const statusOf = (saved: Shown['saved']) => (saved === undefined ? 200 : 'problems' in saved ? 422 : 409)

/** Says that someone else saved first. The form then shows what was typed, and would replace the newer version. */
const conflict = (saved: Shown['saved']): Html | '' =>
  saved === undefined || !('before' in saved)
    ? ''
    : html`<div class="banner" role="alert"><p><strong>Not saved: ${saved.before?.createdBy ?? 'someone'} was faster.</strong> While you edited, they saved: ${saved.before?.note}. Check what you typed, then save it again.</p></div>`
