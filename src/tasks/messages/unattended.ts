/**
 * The mail about leads that no one looks after. It goes out on a school morning if there is at least one such lead: a
 * person wrote back before that day and was not answered; a person was promised a call for before that day and no one
 * has recorded it; or no one has tried to reach the person, and the lead is about to be closed or was closed since the
 * last such mail. Only the first mail of a week also lists the people who have been waiting for long.
 */
import type { Calendar } from '../../follow-up/calendar.ts'
import { lastCallAfter } from '../../follow-up/last-call.ts'
import { hasWeekBegunSince } from '../../follow-up/school-mornings.ts'
import { kinds } from '../../leads/body/submission.ts'
import { type Clock, DAY } from '../../platform/time.ts'
import type { UnattendedList } from '../../store/follow-up/unattended-leads.ts'
import { kindOfTeamMail } from '../../store/outbox/mail-steps.ts'
import type { Store } from '../../store/store.ts'
import type { MakeContent } from './message-data.ts'

type Scheduling = { store: Pick<Store, 'addUnattendedMail'>; clock: Clock; calendar: Calendar }

/** How many leads a mail lists in each of its parts. It says how many more there are. */
const MOST_LISTED = 20

/** Someone who has been waiting for this long, in milliseconds, is listed every week. */
const LONG_WAIT = 7 * DAY

/** What the mail of a task says. The manager gets it or, without one or during an absence, the team. */
export const unattendedContent: MakeContent = async (
  { store, clock, calendar, addressees, messages },
  { subject, step },
) => {
  const now = clock.now()
  const kind = kindOfTeamMail('unattended', step)
  const waitingSince = hasWeekBegunSince(subject, now, calendar) ? now - LONG_WAIT : 0
  const unansweredSince = calendar.startOf(calendar.today(now))
  const found = await store.readUnattended({ kind, waitingSince, unansweredSince, limit: MOST_LISTED })
  const { closing, closed, unanswered, promised, waiting } = found
  if (closing.total + closed.total + unanswered.total + promised.total + waiting.total === 0) {
    return { skip: 'someone looks after every lead' }
  }
  const part = ({ leads, total }: UnattendedList) => ({
    leads: leads.map(one => ({ ...one, owner: addressees.owner(one.lead)?.name ?? null })),
    total,
  })
  return messages.unattended({
    kind,
    closing: part(closing),
    closed: part(closed),
    unanswered: part(unanswered),
    promised: part(promised),
    waiting: part(waiting),
    ...(await addressees.manager(kind, now)),
    now,
  })
}

/** Schedules the mails of the next school morning. Also called before such a mail is concluded. */
export async function scheduleUnattendedMail({ store, clock, calendar }: Scheduling): Promise<void> {
  const now = clock.now()
  const { morning } = lastCallAfter(now, calendar)
  for (const kind of kinds) await store.addUnattendedMail({ kind, morning, now })
}
