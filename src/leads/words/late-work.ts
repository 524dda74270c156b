/** What is late although nothing has failed: inquiries that are not filed, and emails that no one has tried to send. */
import { MINUTE } from '../../platform/time.ts'
import { counted } from '../body/tidy-text.ts'

/** Filing takes milliseconds, and a first attempt to send seconds: after this long, something is wrong. In milliseconds. */
export const LATE_AFTER = 10 * MINUTE

export type Waiting = {
  unfiled: number
  /** When the oldest submission that is not filed came in; null if there is none. */
  unfiledSince: number | null
  /** When the oldest message that has not been tried yet became due; null if there is none. */
  unsentSince: number | null
}

/** A sentence for a heading, and what it means. */
export type LateWork = { title: string; text: string }

/** Empty while nothing is late. */
export function lateWork({ unfiled, unfiledSince, unsentSince }: Waiting, now: number): LateWork[] {
  const late: LateWork[] = []
  if (isLate(unfiledSince, now)) {
    const wait = unfiled === 1 ? 'waits' : 'wait, the oldest'
    late.push({
      title: 'Inquiries are not filed.',
      text: `${counted(unfiled, 'inquiry', 'inquiries')} ${wait} for ${minutes(now - unfiledSince)}: no list shows ${unfiled === 1 ? 'it' : 'them'}, and we have notified no one. The log says why.`,
    })
  }
  if (isLate(unsentSince, now)) {
    late.push({
      title: 'Emails are late.',
      text: `The oldest has waited for ${minutes(now - unsentSince)} for its first attempt. Call the people who are due in the inbox: reminders may be late, too.`,
    })
  }
  return late
}

const isLate = (since: number | null, now: number): since is number => since !== null && now - since >= LATE_AFTER

const minutes = (time: number): string => counted(Math.floor(time / MINUTE), 'minute')
