/** The page on which operators set up their second factor, or remove it. */
import { html, raw } from 'hono/html'
import { renderSVG } from 'uqr'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { redirect } from '../frame/flash.ts'
import { field, fieldsOf } from '../frame/form-fields.ts'
import { hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { sealSecret } from '../sign-in/sealed-secret.ts'
import {
  newRecoveryCodes,
  newTotpSecret,
  PLAIN_TOTP_SECRET,
  recoveryHash,
  totpStep,
  totpUrl,
} from '../sign-in/second-factor-codes.ts'
import { toSignIn } from '../sign-in/sign-in.ts'
import { type ProofProblems, proofFields, provedBy, readProof } from './own-proof.ts'

const ACCOUNT = '/account'
const PATH = `${ACCOUNT}/second-factor`
const ACTION = 'use own account'

export const secondFactorRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, c => setUpPage(c, { secret: newTotpSecret() })),
  post(PATH, ACTION, setUp),
  post(`${PATH}/remove`, ACTION, remove),
]

async function setUp(c: ConsoleContext, { store, clock, secretKey }: ConsoleDeps) {
  const typed = await fieldsOf(c)
  const { secret = '', code = '' } = typed
  if (!PLAIN_TOTP_SECRET.test(secret)) return redirect(c, PATH)
  const step = totpStep(secret, code, clock.now())
  if (step === undefined) return setUpPage(c, { secret, code: 'This is not the code that the app shows for this key.' })
  const problems = await readProof(c, typed)
  if (Object.keys(problems).length > 0) return setUpPage(c, { secret, setUp: problems })
  const codes = newRecoveryCodes()
  const codeHashes = codes.map(recoveryHash)
  const { id } = c.get('operator')
  const sealed = sealSecret(secretKey, id, secret)
  const audit = auditEntries(c, 'set up a second factor')
  const factor = { secret: sealed, step, codeHashes, proof: provedBy(c), audit }
  if (!(await store.setSecondFactor(id, factor))) return toSignIn(c)
  return codesPage(c, codes)
}

async function remove(c: ConsoleContext, { store }: ConsoleDeps) {
  const problems = await readProof(c, await fieldsOf(c))
  if (Object.keys(problems).length > 0) return setUpPage(c, { secret: newTotpSecret(), remove: problems })
  const change = { proof: provedBy(c), audit: auditEntries(c, 'removed their second factor') }
  if (!(await store.removeSecondFactor(c.get('operator').id, change))) return toSignIn(c)
  return redirect(c, ACCOUNT, { text: 'The second factor is removed.' })
}

/** What is wrong in the form that sets the second factor up, or in the form that removes it. */
type Shown = { secret: string; code?: string; setUp?: ProofProblems; remove?: ProofProblems }

function setUpPage(c: ConsoleContext, { secret, code, setUp, remove }: Shown) {
  const { settings } = c.get('frame').deps
  const { email, hasSecondFactor } = c.get('operator')
  const url = totpUrl(secret, email, settings.school.name)
  const groups = secret.match(/.{4}/g)?.join(' ')
  return page(
    c,
    { title: 'Second factor', current: ACCOUNT, status: code || setUp || remove ? 422 : 200 },
    html`<section class="panel">
<h2>${hasSecondFactor ? 'Set it up on another phone' : 'Set it up'}</h2>
<p>Scan this with an authenticator app, such as the one in your password manager. Then enter the code that it shows.</p>
<div class="qr" role="img" aria-label="QR code for the authenticator app; its key is written below">${raw(renderSVG(url))}</div>
<p>If you cannot scan it, type this key into the app: <code>${groups}</code></p>
<form method="post" action="${PATH}" class="stack">
${hidden({ secret })}
${field({ name: 'code', label: 'Code from the app', autocomplete: 'one-time-code', problem: code })}
${proofFields(c, 'set-up', setUp)}
<button>Turn it on</button>
</form></section>
${
  hasSecondFactor
    ? html`<section class="panel"><h2>Remove it</h2>
<form method="post" action="${PATH}/remove" class="stack">
${proofFields(c, 'remove', remove)}
<button class="danger">Remove the second factor</button>
</form></section>`
    : ''
}`,
  )
}

const codesPage = (c: ConsoleContext, codes: string[]) =>
  page(
    c,
    { title: 'Your recovery codes', current: ACCOUNT },
    html`<section class="panel">
<p>The second factor is on. If you lose your phone, each of these codes lets you in once. Print them or save them in your password manager now: they are not shown again.</p>
<ul class="codes">${codes.map(code => html`<li><code>${code}</code></li>`)}</ul>
<p><a class="button" href="${ACCOUNT}">I have saved them</a></p>
</section>`,
  )
