/** Messages that operators wrote but that were not sent: on the author's *Today* until the author has seen them. */
import { html } from 'hono/html'
import type { UnsentMessage } from '../../store/mail/unsent-messages.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { post } from '../frame/routes.ts'

const TODAY = '/today'
const PATH = `${TODAY}/unsent`

export const unsentRoute = post(PATH, 'write to people', acknowledgeUnsent)

async function acknowledgeUnsent(c: ConsoleContext, { store, clock }: ConsoleDeps) {
  const task = numberOf((await fieldsOf(c))['task'])
  const { actor } = c.get('operator')
  const audit = auditEntries(c, 'has seen that an email was not sent to')
  if (task !== undefined) await store.acknowledgeUnsent(task, { actor, now: clock.now(), audit })
  return redirect(c, TODAY)
}

/** The author's messages that were not sent, or not yet: no one else knows that they must be written again. */
export const unsentNotices = (unsent: readonly UnsentMessage[], moment: (time: number) => string) =>
  unsent.map(({ task, leadId, name, subject, note, since }) =>
    since !== null
      ? html`<div class="banner notice"><p>Your email “${subject}” to <a href="/leads/${leadId}">${name}</a> has not been sent yet: ${note}. It has been tried since ${moment(since)} and goes out as soon as it is accepted. If it is urgent, call them.</p></div>`
      : html`<form method="post" action="${PATH}" class="banner notice"><p>Your email “${subject}” to <a href="/leads/${leadId}">${name}</a> was not sent: ${note}.</p><button class="secondary small" name="task" value="${task}">I have seen this</button></form>`,
  )
