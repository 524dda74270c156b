/**
 * The messages to operators of the console: links that let them in, requests to erase a person, and their daily digest.
 */
import type { EmailAddress } from '../../leads/body/email.ts'
import type { Content } from '../../mail/message-definition.ts'
import type { Notice } from '../../store/operators/browser-notices.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import type { MakeContent, MessageServices, NotSent } from './message-data.ts'

/**
 * An invitation, or a link to choose a new password. Nothing is sent if the link was used, was replaced by another, or
 * has expired.
 */
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

/**
 * For the operator that the task's step means. Once the request is decided, operators who could have confirmed it get
 * nothing.
 */
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

/** How many notices one digest lists; the console has the others. */
const MOST_LISTED = 100

/**
 * Notices, which would otherwise be emails of their own. `contentOf` makes the message that a notice stands for: its
 * subject says what it is about.
 */
export async function dailyDigest(
  { store, config, messages, clock }: MessageServices,
  task: Task,
  contentOf: (task: Task) => Promise<Content | NotSent>,
): Promise<Content | NotSent> {
  const operator = await store.readOperator(task.step)
  if (operator === undefined) return { skip: 'the operator is gone' }
  const now = clock.now()
  const notices = await store.takeDailyNotices(task.step, { again: task.attempts > 1 })
  const read = async ({ taskId, at }: Notice) => {
    const about = await store.readMail(taskId)
    const content = about && (await contentOf(about))
    if (content === undefined || !('subject' in content)) return []
    const url = `${config.consoleUrl}/${content.lead ? `leads/${content.lead.id}` : 'inbox'}`
    return [{ what: content.subject, says: content.preheader ?? '', at, url, person: content.lead }]
  }
  const entries = (await Promise.all(notices.slice(0, MOST_LISTED).map(read))).flat()
  if (entries.length === 0) return { skip: 'there is nothing left to list' }
  const more = Math.max(0, notices.length - MOST_LISTED)
  const content = await messages.dailyDigest({
    to: mailboxOf(operator),
    entries,
    more,
    url: `${config.consoleUrl}/today`,
    now,
  })
  // Another process, whose clock may be behind, can add one from before that moment while this is sent.
  return { ...content, gathered: notices.map(({ taskId }) => taskId) }
}

export const mailboxOf = ({ name, email }: { name: string; email: string }) => ({
  name,
  address: email as EmailAddress,
})
