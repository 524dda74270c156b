/** The state of an email, with the mail server's own words. */
import { capital } from '../../leads/body/tidy-text.ts'
import { mailStateOf } from '../../store/outbox/outbox.ts'
import type { Task } from '../../store/tasks/tasks.ts'

/** What a list of messages in one state says about each message, without repeating the list's heading. */
export function stateInList(task: Task, now: number, moment: (time: number) => string): string {
  const state = mailStateOf(task)
  if (state === 'queued') return stateOf(task, now, moment)
  if (state === 'retrying') return `Next attempt ${moment(task.due_at)}: ${task.note}`
  if (state === 'skipped') return capital(task.note ?? '')
  return `${task.finished_at === null ? '' : capital(moment(task.finished_at))}${state === 'sent' ? '' : `: ${task.note}`}`
}

export function stateOf(task: Task, now: number, moment: (time: number) => string): string {
  const state = mailStateOf(task)
  const finished = task.finished_at === null ? '' : ` ${moment(task.finished_at)}`
  if (state === 'sent') return `Sent${finished}${task.note === null ? '' : ` to ${task.note}`}`
  if (state === 'queued') return task.due_at > now ? `Will be sent ${moment(task.due_at)}` : 'Being sent'
  if (state === 'retrying') return `Not sent yet, next attempt ${moment(task.due_at)}: ${task.note}`
  if (state === 'skipped') return task.note === 'canceled' ? 'Canceled' : `Not sent: ${task.note}`
  return `Failed${finished}: ${task.note}`
}
