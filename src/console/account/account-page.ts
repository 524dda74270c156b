/** The page on which operators look after their own account: sessions, password, signature, shortcuts. */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { capital, textProblem, tidy } from '../../leads/body/tidy-text.ts'
import type { NoticeWay } from '../../store/operators/browser-notices.ts'
import type { Session } from '../../store/operators/sessions.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { redirect } from '../frame/flash.ts'
import { field, fieldsOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { hashPassword, passwordProblem, SHORTEST_PASSWORD } from '../sign-in/passwords.ts'
import { beginSession } from '../sign-in/session-cookie.ts'
import { toSignIn } from '../sign-in/sign-in.ts'
import { ownAbsencePanel } from './own-absences.ts'
import { ownPasswordProblem, provedBy } from './own-proof.ts'

const PATH = '/account'

const noticeWays: Record<NoticeWay, string> = {
  'at once':
    'New leads, replies and hand-overs reach you by email right away. You can choose your browser instead, or one email a day.',
  daily:
    'New leads and hand-overs reach you in one email a day. Replies come right away. You can choose an immediate email for everything, or your browser.',
  browser:
    'New leads, replies and hand-overs reach you in your browser, or by email in quiet hours, while you are signed out, and while no browser can be reached. You can choose an immediate email instead, or one email a day.',
}
const ACTION = 'use own account'

export const accountRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, c => accountPage(c, {})),
  post(`${PATH}/shortcuts`, ACTION, switchShortcuts),
  post(`${PATH}/signature`, ACTION, changeSignature),
  post(`${PATH}/password`, ACTION, changePassword),
  post(`${PATH}/sessions/end`, ACTION, endSessions),
]

async function switchShortcuts(c: ConsoleContext, { store }: ConsoleDeps) {
  const on = (await fieldsOf(c))['shortcuts'] === 'on'
  await store.setShortcuts(c.get('operator').id, on)
  const text = on ? 'Keyboard shortcuts are on.' : 'Keyboard shortcuts are off.'
  return redirect(c, PATH, { text })
}

/** The longest signature, in characters. */
const LONGEST_SIGNATURE = 500

async function changeSignature(c: ConsoleContext, { store }: ConsoleDeps) {
  const signature = tidy((await fieldsOf(c))['signature'] ?? '')
  const problem = textProblem(signature, 'many')
  if (problem !== undefined)
    return accountPage(c, { signature: { typed: signature, problem: `The signature ${problem}.` } })
  if (signature.length > LONGEST_SIGNATURE) {
    const long = `The signature must have at most ${LONGEST_SIGNATURE} characters.`
    return accountPage(c, { signature: { typed: signature, problem: long } })
  }
  await store.setSignature(c.get('operator').id, signature)
  return redirect(c, PATH, { text: signature === '' ? 'Your emails have no signature.' : 'The signature is saved.' })
}

function signatureForm(saved: string, { typed = saved, problem }: { typed?: string; problem?: string } = {}): Html {
  return html`<section class="panel"><h2>Signature</h2>
<p>It appears at the end of the emails that you write to people.</p>
<form method="post" action="${PATH}/signature" class="stack"><label for="signature" class="hidden">Signature</label>
${problem === undefined ? '' : html`<p class="problem" id="signature-problem">${problem}</p>`}
<textarea id="signature" name="signature" rows="4" maxlength="${LONGEST_SIGNATURE}"${problem === undefined ? '' : html` aria-invalid="true" aria-describedby="signature-problem"`}>${typed}</textarea>
<button class="secondary">Save the signature</button></form></section>`
}

async function endSessions(c: ConsoleContext, { store }: ConsoleDeps) {
  const { session } = await fieldsOf(c)
  const { id } = c.get('operator')
  if (session === undefined)
    await store.endOtherSessions(id, c.get('session').tokenHash, auditEntries(c, 'signed out elsewhere'))
  else await store.endSession(id, session, auditEntries(c, 'ended a session'))
  return redirect(c, PATH, {
    text: session === undefined ? 'You are signed out everywhere else.' : 'That session has ended.',
  })
}

