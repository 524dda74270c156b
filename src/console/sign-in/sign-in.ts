/** Signing in and out: the password, then the code if the person has a second factor. */
import { html } from 'hono/html'
import { parseEmail } from '../../leads/body/email.ts'
import { SECOND } from '../../platform/time.ts'
import type { Operator } from '../../store/operators/operators.ts'
import type { Proof } from '../../store/operators/proof.ts'
import { auditEntries } from '../frame/audit.ts'
import { type ConsoleContext, type ConsoleDeps, type ConsoleRoute, opensPage } from '../frame/context.ts'
import { isLocal, redirect } from '../frame/flash.ts'
import { field, fieldsOf } from '../frame/form-fields.ts'
import { cardPage, hidden } from '../frame/layout.ts'
import { menuFor } from '../frame/menu.ts'
import { get, post } from '../frame/routes.ts'
import { unsentForm, unsentFormField, unsentFormPage } from '../frame/unsent-form.ts'
import { verifyPassword } from './passwords.ts'
import { isFactorAsked } from './required-factor.ts'
import { openSecret } from './sealed-secret.ts'
import { isPasswordToken, passwordToken, redeemCode } from './second-factor-codes.ts'
import { beginSession, leaveSession } from './session-cookie.ts'
import { type Attempt, deviceOf, forgiveAttempt, waitBeforeAttempt } from './throttle.ts'
import { signInOptions } from './webauthn.ts'

const START = '/'

export const signInRoutes: ConsoleRoute[] = [
  get('/', 'use own account', toFirstPage),
  get('/sign-in', 'anyone', c => passwordPage(c, { next: c.req.query('next') })),
  post('/sign-in', 'anyone', checkPassword),
  post('/sign-in/code', 'anyone', checkCode),
  post('/sign-out', 'use own account', signOut),
]

async function signOut(c: ConsoleContext) {
  await leaveSession(c, c.get('operator').id, auditEntries(c, 'signed out'))
  return redirect(c, '/sign-in', { text: 'You are signed out.' })
}

/** The first page in the navigation that the operator may see: the inbox, for everyone who works on leads. */
function toFirstPage(c: ConsoleContext): Response {
  const [group] = menuFor(c.get('operator'), c.get('frame').menu)
  return c.redirect(group?.items[0]?.path ?? '/account', 303)
}

/**
 * Asks someone who is not signed in to sign in first. Then they get the page that they wanted, or their form is sent.
 * `other`: the name of the person who is signed in by now in the same browser.
 */
export async function toSignIn(c: ConsoleContext, { other }: { other?: string } = {}): Promise<Response> {
  if (c.req.header('hx-request') !== undefined) {
    const page = URL.parse(c.req.header('hx-current-url') ?? '')
    c.header('HX-Redirect', withNext(page === null ? undefined : `${page.pathname}${page.search}`))
    return c.body(null)
  }
  // A request from our script gets only a 401, since the script keeps what was typed.
  if (!opensPage(c) && c.req.header('x-part') !== undefined) return c.body(null, 401)
  if (!opensPage(c)) {
    const resume = await unsentForm(c)
    const kept = resume === undefined ? 'Sign in again.' : 'Sign in again; what you typed is not lost.'
    const why =
      other === undefined
        ? 'Your session has ended.'
        : `Nothing was changed: ${other} has signed in on this browser since this page was opened.`
    return passwordPage(c, { resume, problem: `${why} ${kept}`, other })
  }
  const { pathname, search } = new URL(c.req.url)
  return c.redirect(withNext(pathname === '/' ? undefined : `${pathname}${search}`), 303)
}

