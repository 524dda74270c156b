/** The messages to operators: links that let them in, changes of how they sign in, requests to erase a person. */
import type { EmailAddress } from '../../leads/body/email.ts'
import type { MakeContent } from './message-data.ts'

/** An invitation, or a link to choose a password. Nothing is sent if the link was used or replaced, or has expired. */
export const operatorLinkContent: MakeContent = async ({ store, messages, clock }, { kind, subject }) => {
  const link = await store.readOperatorLink(subject)
  if (link?.operator === undefined) return { skip: 'the link is gone' }
  const { operator, expiresAt } = link
  if (operator.disabled) return { skip: 'the operator is disabled' }
  if (link.used) return { skip: 'the link was used, or replaced by another' }
  if (expiresAt <= clock.now()) return { skip: 'the link has expired' }
  const view = { to: mailboxOf(operator), link, expiresAt }
  return kind === 'invitation' ? messages.invitation(view) : messages.passwordReset(view)
}

/** Tells an operator what the audit log says about how they sign in. */
export const securityContent: MakeContent = async ({ store, config, messages }, { subject }) => {
  const entry = await store.readAudit(subject)
  const operator = entry?.operatorId ? await store.readOperator(entry.operatorId) : undefined
  if (entry === undefined || operator === undefined) return { skip: 'the operator is gone' }
  if (operator.disabled) return { skip: 'the operator is disabled' }
  return messages.security({ to: mailboxOf(operator), ...entry, consoleUrl: config.consoleUrl })
}

/** For the operator of the task's step. Once the request is decided, those who could have confirmed it get no email. */
export const erasureContent: MakeContent = async ({ store, config, messages, clock }, { subject, step }) => {
  const request = await store.readErasureRequest(subject)
  const operator = await store.readOperator(step)
  if (request === undefined || operator === undefined) return { skip: 'the request is gone' }
  if (operator.disabled) return { skip: 'the operator is disabled' }
  const asker = request.asked_by === step
  const { outcome } = request
  if (outcome === 'withdrawn' || (asker ? outcome === null : outcome !== null))
    return { skip: 'the request is no longer open' }
  if (!asker && request.expires_at <= clock.now()) return { skip: 'the request has expired' }
  const path = outcome === null ? `/privacy/requests/${subject}` : '/privacy'
  return messages.erasure({
    to: mailboxOf(operator),
    askedBy: request.askedBy,
    reason: request.reason,
    askedAt: request.created_at,
    expiresAt: request.expires_at,
    outcome,
    decidedBy: request.decided_by,
    decidedAt: request.decided_at,
    url: `${config.consoleUrl}${path}`,
  })
}

export const mailboxOf = ({ name, email }: { name: string; email: string }) => ({
  name,
  address: email as EmailAddress,
})
