/** The page on which admins manage the operators: who may sign in, and with which role. */
import { html, raw } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { worksOnLeads } from '../../follow-up/working-staff.ts'
import { emailKey, parseEmail } from '../../leads/body/email.ts'
import { capital, requiredProblem, tidy } from '../../leads/body/tidy-text.ts'
import { type Role, roles } from '../../leads/lead/roles.ts'
import { ownerIdOf } from '../../leads/lead/staff.ts'
import { newSecret } from '../../platform/secret.ts'
import type { Operator } from '../../store/operators/operators.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { field, fieldsOf, option } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { factorInWords } from '../sign-in/required-factor.ts'
import { disableRoutes } from './disable-page.ts'
import { otherOperator } from './other-operator.ts'

const PATH = '/operators'
const MANAGE = 'manage operators'

export const operatorRoutes: ConsoleRoute[] = [
  get(PATH, MANAGE, c => listPage(c, {}), { menu: 'Operators' }),
  post(PATH, MANAGE, invite),
  change('invite', inviteAgain),
  change('role', changeRole),
  ...disableRoutes,
  change('enable', enable),
]

/** Changes an operator, and says what is now true. */
type Change = (c: ConsoleContext, deps: ConsoleDeps, operator: Operator) => Promise<string>

function change(path: string, act: Change): ConsoleRoute {
  return post(`${PATH}/:id{[0-9]{1,15}}/${path}`, MANAGE, async (c, deps) =>
    redirect(c, PATH, { text: await act(c, deps, await otherOperator(c)) }),
  )
}

async function inviteAgain(c: ConsoleContext, { store, clock, changed }: ConsoleDeps, { id, name, email }: Operator) {
  const audit = auditEntries(c, 'invited an operator again', { detail: email })
  await store.inviteAgain(id, { nonce: newSecret(), now: clock.now(), mail: true, audit })
  changed(['mail'])
  return `${name} gets another invitation.`
}

async function changeRole(c: ConsoleContext, deps: ConsoleDeps, { id, name, email }: Operator) {
  const { store, settingsEdited } = deps
  const role = readRole((await fieldsOf(c))['role'])
  if (role === undefined) throw new ConsoleError(422, 'Choose one of the roles.')
  const audit = auditEntries(c, 'changed the role of an operator', { detail: `${email}: ${role}` })
  await store.setRole(id, role, { audit, by: c.get('operator').id })
  // The emails that they get, and what the links in these do, depend on their role.
  await settingsEdited()
  const words = notWorkingId(deps, email) === undefined ? '' : ' No leads and no emails go to them.'
  return `${name} is now ${roleWords[role].name}.${words}`
}

async function enable(c: ConsoleContext, { store, settingsEdited }: ConsoleDeps, { id, name, email, role }: Operator) {
  await store.enableOperator(id, auditEntries(c, 'enabled an operator', { detail: email }))
  await settingsEdited()
  return `${name} can sign in again.${isMissedByLeads(c, { role, email }) ? ADD_THEM : ''}`
}

const roleWords: Record<Role, { name: string; may: string }> = {
  admin: { name: 'an admin', may: 'everything, and decides who may sign in' },
  manager: { name: 'a manager', may: 'works on all leads, quarantine, delivery, export' },
  counselor: { name: 'a counselor', may: 'works on their own leads and the unassigned ones' },
  viewer: { name: 'a viewer', may: 'sees all leads and changes nothing' },
}

const readRole = (text: string | undefined): Role | undefined => roles.find(role => role === text)

async function invite(c: ConsoleContext) {
  const { store, clock, changed, settingsEdited } = c.get('frame').deps
  const entered = await fieldsOf(c)
  const name = tidy(entered['name'] ?? '')
  const email = parseEmail((entered['email'] ?? '').trim())
  const role = readRole(entered['role'])
  const nameProblem = requiredProblem(name, 'one')
  const problems = {
    name: nameProblem && `The name ${nameProblem}.`,
    email: email === undefined ? 'Enter an email address such as ana@school.edu.' : undefined,
  }
  if (nameProblem !== undefined || email === undefined || role === undefined) {
    return listPage(c, { entered, problems })
  }
  const now = clock.now()
  const audit = auditEntries(c, 'invited an operator', { detail: `${email}: ${role}` })
  const link = { nonce: newSecret(), now, mail: true, audit }
  const invitedBy = c.get('operator').id
  const added = await store.inviteOperator({ email, name, role, invitedBy, now }, link)
  if (added === undefined) {
    return listPage(c, { entered, problems: { email: 'There is an operator with this address.' } })
  }
  changed(['mail'])
  await settingsEdited()
  const team = isMissedByLeads(c, { role, email }) ? ADD_THEM : ''
  return redirect(c, PATH, { text: `${name} gets an invitation by email.${team}` })
}

const ADD_THEM = ' Add them under Team, too: until then, no new leads go to them.'

/** Whether this is a counselor who gets no leads, since the team does not have their address. */
function isMissedByLeads(c: ConsoleContext, { role, email }: Pick<Operator, 'role' | 'email'>) {
  const { settings } = c.get('frame').deps
  return role === 'counselor' && ownerIdOf(email, settings.admissions) === undefined
}

/** The id of the person on the team with this address if they do not work on leads. */
function notWorkingId({ settings }: ConsoleDeps, email: string): string | undefined {
  const id = ownerIdOf(email, settings.admissions)
  return id === undefined || worksOnLeads(id, settings.admissions) ? undefined : id
}

