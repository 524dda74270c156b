/**
 * The Message-IDs of our messages. The task determines the Message-ID, so that every attempt sends the same message.
 * Each is signed, so that a reply leads us to the message it replies to.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { asciiDomain, type EmailAddress } from '../leads/body/email.ts'
import type { MessageKey } from '../store/outbox/outbox.ts'
import { hasMessage } from '../store/tables/task-kinds.ts'
import type { Task } from '../store/tasks/tasks.ts'

export type MessageIds = {
  /** The Message-ID of a task's message, without the angle brackets (RFC 5322 section 3.6.4). */
  of(task: MessageKey & Pick<Task, 'created_at'>): string
  /**
   * The Message-ID to which all messages about a lead to one recipient refer, so that mail programs show them as one
   * thread. No message has it: whichever message is sent first, or again, refers to the same id.
   */
  threadOf(lead: { id: number; createdAt: number }, recipient: string): string
  /** The message that one of our Message-IDs claims to be; undefined for other Message-IDs. */
  read(id: string): MessageKey | undefined
  /** Whether this really is the Message-ID of that task. */
  matches(id: string, task: MessageKey & Pick<Task, 'created_at'>): boolean
  /** The mark of a task's message (see MARK), which cannot be computed from its Message-ID. */
  markOf(task: MessageKey & Pick<Task, 'created_at'>): string
  /** Whether this really is the mark of that task's message. */
  isMarkOf(mark: string, task: MessageKey & Pick<Task, 'created_at'>): boolean
}

export function createMessageIds(secretKey: string, mailFrom: EmailAddress): MessageIds {
  const domain = asciiDomain(mailFrom)
  const hmac = (text: string) => createHmac('sha256', secretKey).update(text).digest('hex').slice(0, 24)
  // The time is included because ids repeat after a database is restored to an earlier state.
  const partsOf = ({ kind, subject, step, created_at }: MessageKey & Pick<Task, 'created_at'>) =>
    `${kind}\n${subject}\n${step}\n${created_at}`
  const of: MessageIds['of'] = task => {
    const signature = hmac(`message\n${partsOf(task)}`)
    return `${task.kind}.${task.subject}.${task.step}.${signature}@${domain}`
  }
  const markOf: MessageIds['markOf'] = task => hmac(`mark\n${partsOf(task)}`)
  return {
    of,
    threadOf: (lead, recipient) => {
      const mark = hmac(`thread\n${lead.id}\n${lead.createdAt}\n${recipient.toLowerCase()}`)
      return `thread.${lead.id}.${mark}@${domain}`
    },
    read: id => {
      const [, kind = '', subject, step] = MESSAGE_ID.exec(id) ?? []
      if (!hasMessage(kind) || !id.endsWith(`@${domain}`)) return undefined
      return { kind, subject: Number(subject), step: Number(step) }
    },
    matches: (id, task) => isSame(id, of(task)),
    markOf,
    isMarkOf: (mark, task) => isSame(mark, markOf(task)),
  }
}

function isSame(given: string, own: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(own)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const MESSAGE_ID = /^([a-z-]+)\.(\d{1,15})\.(\d{1,4})\.[0-9a-f]{24}@/
