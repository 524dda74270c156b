/** One try to send the message of a task, and what is to be done about a try that failed. */
import type { Logger } from 'pino'
import { describeMailError, type Mailer, MailRefused } from '../mail/mailer.ts'
import type { MessageIds } from '../mail/message-id.ts'
import type { Content, Messages } from '../mail/render-messages.ts'
import type { Task } from '../store/tasks.ts'
import type { Clock } from '../time.ts'
import { GIVE_UP_AFTER, GIVE_UP_TRIES } from './retry.ts'

/** `final`: it is given up. `unknownAddress`: the server says that there is no such mailbox. */
export type Failure = { note: string; final: boolean; unknownAddress: boolean }

/** Why there is nothing to send: never, or not before a moment. */
export type NotSent = { skip: string } | { waitUntil: number }

/** Sends what `make` makes, or hands back why there is nothing to send. */
export type Send = <Instead extends NotSent>(
  task: Task,
  make: () => Promise<Content | Instead>,
) => Promise<'sent' | Instead | { failure: Failure }>

type Parts = {
  clock: Clock
  mailer: Mailer
  messages: Messages
  identity: MessageIds
  log: Logger
}

export function createSend({ clock, mailer, messages, identity, log }: Parts): Send {
  return async (task, make) => {
    const { id, kind, attempts } = task
    try {
      const content = await make()
      if (!('to' in content)) return content
      const date = new Date(task.begun_at ?? task.created_at)
      await mailer.send(messages.asMessage(content, { id: identity.of(task), date }))
    } catch (error) {
      const failure = judgeFailure(task, error, clock.now())
      const line = { task: id, kind, attempts, reason: failure.note }
      log[failure.final ? 'error' : 'warn'](line, 'a message was not sent')
      return { failure }
    }
    log.info({ task: id, kind, attempts }, 'a message was sent')
    return 'sent'
  }
}

function judgeFailure(task: Task, error: unknown, now: number): Failure {
  const since = task.begun_at ?? task.created_at
  const triedEnough = now - since >= GIVE_UP_AFTER && task.attempts >= GIVE_UP_TRIES
  const refused = error instanceof MailRefused
  return {
    note: describeMailError(error),
    final: refused || triedEnough,
    unknownAddress: refused && error.unknownAddress,
  }
}