async function changePassword(c: ConsoleContext) {
  const { store, clock, settings } = c.get('frame').deps
  const { id, email, name } = c.get('operator')
  const { current = '', password = '' } = await fieldsOf(c)
  const problems = {
    current: await ownPasswordProblem(c, current),
    password: await passwordProblem(password, [name, email, settings.school.name, email.split('@')[0] ?? '']),
  }
  if (problems.current !== undefined || problems.password !== undefined) {
    return accountPage(c, problems)
  }
  const hash = await hashPassword(password)
  const audit = auditEntries(c, 'changed their password')
  const change = { password: hash, now: clock.now(), proof: provedBy(c), audit }
  if (!(await store.setPassword(id, change))) return toSignIn(c)
  await beginSession(c, id, { password: hash })
  return redirect(c, PATH, { text: 'The password is changed. You are signed out everywhere else.' })
}

type Problems = {
  current?: string | undefined
  password?: string | undefined
  signature?: { typed: string; problem: string }
}

async function accountPage(c: ConsoleContext, problems: Problems) {
  const { store, clock, settings } = c.get('frame').deps
  const { id, name, email, role, counselor, shortcuts, signature, hasSecondFactor } = c.get('operator')
  const now = clock.now()
  const sessions = await store.listSessions(id, now)
  const codes = hasSecondFactor ? await store.countRecoveryCodes(id) : 0
  const shortDate = createShortDateFormat(settings.school)
  const hasProblem = Object.values(problems).some(problem => problem !== undefined)
  return page(
    c,
    { title: 'Your account', current: PATH, status: hasProblem ? 422 : 200 },
    html`<section class="panel">
<dl class="facts"><dt>Name</dt><dd>${name}</dd><dt>Email</dt><dd>${email}</dd><dt>Role</dt><dd>${capital(role)}</dd></dl>
</section>
<div class="columns even"><section class="panel"><h2>Notifications</h2>
<p>${
      role === 'counselor' && counselor === undefined
        ? 'You are not on the team yet: no new leads go to you. Ask a manager to add you under Team, with this email address.'
        : noticeWays[(await store.readNoticeChoices(id)).email]
    }</p>
<p><a class="button secondary" href="${PATH}/notifications">Choose</a></p></section>
${await ownAbsencePanel(c, c.get('frame').deps)}
<section class="panel"><h2>Second factor</h2>
${
  hasSecondFactor
    ? html`<p>After your password, you enter a code from your authenticator app. ${codes} recovery codes are left.</p>`
    : html`<p>A code from an app on your phone keeps others out even if they learn your password.</p>`
}
<p><a class="button secondary" href="${PATH}/second-factor">${hasSecondFactor ? 'Change or remove it' : 'Set it up'}</a></p></section>
<section class="panel"><h2>Passkeys</h2>
<p>Sign in by unlocking your phone or computer, without a password.</p>
<p><a class="button secondary" href="${PATH}/passkeys">Your passkeys</a></p></section></div>
<section class="panel"><h2>Change the password</h2>
<form method="post" action="${PATH}/password" class="stack">
<input type="email" name="email" autocomplete="username" value="${email}" readonly hidden>
${field({ name: 'current', label: 'Current password', type: 'password', autocomplete: 'current-password', problem: problems.current })}
${field({
  name: 'password',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  hint: `At least ${SHORTEST_PASSWORD} characters.`,
  problem: problems.password,
})}
<button class="secondary">Change it</button>
</form></section>
<section class="panel"><h2>Where you are signed in</h2>
<ul class="plain-list">${sessions.map(session => sessionRow(c, session, shortDate(session.seenAt, now)))}</ul>
${sessions.length > 1 ? html`<form method="post" action="${PATH}/sessions/end"><button class="secondary">Sign out everywhere else</button></form>` : ''}
</section>
${signatureForm(signature, problems.signature)}
<section class="panel"><h2>Keyboard shortcuts</h2>
<p>With shortcuts on, single keys such as <kbd>j</kbd> and <kbd>k</kbd> act in lists. Turn them off if you dictate, or press keys by accident.</p>
<form method="post" action="${PATH}/shortcuts">
${hidden({ shortcuts: shortcuts ? 'off' : 'on' })}
<button class="secondary">Turn shortcuts ${shortcuts ? 'off' : 'on'}</button>
</form></section>`,
  )
}

function sessionRow(c: ConsoleContext, session: Session, seen: string): Html {
  const { tokenHash, browser, network } = session
  const end =
    tokenHash === c.get('session').tokenHash
      ? html`<span class="tag">this one</span>`
      : html`<form method="post" action="${PATH}/sessions/end">${hidden({ session: tokenHash })}
<button class="secondary small">End<span class="hidden"> the session in ${browser}</span></button></form>`
  return html`<li><span>${browser}<br><span class="quiet small">${network}, last seen ${seen}</span></span>${end}</li>`
}
