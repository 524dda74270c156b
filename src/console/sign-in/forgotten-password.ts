/** For operators who have forgotten their password: they get a link by email. */
import { html } from 'hono/html'
import { parseEmail } from '../../leads/body/email.ts'
import { newSecret } from '../../platform/secret.ts'
import { MINUTE, SECOND } from '../../platform/time.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { field, fieldsOf } from '../frame/form-fields.ts'
import { cardPage } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'

/** How many links one network may ask for, and within which time (milliseconds). */
const FREE = 10
const COUNTED_OVER = 15 * MINUTE

export const forgottenRoutes: ConsoleRoute[] = [
  get('/forgotten', 'anyone', askPage),
  post('/forgotten', 'anyone', mailLink),
]

async function mailLink(c: ConsoleContext, { store, clock, changed, log, networkOf }: ConsoleDeps) {
  const { email = '' } = await fieldsOf(c)
  const now = clock.now()
  const counter = `forgotten ${networkOf(c.env.incoming)}`
  const { points, until } = await store.count(counter, { add: 1, duration: COUNTED_OVER, now })
  if (points > FREE) return tooMany(c, Math.ceil((until - now) / MINUTE))
  const address = parseEmail(email.trim())
  // The same page after the same time for every address, so that no one learns who has an account.
  if (address !== undefined && (await store.findOperator(address)) !== undefined) {
    store
      .requestReset(address, { nonce: newSecret(), now: clock.now() })
      .then(() => changed(['mail']))
      .catch(error => log.error({ err: error }, 'a link for a new password was not sent'))
  }
  return cardPage(
    c,
    { title: 'Check your mailbox' },
    html`<p>If ${email.trim()} belongs to an operator, an email with a link is on its way. The link works for an hour.</p>
<p>Nothing after five minutes? Check your junk folder, or ask an admin.</p>
<p class="back"><a href="/sign-in">Back to sign-in</a></p>`,
  )
}

function tooMany(c: ConsoleContext, minutes: number) {
  c.header('Retry-After', String(minutes * (MINUTE / SECOND)))
  return cardPage(
    c,
    { title: 'Too many requests', status: 429 },
    html`<p>Too many links were asked for from your network. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, or ask an admin.</p>`,
  )
}

function askPage(c: ConsoleContext) {
  return cardPage(
    c,
    { title: 'Forgotten password' },
    html`<p>Enter the email address of your account. We send a link to choose a new password.</p>
<form method="post" action="/forgotten" class="stack">
${field({ name: 'email', label: 'Email', type: 'email', autocomplete: 'username' })}
<button>Send the link</button>
</form>
<p class="beside-form"><a href="/sign-in">Back to sign-in</a></p>`,
  )
}
