/** A message of the outbox as text: what `frontdesk mail show` prints. */
import type { Mailbox } from '../../mail/transport/mailer.ts'
import { mailStateOf } from '../../store/outbox/outbox.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import type { TaskMessage } from '../../tasks/message-of-task.ts'
import { count } from '../terminal/output.ts'
import { bold } from '../terminal/terminal.ts'
import type { Times } from '../terminal/times.ts'

type MailFacts = {
  /** The Message-ID, without angle brackets. */
  id: string
  lead: number | undefined
  times: Times
}

export function mailText(task: Task, message: TaskMessage, { id, lead, times }: MailFacts): string {
  const facts = [
    bold(`Message ${task.id}: ${stateText(task, times)}`),
    `Lead:        ${lead === undefined ? 'none' : `${lead} (npx frontdesk leads show ${lead})`}`,
    `Created:     ${times.full(task.created_at)}`,
    ...(task.note === null ? [] : [`${task.state === 'done' ? 'Sent to:    ' : 'Note:       '} ${task.note}`]),
    '',
  ]
  if ('unknown' in message) return [...facts, message.unknown].join('\n')
  const { to, replyTo, subject, text, unsubscribe } = message.content
  return [
    ...facts,
    ...(task.state === 'done'
      ? ['As it would be sent with the data of today; the data may have changed since.', '']
      : []),
    `To:          ${mailbox(to)}`,
    ...(replyTo ? [`Reply-To:    ${mailbox(replyTo)}`] : []),
    `Subject:     ${subject}`,
    `Message-ID:  <${id}>`,
    ...(unsubscribe ? [`List-Unsubscribe: <${unsubscribe}>`] : []),
    '',
    text.trimEnd(),
  ].join('\n')
}

function stateText(task: Task, { near }: Times): string {
  const state = mailStateOf(task)
  const tried = task.attempts === 0 ? '' : ` after ${count(task.attempts, 'attempt')}`
  if (task.finished_at !== null) return `${state} ${near(task.finished_at)}${tried}`
  if (task.due_at === 0 || task.state !== 'due') return `${state}${tried}`
  return `${state}${tried}, next attempt ${near(task.due_at)}`
}

const mailbox = ({ name, address }: Mailbox): string => (name ? `${name} <${address}>` : address)
