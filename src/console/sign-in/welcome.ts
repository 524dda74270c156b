/** The pages behind links that let an operator in once: to choose the first password, or a new one. */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { parseEmail } from '../../leads/body/email.ts'
import { requiredProblem, tidy } from '../../leads/body/tidy-text.ts'
import { OPERATOR_PATH } from '../../signed-links.ts'
import type { OperatorLink } from '../../store/operators/links.ts'
import type { Operator } from '../../store/operators/operators.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { redirect } from '../frame/flash.ts'
import { checkbox, field, fieldsOf, formOf } from '../frame/form-fields.ts'
import { cardPage } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { hashPassword, passwordProblem, SHORTEST_PASSWORD } from './passwords.ts'
import { isFactorAsked } from './required-factor.ts'
import { beginSession } from './session-cookie.ts'
import { mustUsePasskey } from './sign-in.ts'

const PATH = `${OPERATOR_PATH}:token`

export const welcomeRoutes: ConsoleRoute[] = [get(PATH, 'anyone', openLink), post(PATH, 'anyone', redeemLink)]

async function openLink(c: ConsoleContext) {
  const link = await linkOf(c)
  return link === undefined ? overPage(c) : formPage(c, link, {})
}

async function redeemLink(c: ConsoleContext, { store, clock, settings, networkOf }: ConsoleDeps) {
  const link = await linkOf(c)
  if (link === undefined) return overPage(c)
  const entered = await fieldsOf(c)
  const { password = '' } = entered
  const first = link.operator === undefined ? readFirst(entered) : undefined
  const { name = '', email = '' } = link.operator ?? first ?? {}
  const names = [name, email, settings.school.name, email.split('@')[0] ?? '']
  const problems: Problems = { ...first?.problems, password: await passwordProblem(password, names) }
  if (Object.values(problems).some(problem => problem !== undefined)) {
    return formPage(c, link, { entered, problems })
  }
  const now = clock.now()
  const hash = await hashPassword(password)
  const keeps = link.operator !== undefined && isFactorAsked(settings, link.operator)
  const removed = keeps ? [] : (await formOf(c)).getAll('remove').map(String)
  const action = link.purpose === 'first' ? 'became the first operator' : 'chose a password'
  const audit = { at: now, action, network: networkOf(c.env.incoming) }
  const use = { password: hash, removePasskeys: removed, now, ...(first && { first }), audit }
  const operator = await store.redeemOperatorLink(link.id, use)
  if (operator === undefined) return overPage(c)
  if (operator.hasSecondFactor) {
    return redirect(c, '/sign-in', { text: 'The new password works. Sign in with it.' })
  }
  if (await mustUsePasskey(c.get('frame').deps, operator)) {
    return redirect(c, '/sign-in', { text: 'The new password is saved. Sign in with your passkey.' })
  }
  await beginSession(c, operator.id, { password: hash })
  return redirect(c, '/', { text: `Welcome, ${operator.name}.` })
}

/** The link of the request, if it is ours and still works. */
async function linkOf(c: ConsoleContext): Promise<OperatorLink | undefined> {
  const { store, links, clock } = c.get('frame').deps
  const token = links.readOperator(c.req.param('token') ?? '')
  const link = token && (await store.readOperatorLink(token.id))
  if (link === undefined || !token?.isFor(link.nonce)) return undefined
  const works = !link.used && link.expiresAt > clock.now() && link.operator?.disabled !== true
  return works ? link : undefined
}

type Problems = { name?: string | undefined; email?: string | undefined; password?: string | undefined }

function readFirst(entered: Record<string, string | undefined>) {
  const name = tidy(entered['name'] ?? '')
  const email = parseEmail((entered['email'] ?? '').trim())
  const problem = requiredProblem(name, 'one')
  return {
    name,
    email: email ?? '',
    problems: {
      name: problem && `Your name ${problem}.`,
      email: email === undefined ? 'Enter an email address such as ana@school.edu.' : undefined,
    },
  }
}

type Shown = { entered?: Record<string, string | undefined>; problems?: Problems }

async function formPage(c: ConsoleContext, { operator, purpose }: OperatorLink, shown: Shown) {
  const { entered = {}, problems = {} } = shown
  const title = purpose === 'reset' ? 'Choose a new password' : 'Welcome'
  const intro =
    operator === undefined
      ? html`<p>You are the first person here. Your account will be an admin: it can invite everyone else.</p>`
      : html`<p>${purpose === 'reset' ? '' : 'Choose a password to sign in. '}Your account is ${operator.email}.</p>`
  const identity =
    operator === undefined
      ? html`${field({ name: 'name', label: 'Your name', autocomplete: 'name', value: entered['name'], problem: problems.name })}
${field({
  name: 'email',
  label: 'Email',
  type: 'email',
  autocomplete: 'username',
  hint: 'If you are a counselor in the settings, use the address that they have.',
  value: entered['email'],
  problem: problems.email,
})}`
      : html`<input type="email" name="email" autocomplete="username" value="${operator.email}" readonly hidden>`
  return cardPage(
    c,
    { title, status: shown.problems === undefined ? 200 : 422 },
    html`${intro}
<form method="post" class="stack">
${identity}
${operator === undefined ? '' : await passkeyChoice(c, operator)}
${field({
  name: 'password',
  label: purpose === 'reset' ? 'New password' : 'Password',
  type: 'password',
  autocomplete: 'new-password',
  hint: `At least ${SHORTEST_PASSWORD} characters. A password manager makes and remembers a good one.`,
  problem: problems.password,
})}
<button>Save and sign in</button>
</form>`,
  )
}

/** Asks which passkeys to remove: someone else may have added one, and it would work after a new password, too. */
async function passkeyChoice(c: ConsoleContext, operator: Operator) {
  const { store, clock, settings } = c.get('frame').deps
  const passkeys = await store.listPasskeys(operator.id)
  const shortDate = createShortDateFormat(settings.school)
  if (passkeys.length === 0) return ''
  // If a passkey is the second factor, access to the mailbox alone must not be enough to remove it.
  if (isFactorAsked(settings, operator))
    return html`<p>Your passkeys stay. Once you are signed in, remove those that are not yours under <em>Your account</em>.</p>`
  return html`<fieldset><legend>These passkeys sign in to your account, too. Remove those that are not yours:</legend>
${passkeys.map(({ id, name, createdAt }) =>
  checkbox('remove', `${name}, added ${shortDate(createdAt, clock.now())}`, false, { value: id }),
)}</fieldset>`
}

const overPage = (c: ConsoleContext) =>
  cardPage(
    c,
    { title: 'This link no longer works', status: 404 },
    html`<p>It works once, and only for a limited time. <a href="/sign-in">Sign in</a>, or ask for a new one: an admin can invite you again, and <a href="/forgotten">I forgot my password</a> sends a new link.</p>
<p>If no one can sign in yet, run this on the server: <code>npx frontdesk operators add</code></p>`,
  )