/** Whether the settings name this address for the weekly report. */
function getsReport(c: ConsoleContext, email: string): boolean {
  const { to } = c.get('frame').deps.settings.reports
  return to !== undefined && emailKey(to) === emailKey(email)
}

type Shown = {
  entered?: Record<string, string | undefined>
  problems?: { name?: string | undefined; email?: string | undefined }
}

async function listPage(c: ConsoleContext, { entered = {}, problems }: Shown) {
  const { store, settings, clock } = c.get('frame').deps
  const operators = await store.listOperators()
  const shortDate = createShortDateFormat(settings.school)
  const day = (time: number) => shortDate(time, clock.now())
  const known = new Set(operators.map(({ email }) => emailKey(email)))
  const { counselors, manager } = settings.admissions
  const missing = [
    ...(manager ? [{ ...manager, role: 'manager' }] : []),
    ...counselors
      .filter(({ email }) => !manager || emailKey(manager.email) !== emailKey(email))
      .map(one => ({ ...one, role: 'counselor' })),
  ].filter(({ email }) => !known.has(emailKey(email)))
  return page(
    c,
    { title: 'Operators', current: PATH, width: 'wide', status: problems === undefined ? 200 : 422 },
    html`<table class="table stacked">
<thead><tr><th scope="col">Name</th><th scope="col">Role</th><th scope="col">State</th><th scope="col">Access</th></tr></thead>
<tbody>${operators.map(one => row(c, one, factorInWords(settings, one, day)))}</tbody>
</table>
<div class="columns">
<section class="panel"><h2>Invite someone</h2>
<form method="post" action="${PATH}" class="stack">
${field({ name: 'name', label: 'Name', autocomplete: 'off', value: entered['name'], problem: problems?.name })}
${field({ name: 'email', label: 'Email', type: 'email', autocomplete: 'off', value: entered['email'], problem: problems?.email })}
<fieldset><legend>Role</legend>${roles.map(role => roleChoice(role, role === (entered['role'] ?? 'counselor')))}</fieldset>
<button>Send the invitation</button>
</form></section>
${
  missing.length === 0
    ? ''
    : html`<section class="panel"><h2>People without an account</h2>
<p class="quiet">The settings name them, so they get leads and emails. Invite them to work in the console, too.</p>
<ul class="plain-list">${missing.map(
        ({
          name,
          email,
          role,
        }) => html`<li><span>${name}<br><span class="quiet small">${capital(role)}, ${email}</span></span>
<form method="post" action="${PATH}">
${hidden({ name, email, role })}
<button class="secondary small">Invite<span class="hidden"> ${name}</span></button></form></li>`,
      )}</ul></section>`
}
</div>`,
  )
}

function row(c: ConsoleContext, operator: Operator, factor: string): Html {
  const { id, name, email, role, disabled, hasPassword } = operator
  const isOwn = id === c.get('operator').id
  const notWorking = notWorkingId(c.get('frame').deps, email)
  const state = disabled ? 'disabled' : hasPassword ? 'active' : 'invited'
  return html`<tr><td>${name}${isOwn ? ' (you)' : ''}<br><span class="quiet small">${email}</span></td>
<td>${isOwn ? capital(role) : roleForm(operator)}${
    notWorking !== undefined
      ? html`<p class="quiet small">On the team, but no leads and no emails go to them. <a href="/team/people/${notWorking}/hand-over?leaves">Hand over their leads</a></p>`
      : !disabled && isMissedByLeads(c, operator)
        ? html`<p class="quiet small">Not on the team: no new leads go to them. <a href="/team/add">Add them</a></p>`
        : ''
  }${disabled && getsReport(c, email) ? html`<p class="quiet small">The settings file names them for the weekly report (<code>reports.to</code>): it goes to the manager instead. The person who runs Frontdesk can name someone else.</p>` : ''}</td>
<td><span class="tag${disabled ? ' wrong' : ''}">${state}</span>${disabled ? '' : html` <span class="tag">${factor}</span>`}</td>
<td>${isOwn ? '' : html`<div class="actions">${hasPassword || disabled ? '' : button(operator, 'invite', 'Invite again')}${disabled ? button(operator, 'enable', 'Enable') : html`<a class="button secondary small" href="${PATH}/${id}/disable">Disable<span class="hidden"> ${name}</span></a>`}</div>`}</td></tr>`
}

const roleChoice = (role: Role, chosen: boolean): Html =>
  html`<div class="check"><input type="radio" id="role-${role}" name="role" value="${role}"${chosen ? raw(' checked') : ''}><label for="role-${role}">${capital(role)} <span class="quiet small">${roleWords[role].may}</span></label></div>`

const roleForm = ({ id, name, role }: Operator): Html =>
  html`<form method="post" action="${PATH}/${id}/role" class="inline compact role-form">
<select name="role" aria-label="Role of ${name}" autocomplete="off">${roles.map(each =>
    option(each, capital(each), each === role),
  )}</select><button class="secondary small">Save<span class="hidden"> the role of ${name}</span></button></form>`

const button = ({ id, name }: Operator, action: string, label: string): Html =>
  html`<form method="post" action="${PATH}/${id}/${action}"><button class="secondary small">${label}<span class="hidden"> ${name}</span></button></form>`