const withNext = (next: string | undefined): string =>
  next === undefined ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`

async function checkPassword(c: ConsoleContext, deps: ConsoleDeps): Promise<Response> {
  const { store, clock, secretKey } = deps
  const { email = '', password = '', next, resume } = await fieldsOf(c)
  const again: Again = problem => passwordPage(c, { next, resume, email, ...problem })
  const notRight = () => {
    deps.events.count('failedSignIns')
    return again({ problem: 'The email or the password is not right.' })
  }
  const address = parseEmail(email.trim())
  const found = address && (await store.findOperator(address))
  const attempt = attemptOf(c, deps, address ?? '', found?.operator)
  const wait = await waitBeforeAttempt(deps, attempt)
  if (wait > 0) return tooMany(c, deps, wait, again)
  const isRight = await verifyPassword(password, found?.password ?? null)
  if (!isRight || !found?.password || found.operator.disabled) return notRight()
  await forgiveAttempt(deps, attempt)
  if (await mustUsePasskey(deps, found.operator)) return again({ problem: USE_PASSKEY })
  const proof = { password: found.password }
  if (!found.operator.hasSecondFactor)
    return (await enter(c, deps, found.operator, { proof, next, resume })) ?? notRight()
  const token = passwordToken(secretKey, found, clock.now())
  const problem = appSecret(deps, found) === undefined ? lostSecret(found.operator) : undefined
  return codePage(c, { token, email: found.operator.email, next, resume, problem })
}

/** Whether the password alone is not enough: the operator's role needs a second factor, and they have a passkey. */
export const mustUsePasskey = async ({ store, settings }: ConsoleDeps, operator: Operator): Promise<boolean> =>
  isFactorAsked(settings, operator) && !operator.hasSecondFactor && (await store.listPasskeys(operator.id)).length > 0

const USE_PASSKEY =
  'Your role needs a second factor, and yours is a passkey: press “Sign in with a passkey”. If you have lost it, ask the ' +
  'person who runs Frontdesk for a new link.'

async function checkCode(c: ConsoleContext, deps: ConsoleDeps): Promise<Response> {
  const { store, clock, secretKey } = deps
  const { token = '', email = '', code = '', next, resume } = await fieldsOf(c)
  const address = parseEmail(email)
  const found = address && (await store.findOperator(address))
  const over = () => passwordPage(c, { next, resume, email, problem: 'Too much time has passed. Sign in again.' })
  if (!found?.password || !found.totpSecret || !isPasswordToken(secretKey, token, found, clock.now())) return over()
  const again: Again = problem => codePage(c, { token, email, next, resume, ...problem })
  const { operator } = found
  // An address has many spellings, and each would have its own count.
  const attempt = attemptOf(c, deps, operator.email, operator)
  const wait = await waitBeforeAttempt(deps, attempt)
  if (wait > 0) return tooMany(c, deps, wait, again)
  const totpSecret = appSecret(deps, found)
  const isRight = await redeemCode(deps, { operatorId: operator.id, totpSecret, code })
  if (!isRight || operator.disabled) {
    deps.events.count('failedSignIns')
    const what = 'This code is not right, or was used before.'
    const advice = totpSecret === undefined ? lostSecret(operator) : 'Enter the next one that your app shows.'
    return again({ problem: `${what} ${advice}` })
  }
  await forgiveAttempt(deps, attempt)
  const proof = { password: found.password }
  return (await enter(c, deps, operator, { proof, next, resume })) ?? over()
}

type WithApp = { operator: Operator; totpSecret: string | null }

/** The secret of the operator's authenticator app; undefined if it can no longer be read. */
const appSecret = ({ secretKey }: ConsoleDeps, { operator, totpSecret }: WithApp) =>
  openSecret(secretKey, operator.id, totpSecret ?? '')

const lostSecret = ({ email }: Operator): string =>
  'Frontdesk cannot check codes from your app anymore, because its SECRET_KEY was changed or lost. Enter one of ' +
  'your recovery codes, then set up the app again under Your account. If you have none left, ask the person who ' +
  `runs Frontdesk for a new link: npx frontdesk operators reset ${email}`

const attemptOf = (c: ConsoleContext, deps: ConsoleDeps, email: string, operator: Operator | undefined): Attempt => ({
  email,
  network: deps.networkOf(c.env.incoming),
  device: operator && deviceOf(c, operator.id),
})

type Problem = { problem?: string | undefined; status?: 422 | 429 }
type Again = (problem: Problem) => Response | Promise<Response>

async function tooMany(c: ConsoleContext, { events }: ConsoleDeps, wait: number, again: Again): Promise<Response> {
  events.count('failedSignIns')
  const seconds = Math.ceil(wait / SECOND)
  c.header('Retry-After', String(seconds))
  const problem = `Too many attempts. Wait ${seconds} seconds, then try again. Or press “I forgot my password”: a link by email always works.`
  return again({ problem, status: 429 })
}

type Wanted = { next: string | undefined; resume: string | undefined }

/**
 * Begins the session of someone who has proved who they are, and redirects them to the page that they wanted. Undefined
 * if the proof is no longer valid.
 */
export async function enter(
  c: ConsoleContext,
  { clock, networkOf }: ConsoleDeps,
  { id, name }: Operator,
  { proof, next, resume }: Wanted & { proof: Proof },
): Promise<Response | undefined> {
  const network = networkOf(c.env.incoming)
  const entry = { at: clock.now(), operatorId: id, actor: name, action: 'signed in', network }
  if (!(await beginSession(c, id, proof, [entry]))) return undefined
  return unsentFormPage(c, resume, id) ?? redirect(c, isLocal(next) ? next : START)
}

type Entered = Partial<Wanted> & Problem & { email?: string; other?: string | undefined }

const problemOf = (problem: string | undefined) =>
  problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`

const wantedFields = ({ next, resume }: Partial<Wanted>) =>
  html`${next ? hidden({ next }) : ''}${unsentFormField(resume)}`

/** The sign-in page. With JavaScript, it offers passkeys, too. `other`: who is signed in, if that is not who sent a form. */
export function passwordPage(c: ConsoleContext, { email = '', other, problem, status = 422, ...wanted }: Entered) {
  const options = JSON.stringify(signInOptions(c.get('frame').deps))
  return cardPage(
    c,
    { title: 'Sign in', status: problem === undefined ? 200 : status },
    html`<form method="post" action="/sign-in" class="stack">
${problemOf(problem)}
${wantedFields(wanted)}
${field({ name: 'email', label: 'Email', type: 'email', autocomplete: 'username', value: email })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<button>Sign in</button>
</form>
<form method="post" action="/sign-in/passkey" class="stack beside-form" data-passkey="get" data-options="${options}" hidden>
${wantedFields(wanted)}
<input type="hidden" name="response">
<button class="secondary">Sign in with a passkey</button>
</form>
<p class="beside-form"><a href="/forgotten">I forgot my password</a></p>
${other ? html`<p class="beside-form"><a href="/">Go on as ${other}</a></p>` : ''}`,
  )
}

function codePage(
  c: ConsoleContext,
  { token, email, problem, status = 422, ...wanted }: Wanted & Problem & { token: string; email: string },
) {
  return cardPage(
    c,
    { title: 'Enter your code', status: problem === undefined ? 200 : status },
    html`<form method="post" action="/sign-in/code" class="stack">
${problemOf(problem)}
${wantedFields(wanted)}
${hidden({ token, email })}
${field({
  name: 'code',
  label: 'Code',
  autocomplete: 'one-time-code',
  hint: 'The six digits that your authenticator app shows, or one of your recovery codes.',
})}
<button>Sign in</button>
</form>`,
  )
}
