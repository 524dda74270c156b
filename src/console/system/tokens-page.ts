/** The page on which admins create and revoke tokens. Programs of the school use the private API with them. */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { counted, requiredProblem, tidy } from '../../leads/body/tidy-text.ts'
import { DAY } from '../../platform/time.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { doesNotExist } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { checkbox, field, formOf, numberOf, option } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { API } from '../private-api/api-route.ts'
import { openApiOfPrivateApi } from '../private-api/openapi.ts'
import { everyScope, isScope, scopes } from '../private-api/scopes.ts'
import { newToken } from '../private-api/token.ts'

const PATH = '/tokens'
const MANAGE = 'manage tokens'

export const tokenRoutes: ConsoleRoute[] = [
  get(PATH, MANAGE, c => listPage(c, { entered: NOTHING }), { menu: 'Tokens' }),
  post(PATH, MANAGE, make),
  get(`${PATH}/openapi.json`, MANAGE, (c, deps) => c.json(openApiOfPrivateApi(deps))),
  post(`${PATH}/:id{[0-9]{1,15}}/revoke`, MANAGE, revoke),
]

type Entered = { name: string; actsFor: number | undefined; scopes: readonly string[]; days: string }
type Problems = Partial<Record<'name' | 'actsFor' | 'scopes' | 'days', string>>

const NOTHING: Entered = { name: '', actsFor: undefined, scopes: ['leads:read'], days: '365' }

/** After how many days a token expires. */
const lifetimes = new Map([
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['', 'Never'],
])

/** The longest name of a token, in characters. */
const LONGEST_NAME = 60

async function make(c: ConsoleContext, { store, clock }: ConsoleDeps) {
  const form = await formOf(c)
  const textOf = (name: string) => String(form.get(name) ?? '')
  const entered: Entered = {
    name: tidy(textOf('name')),
    actsFor: numberOf(textOf('actsFor')),
    scopes: form.getAll('scopes').map(String).filter(isScope),
    days: textOf('days'),
  }
  const operator = (await store.listOperators()).find(({ id, disabled }) => id === entered.actsFor && !disabled)
  const now = clock.now()
  const working = (await store.listApiTokens()).filter(token => stateOf(token, now) === '')
  const problems = problemsOf(entered, operator !== undefined, working)
  if (operator === undefined || Object.keys(problems).length > 0) return listPage(c, { entered, problems })
  const { token, ...kept } = newToken()
  const { name, days } = entered
  await store.addApiToken(
    {
      ...kept,
      name,
      operatorId: operator.id,
      scopes: [...entered.scopes],
      createdBy: c.get('operator').id,
      createdAt: now,
      expiresAt: days === '' ? null : now + Number(days) * DAY,
    },
    auditEntries(c, 'made a token', { detail: `${name}, for ${operator.name}: ${entered.scopes.join(', ')}` }),
  )
  return page(
    c,
    { title: `The token ${name}`, current: PATH },
    html`<section class="panel" data-received>
<p>Give it to the program, and to no one else: it is not shown again.</p>
<p><code>${token}</code></p>
<p>The program sends it as <code>Authorization: Bearer</code> to <code>${c.get('frame').deps.config.consoleUrl}${API}</code>.</p>
<p><a class="button" href="${PATH}">I have saved it</a></p>
</section>`,
  )
}

/** The names of `working` tokens are unique, so that reloading the page with the new token makes no second one. */
function problemsOf(
  { name, scopes: chosen, days }: Entered,
  knowsOperator: boolean,
  working: readonly { name: string }[],
): Problems {
  const wrong = requiredProblem(name, 'one')
  const taken = working.some(token => token.name.toLowerCase() === name.toLowerCase())
  return {
    ...(taken && { name: 'There is a token with this name. If you did not save it, revoke it and make another.' }),
    ...(wrong !== undefined && { name: `The name ${wrong}.` }),
    ...(name.length > LONGEST_NAME && { name: `The name must have at most ${LONGEST_NAME} characters.` }),
    ...(!knowsOperator && { actsFor: 'Choose who it acts for.' }),
    ...(chosen.length === 0 && { scopes: 'Choose what it may do.' }),
    ...(!lifetimes.has(days) && { days: 'Choose when it expires.' }),
  }
}

async function revoke(c: ConsoleContext, { store, clock, changed }: ConsoleDeps) {
  const [audit] = auditEntries(c, 'revoked a token')
  const id = idIn(c)
  const revoked = audit && (await store.revokeApiToken(id, { now: clock.now(), audit }))
  if (revoked !== undefined) {
    const { name, ended } = revoked
    if (ended > 0) changed(['reports'])
    const more = ended === 0 ? '' : ` ${counted(ended, 'subscription')} of its program ended, too.`
    return redirect(c, PATH, { text: `The token ${name} no longer works.${more}` })
  }
  if ((await store.listApiTokens()).some(token => token.id === id))
    return redirect(c, PATH, { text: 'Nothing changed: it was revoked before.' })
  throw doesNotExist('token')
}

