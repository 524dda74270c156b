/**
 * The steps of the cadence that go to the staff: a person is still waiting, for a first call or for an answer. Replies
 * go to the person, unless their address is suppressed.
 */
import { durationInWords } from '../../content/date-format.ts'
import { shorten } from '../../content/one-line.ts'
import type { SuppressionReason } from '../../follow-up/stop-conditions.ts'
import { HOUR } from '../../platform/time.ts'
import type { OfStep, SchoolContext, StaffMessage } from '../message-definition.ts'
import { replyUnlessSuppressed } from '../reply-address.ts'
import { again, first, message, now, own, site, student, unreachable, withAccount } from '../samples.ts'
import { type LeadView, leadVariables, withoutEmailLink } from '../variables/lead.ts'

export type ReminderView = LeadView & {
  role: 'counselor' | 'backup' | 'manager' | 'team'
  /** How long ago the person wrote in, or wrote what no one has answered, in milliseconds. */
  waiting: number
  /** How many call attempts the school has made so far. */
  attempts: number
  /** Whether someone at the school has tried to reach them, in whichever way. */
  tried: boolean
  suppressed: SuppressionReason | null
}

/** How many characters of a message a reminder shows. */
const EXCERPT = 280

export function reminderVariables(view: ReminderView, context: SchoolContext) {
  const { submission, role, waiting, attempts, tried, suppressed } = view
  const variables = leadVariables(view, context)
  return {
    ...(suppressed === 'not me' ? withoutEmailLink(variables) : variables),
    // The latest text that they wrote.
    message: shorten(view.reply ?? submission.body.message ?? '', EXCERPT) || null,
    role,
    waiting: durationInWords(waiting),
    attempts,
    tried,
    suppressed,
  }
}

export const reminder: OfStep<StaffMessage<ReminderView>> = {
  variables: reminderVariables,
  samples() {
    const full = { ...site, body: { ...site.body, email: unreachable, message } }
    const waits = { role: 'team', waiting: HOUR, attempts: 0, tried: false, suppressed: null } as const
    const late = { ...waits, role: 'manager', waiting: 50 * HOUR, attempts: 2, tried: true } as const
    const counselors = { ...waits, ...own, submission: student, role: 'counselor' } as const
    return [
      { ...waits, ...first, submission: site },
      { ...waits, ...first, submission: student },
      { ...late, ...again, lead: { ...again.lead, unansweredSince: now }, submission: full },
      withAccount({ ...counselors, attempts: 1, tried: true, role: 'backup' as const }),
      ...(['unsubscribed', 'bounced', 'complaint', 'not me'] as const).map(suppressed => ({
        ...counselors,
        suppressed,
      })),
    ]
  },
  more: replyUnlessSuppressed,
}
