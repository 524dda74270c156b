/** The emails that tell admins when an alarm begins and when it is over. */
import { TO_NO_OPERATOR } from '../../store/outbox/mail-steps.ts'
import type { MakeContent } from './message-data.ts'
import { mailboxOf } from './operator-messages.ts'

/**
 * The email goes to the operator of the task's step. If the alarm is over before we could write about it, we tell the
 * operator once, in the past tense.
 */
export const alarmContent: MakeContent = async (
  { store, clock, config, messages, addressees },
  { kind, subject, step },
) => {
  const alarm = await store.readAlarm(subject)
  if (alarm === undefined) return { skip: 'it was over long ago' }
  if (kind === 'alarm' && alarm.ended_at !== null) return { skip: 'it was over before this could be sent' }
  const operator = step === TO_NO_OPERATOR ? undefined : await store.readOperator(step)
  if (step !== TO_NO_OPERATOR && operator?.disabled !== false) return { skip: 'the operator is disabled' }
  const { title, text, since, path } = alarm
  return messages.alarm({
    to: operator ? mailboxOf(operator) : (await addressees.manager('student', clock.now())).to,
    title,
    text,
    since,
    until: kind === 'alarm' ? null : alarm.fine_since,
    url: `${config.consoleUrl}${path}`,
  })
}