async function listPage(c: ConsoleContext, { entered, problems }: { entered: Entered; problems?: Problems }) {
  const { store, clock, settings } = c.get('frame').deps
  const [tokens, operators] = [await store.listApiTokens(), await store.listOperators()]
  const now = clock.now()
  const shortDate = createShortDateFormat(settings.school)
  const when = (time: number) => shortDate(time, now)
  const rows = tokens.map(token => ({ ...token, state: stateOf(token, now) }))
  const [working, ended] = [rows.filter(({ state }) => state === ''), rows.filter(({ state }) => state !== '')]
  return page(
    c,
    { title: 'Tokens', current: PATH, width: 'wide', status: problems === undefined ? 200 : 422 },
    html`<p>With a token, a program of your school, such as a student information system, reads and changes leads. It may do what the person that it acts for may do, within what you choose here. <code>docs/private-api.md</code> of the documentation says how; <a href="${PATH}/openapi.json">the OpenAPI description</a> is for programs.</p>
${working.length === 0 ? '' : table(working, when, now)}
<section class="panel"><h2>Make a token</h2>${tokenForm(
      entered,
      problems,
      operators.filter(({ disabled }) => !disabled),
    )}</section>
${ended.length === 0 ? '' : html`<details><summary>Tokens that no longer work</summary>${table(ended, when, now)}</details>`}`,
  )
}

type Row = Awaited<ReturnType<ConsoleDeps['store']['listApiTokens']>>[number] & { state: string }

/** Why a token does not work; empty if it does. */
function stateOf({ revokedAt, expiresAt, disabled }: Omit<Row, 'state'>, now: number): string {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  return disabled ? 'the person is disabled' : ''
}

const table = (
  rows: readonly Row[],
  when: (time: number) => string,
  now: number,
): Html => html`<table class="table stacked">
<thead><tr><th scope="col">Name</th><th scope="col">May do</th><th scope="col">Last use</th><th scope="col">Until</th><th scope="col">Access</th></tr></thead>
<tbody>${rows.map(
  token => html`<tr><td>${token.name}<br><span class="quiet small">ends in <code>${token.ending}</code>; made by ${token.createdBy}, ${when(token.createdAt)}</span></td>
<td>${token.scopes.map(scope => html`<code>${scope}</code> `)}<br><span class="quiet small">for ${token.actsFor}</span></td>
<td>${token.usedAt === null ? 'not used yet' : html`used ${when(token.usedAt)}`}</td>
<td>${token.expiresAt === null ? 'never expires' : html`${token.expiresAt <= now ? 'expired' : 'expires'} ${when(token.expiresAt)}`}</td>
<td>${token.state === '' ? '' : html`<span class="tag wrong">${token.state}</span>`}${token.revokedAt === null ? html`<form method="post" action="${PATH}/${token.id}/revoke"><button class="secondary small">Revoke<span class="hidden"> ${token.name}</span></button></form>` : ''}</td></tr>`,
)}</tbody></table>`

const tokenForm = (
  entered: Entered,
  problems: Problems | undefined,
  operators: readonly { id: number; name: string; role: string }[],
): Html => html`<form method="post" action="${PATH}" class="stack">
${field({ name: 'name', label: 'Name', autocomplete: 'off', value: entered.name, hint: 'For example, the program that gets it. Timelines and the audit log show this name.', problem: problems?.name })}
<label for="actsFor">Acts for</label><p class="hint" id="actsFor-hint">It can do what their role allows at the moment it is used. If they are disabled, it stops working.</p>${problemOf(problems?.actsFor)}
<select id="actsFor" name="actsFor" aria-describedby="actsFor-hint">${operators.map(({ id, name, role }) => option(id, `${name} (${role})`, id === entered.actsFor))}</select>
<fieldset><legend>May do</legend>${problemOf(problems?.scopes)}
${everyScope.map(scope => checkbox('scopes', html`${scopes[scope]} <span class="quiet small"><code>${scope}</code></span>`, entered.scopes.includes(scope), { value: scope }))}</fieldset>
<label for="days">Expires</label>${problemOf(problems?.days)}
<select id="days" name="days">${[...lifetimes].map(([days, words]) => option(days, words, days === entered.days))}</select>
<button>Make the token</button>
</form>`

const problemOf = (problem: string | undefined): Html | '' =>
  problem === undefined ? '' : html`<p class="problem">${problem}</p>`
