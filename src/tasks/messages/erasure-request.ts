/** The messages about a request to erase a person: to those who may confirm it, and to the one who asked. */
import type { Config } from '../../config/config.ts'
import type { EmailAddress } from '../../leads/body/email.ts'
import type { Content, Messages } from '../../mail/messages.ts'
import type { Clock } from '../../platform/time.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'

type Dependencies = {
  store: Pick<Store, 'readErasureRequest' | 'readOperator'>
  config: Pick<Config, 'consoleUrl'>
  messages: Pick<Messages, 'erasure'>
  clock: Clock
}

/** For the operator of the task's step. Those who may confirm get nothing once it is decided. */
export async function erasureRequestMessage(
  { store, config, messages, clock }: Dependencies,
  { subject, step }: Task,
): Promise<Content | { skip: string }> {
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
    to: { name: operator.name, address: operator.email as EmailAddress },
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
