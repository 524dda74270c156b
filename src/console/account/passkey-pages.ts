/** Signing in with a passkey, and the page on which operators add and remove theirs. */
import { html, raw } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { requiredProblem, tidy } from '../../leads/body/tidy-text.ts'
import { auditEntries, audit as recordAudit } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { redirect } from '../frame/flash.ts'
import { field, fieldsOf } from '../frame/form-fields.ts'
import { page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { enter, passwordPage, toSignIn } from '../sign-in/sign-in.ts'
import { parsedId, readNewPasskey, registrationOptions, verifyPasskey } from '../sign-in/webauthn.ts'
import { type ProofProblems, proofFields, provedBy, readProof } from './own-proof.ts'

const ACCOUNT = '/account'
const PATH = `${ACCOUNT}/passkeys`
const ACTION = 'use own account'

export const passkeyRoutes: ConsoleRoute[] = [
  post('/sign-in/passkey', 'anyone', signInWithPasskey),
  get(PATH, ACTION, c => passkeysPage(c, {})),
  post(PATH, ACTION, add),
  post(`${PATH}/remove`, ACTION, removeOwn),
]

async function signInWithPasskey(c: ConsoleContext, deps: ConsoleDeps) {
  const { response = '', next, resume } = await fieldsOf(c)
  const verified = await verifyPasskey(deps, response, deps.networkOf(c.env.incoming))
  const entered =
    verified && (await enter(c, deps, verified.operator, { proof: { passkey: verified.passkey }, next, resume }))
  if (entered !== undefined) return entered
  deps.events.count('failedSignIns')
  const problem = 'This passkey is not known here, or too much time has passed. Try again.'
  return passwordPage(c, { next, resume, problem })
}

async function removeOwn(c: ConsoleContext, deps: ConsoleDeps) {
  const entered = await fieldsOf(c)
  const { id = '' } = entered
  const remove = await readProof(c, entered)
  if (Object.keys(remove).length > 0) return passkeysPage(c, { chosen: id, remove })
  const change = { proof: provedBy(c), audit: auditEntries(c, 'removed a passkey') }
  if (!(await deps.store.removePasskey(c.get('operator').id, id, change))) return toSignIn(c)
  return redirect(c, PATH, { text: 'The passkey is removed. Delete it on your device, too.' })
}

async function add(c: ConsoleContext) {
  const { deps } = c.get('frame')
  const entered = await fieldsOf(c)
  const name = tidy(entered['name'] ?? '')
  const nameProblem = requiredProblem(name, 'one')
  if (nameProblem !== undefined) return passkeysPage(c, { name, problems: { name: `The name ${nameProblem}.` } })
  const proof = await readProof(c, entered)
  if (Object.keys(proof).length > 0) return passkeysPage(c, { name, problems: proof })
  const made = await readNewPasskey(deps, entered['response'] ?? '')
  const operatorId = c.get('operator').id
  if (made === undefined) {
    // If the button is pressed twice, the first press has already used the challenge.
    const id = parsedId(entered['response'] ?? '')
    const own = (await deps.store.listPasskeys(operatorId)).some(passkey => passkey.id === id)
    if (own) return redirect(c, PATH, { text: ADDED })
    return passkeysPage(c, { name, problems: { response: 'No passkey was made. Try again.' } })
  }
  const passkey = { ...made, operatorId, name, createdAt: deps.clock.now() }
  const audit = auditEntries(c, 'added a passkey', { detail: name })
  const outcome = await deps.store.addPasskey(passkey, { proof: provedBy(c), audit })
  if (outcome === 'unproven') return toSignIn(c)
  if (outcome === 'exists') {
    await recordAudit(c, 'tried to add a passkey that is in use')
    return passkeysPage(c, { name, problems: { response: EXISTS } })
  }
  return redirect(c, PATH, { text: ADDED })
}

const ADDED = 'The passkey is added. Next time, sign in with it.'

const EXISTS = 'No passkey was added, because this one is already in use here. Make a new one.'

/** What is wrong in the form that adds a passkey, or in the form that removes the `chosen` one. */
type Shown = {
  name?: string
  problems?: ProofProblems & { name?: string; response?: string }
  chosen?: string
  remove?: ProofProblems
}

async function passkeysPage(c: ConsoleContext, { name, problems, chosen, remove }: Shown) {
  const { deps } = c.get('frame')
  const operator = c.get('operator')
  const passkeys = await deps.store.listPasskeys(operator.id)
  const shortDate = createShortDateFormat(deps.settings.school)
  const now = deps.clock.now()
  const options = JSON.stringify(registrationOptions(deps, operator, passkeys))
  return page(
    c,
    { title: 'Passkeys', current: ACCOUNT, status: problems || remove ? 422 : 200 },
    html`<section class="panel">
<p>With a passkey, you sign in by unlocking your phone or computer: no password, no code.</p>
${
  passkeys.length === 0
    ? html`<p class="quiet">You have none yet.</p>`
    : html`<form method="post" action="${PATH}/remove" class="stack">
<fieldset><legend>Your passkeys</legend>${passkeys.map(
        ({ id, name, usedAt, createdAt }) =>
          html`<p class="check"><input type="radio" id="key-${id}" name="id" value="${id}" required${id === chosen ? raw(' checked') : ''}><label for="key-${id}">${name}<br><span class="quiet small">added ${shortDate(createdAt, now)}${usedAt === null ? '' : `, last used ${shortDate(usedAt, now)}`}</span></label></p>`,
      )}</fieldset>
${proofFields(c, 'remove', remove)}
<button class="danger">Remove this passkey</button></form>`
}</section>
<section class="panel"><h2>Add a passkey</h2>
<p data-no-passkeys>This needs JavaScript, and a browser that supports passkeys.</p>
<form method="post" action="${PATH}" class="stack" data-passkey="create" data-options="${options}" hidden>
${problems?.response === undefined ? '' : html`<p class="problem" role="alert">${problems.response}</p>`}
<input type="hidden" name="response">
${field({ name: 'name', label: 'Name', hint: 'Such as the device it is on.', value: name, problem: problems?.name })}
${proofFields(c, 'add', problems)}
<button>Add it</button>
</form></section>`,
  )
}
