/** Messages to operators of the console: invitations, and links to choose a new password. */
import type { EmailAddress } from '../../leads/body/email.ts'
import type { Content, Messages } from '../../mail/messages.ts'
import type { Clock } from '../../platform/time.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'

type Dependencies = { store: Store; messages: Messages; clock: Clock }

/** The message with a link, unless the link was used, was replaced by another, or is over. */
export async function operatorMessage(
  { store, messages, clock }: Dependencies,
  { kind, subject }: Task,
): Promise<Content | { skip: string }> {
  const link = await store.readOperatorLink(subject)
  if (link?.operator === undefined) return { skip: 'the link is gone' }
  const { operator, expiresAt } = link
  if (operator.disabled) return { skip: 'the operator is disabled' }
  if (link.used) return { skip: 'the link was used, or replaced by another' }
  if (expiresAt <= clock.now()) return { skip: 'the link has expired' }
  const to = { name: operator.name, address: operator.email as EmailAddress }
  const view = { to, link, expiresAt }
  return kind === 'invitation' ? messages.invitation(view) : messages.passwordReset(view)
}
