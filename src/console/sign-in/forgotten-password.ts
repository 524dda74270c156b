/** For operators who have forgotten their password: they get a link by email. */
import { setTimeout as sleep } from 'node:timers/promises'
import { html } from 'hono/html'
import { type EmailAddress, parseEmail } from '../../leads/body/email.ts'
import { newSecret } from '../../platform/secret.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { field, fieldsOf } from '../frame/form-fields.ts'
import { cardPage } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'

export const forgottenRoutes: ConsoleRoute[] = [
  get('/forgotten', 'anyone', askPage),
  post('/forgotten', 'anyone', mailLink),
]

/** How long the page takes for every address, in milliseconds: longer than storing an email, so that no one learns. */
const WAIT = 500

async function mailLink(c: ConsoleContext, { store, clock, changed }: ConsoleDeps) {
  const { email = '' } = await fieldsOf(c)
  const address = parseEmail(email.trim())
  // The page says that the email is on its way, so the email is stored by then.
  if (address !== undefined) await Promise.all([requestFor(address), sleep(WAIT)])

  async function requestFor(known: EmailAddress) {
    // If nothing can be stored, the page says so for every address.
    await store.probe()
    if ((await store.findOperator(known)) === undefined) return
    await store.requestReset(known, { nonce: newSecret(), now: clock.now() })
    changed(['mail'])
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
