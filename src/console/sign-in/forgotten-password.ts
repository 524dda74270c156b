/** For operators who have forgotten their password: they get a link by email. */
import { html } from 'hono/html'
import { parseEmail } from '../../leads/body/email.ts'
import { newSecret } from '../../platform/secret.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { field, fieldsOf } from '../frame/form-fields.ts'
import { cardPage } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'

export const forgottenRoutes: ConsoleRoute[] = [
  get('/forgotten', 'anyone', askPage),
  post('/forgotten', 'anyone', mailLink),
]

async function mailLink(c: ConsoleContext, { store, clock, changed, log }: ConsoleDeps) {
  const { email = '' } = await fieldsOf(c)
  const address = parseEmail(email.trim())
  // Every address gets the same page after the same time, so that no one learns who has an account.
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
