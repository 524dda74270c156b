/** A callback is due. It goes to the person who promised it, and later to the backup and the manager. */
import { HOUR, MINUTE } from '../../platform/time.ts'
import type { SchoolContext, StaffMessage } from '../message-definition.ts'
import { replyUnlessSuppressed } from '../reply-address.ts'
import { again, first, now, own, site, student } from '../samples.ts'
import { type ReminderView, reminderVariables } from './reminder.ts'

export type CallbackView = ReminderView & {
  /** When the person was promised a call. */
  dueAt: number
  /** What the call is about; may be empty. */
  words: string
  /** The name of the person who is to call. */
  caller: string
  /** Who planned it, in words; null if no one did. */
  by: string | null
}

export const callback: StaffMessage<CallbackView> = {
  template: 'notifications/callback.md',
  variables(view: CallbackView, context: SchoolContext) {
    const { dueAt, words, caller, by } = view
    return {
      ...reminderVariables(view, context),
      promised: context.shortMoment(dueAt, view.now),
      words: words || null,
      caller,
      by,
    }
  },
  samples() {
    const promised = { dueAt: now, words: '', caller: 'Maria Example', by: null } as const
    const waits = { waiting: HOUR, attempts: 1, tried: true, suppressed: null } as const
    const late = { ...promised, dueAt: now - 15 * MINUTE, words: 'Asks about evening classes', by: 'Dana Kim' }
    return [
      { ...waits, ...own, ...promised, submission: student, role: 'counselor' },
      { ...waits, ...first, ...late, submission: site, role: 'backup' },
      { ...waits, ...again, ...late, submission: site, role: 'manager' },
    ]
  },
  more: replyUnlessSuppressed,
}
