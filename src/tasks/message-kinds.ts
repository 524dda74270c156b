/** The kinds of messages, in words. */
import type { MessageKind } from '../store/tables/task-kinds.ts'
import type { Task } from '../store/tasks/tasks.ts'

/** What kind of message a task sends, for someone who looks at the outbox. */
export const kindInWords = (task: Pick<Task, 'kind' | 'lane'>): string =>
  task.kind === 'step'
    ? task.lane === 'letters'
      ? 'Follow-up email'
      : 'Reminder to the staff'
    : words[task.kind as MessageKind]

const words: Record<MessageKind, string> = {
  notify: 'Notification about an inquiry',
  receipt: 'Receipt',
  account: 'Account notice',
  message: 'Email to a person',
  news: 'Email to the staff about a lead',
  'hand-over': 'Email about a hand-over of all leads',
  digest: 'Quarantine digest',
  unattended: 'Unattended leads',
  report: 'Weekly report',
  daily: 'Daily digest',
  imported: 'Email about an imported list',
  retention: 'Notice about leads that will be erased',
  erasure: 'Email about a request to erase a person',
  forward: 'Forwarded email',
  alarm: 'Email about trouble',
  'alarm-over': 'Email that trouble is over',
  strays: 'List of emails about no lead',
  invitation: 'Invitation to the console',
  reset: 'New password for the console',
  security: 'Email about how someone signs in',
}
