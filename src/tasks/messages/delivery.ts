/** Delivery: hands the message of a task to the mail server, and judges an attempt that failed. */
import type { Logger } from 'pino'
import { addressHash } from '../../leads/body/email.ts'
import type { MessageIds } from '../../mail/message-id.ts'
import type { Content, Messages } from '../../mail/messages.ts'
import { describeMailError, MailDeferred, type Mailer, MailRefused, summaryOf } from '../../mail/transport/mailer.ts'
import { type Clock, MINUTE } from '../../platform/time.ts'
import type { Store } from '../../store/store.ts'
import { AGAIN_AND_AGAIN } from '../../store/tasks/again-and-again.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { isTimeToGiveUp } from '../lanes/retry.ts'

export type DeliveryServices = {
  store: Pick<Store, 'stopFollowUpEmails'>
  clock: Clock
  mailer: Mailer
  messages: Pick<Messages, 'asMessage'>
  identity: MessageIds
  /** The key of the hashes of addresses. */
  addressSecret: string
  log: Logger
}

export type Failure = {
  /** What the mail server said, for the operator. */
  note: string
  /** A sentence for the staff about the same. */
  summary: string
  /** Whether the message is given up. */
  final: boolean
  /** Whether the server says that there is no such mailbox. */
  unknownAddress: boolean
  /** Whether the server rejected the message or our session with a 5xx. It may do so for days. */
  rejected: boolean
  /** When it was first tried, if the server rejects it again and again, or has deferred it for long; otherwise null. */
  refusedSince: number | null
}

/** A server that does not know us yet (greylisting) accepts a message within this time, in milliseconds. */
const DEFERRED_FOR = 15 * MINUTE

/**
 * Sends a task's message. The task determines its Message-ID, so a second delivery (the server accepted the message,
 * but its response was lost) can be recognized as the same message. Throws what the mailer throws.
 */
export async function deliver(
  { mailer, messages, identity, log }: DeliveryServices,
  task: Task,
  content: Content,
): Promise<void> {
  const date = new Date(task.begun_at ?? task.created_at)
  const thread = content.lead && identity.threadOf(content.lead, content.to.address)
  const [id, mark] = [identity.of(task), identity.markOf(task)]
  const envelope = { id, mark, date, ...(thread && { thread }) }
  await mailer.send(messages.asMessage(content, envelope))
  log.info({ task: task.id, kind: task.kind, attempts: task.attempts }, 'a message was sent')
}

/**
 * Judges an error that happened while a task's message was made or sent. A mailbox that does not exist ends a message
 * to a student. A message to the staff is retried as after any other error: perhaps the mail server just has not read
 * its list of mailboxes, and the school can fix that.
 */
export function judgeFailure(
  { clock, log }: Pick<DeliveryServices, 'clock' | 'log'>,
  task: Task,
  error: unknown,
  { toStudent }: { toStudent: boolean },
): Failure {
  const unknownAddress = error instanceof MailRefused
  const since = task.begun_at ?? task.created_at
  const { rejected = false, deferred = false } = error instanceof MailDeferred ? error : {}
  const refused = rejected || (deferred && clock.now() - since >= DEFERRED_FOR)
  const failure = {
    note: describeMailError(error),
    summary: summaryOf(error),
    final: (unknownAddress && toStudent) || isTimeToGiveUp(since, task.attempts, clock.now()),
    unknownAddress,
    rejected,
    refusedSince: refused && task.attempts >= AGAIN_AND_AGAIN ? since : null,
  }
  const { id, kind, attempts } = task
  const line = { task: id, kind, attempts, reason: failure.note }
  log[failure.final && !toStudent ? 'error' : 'warn'](line, 'a message was not sent')
  return failure
}

/** The mail server does not know the mailbox: it gets no more email, and the counselor is notified. */
export async function suppressUnknownAddress(
  { store, clock, addressSecret }: DeliveryServices,
  { id, email }: { id: number; email: string },
  detail: string,
): Promise<void> {
  await store.stopFollowUpEmails(id, {
    email,
    addressHash: addressHash(addressSecret, email),
    reason: 'bounced',
    detail,
    now: clock.now(),
  })
}
