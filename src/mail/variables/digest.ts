/** The variables of the quarantine digest. */
import { shorten } from '../../content/one-line.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import type { Submission } from '../../leads/body/submission.ts'
import type { QuarantineReason } from '../../leads/words/quarantine-reasons.ts'
import { personVariables } from './person.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

export type DigestView = {
  /** The team that gets it. */
  to: StaffMember
  held: { submission: Submission; reason: QuarantineReason; notes: string[]; heldAt: number }[]
  /** How many further entries there are. */
  more: number
  /** In words. */
  date: string
  now: number
}

/** How many characters of a message the digest shows, which lists many. */
const DIGEST_EXCERPT = 140

export function digestVariables({ held, more, date, now }: Omit<DigestView, 'to'>, context: SchoolContext) {
  const { settings, links, shortMoment } = context
  return {
    school: schoolVariables(settings.school),
    date,
    count: held.length + more,
    more,
    days: settings.quarantine.days,
    entries: held.map(({ submission, reason, notes, heldAt }) => ({
      id: submission.id,
      person: personVariables(submission, settings),
      company: submission.kind === 'site' ? submission.body.company : null,
      message: shorten(submission.body.message ?? '', DIGEST_EXCERPT) || null,
      honeypot: reason === 'honeypot',
      notes,
      held: shortMoment(heldAt, now),
      release_url: links.staff('release', submission.id, undefined, now),
      dismiss_url: links.staff('dismiss', submission.id, undefined, now),
    })),
  }
}
