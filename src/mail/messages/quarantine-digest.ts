/** For a team: what was quarantined, and how to release it. */
import { shorten } from '../../content/one-line.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import type { Submission } from '../../leads/body/submission.ts'
import type { QuarantineReason } from '../../leads/words/quarantine-reasons.ts'
import { signingMoment } from '../../signed-links.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { message, now, site, student, team } from '../samples.ts'
import { personVariables } from '../variables/person.ts'

/** How many characters of each message the digest shows. */
const DIGEST_EXCERPT = 140

export const quarantineDigest: StaffMessage<{
  /** The team that gets it. */
  to: StaffMember
  held: { submission: Submission; reason: QuarantineReason; notes: string[]; heldAt: number }[]
  /** How many further entries there are. */
  more: number
  /** In words. */
  date: string
  now: number
}> = {
  template: 'notifications/quarantine-digest.md',
  variables({ held, more, date, now }, context) {
    const { settings, links, consoleUrl, shortMoment } = context
    return {
      school: schoolVariables(settings.school),
      date,
      count: held.length + more,
      more,
      days: settings.quarantine.days,
      url: new URL('/quarantine', consoleUrl).href,
      entries: held.map(({ submission, reason, notes, heldAt }) => ({
        id: submission.id,
        person: personVariables(submission, settings),
        company: submission.kind === 'site' ? submission.body.company : null,
        message: shorten(submission.body.message ?? '', DIGEST_EXCERPT) || null,
        honeypot: reason === 'honeypot',
        notes,
        held: shortMoment(heldAt, now),
        release_url: links.staff('release', submission.id, undefined, signingMoment(submission.receivedAt, now)),
        dismiss_url: links.staff('dismiss', submission.id, undefined, signingMoment(submission.receivedAt, now)),
      })),
    }
  },
  samples() {
    const entry = { submission: site, reason: 'honeypot' as const, notes: [], heldAt: now }
    const notes = ['The message has three or more links.']
    const submission = { ...site, body: { ...site.body, message } }
    const other = { submission, reason: 'screening' as const, notes, heldAt: now }
    const ofStudent = { ...other, submission: student, reason: 'lockout' as const }
    const view = { to: team, date: 'November 21, 2026', now }
    return [
      { ...view, held: [entry], more: 0 },
      { ...view, held: [entry, other], more: 3 },
      { ...view, held: [ofStudent], more: 1 },
    ]
  },
}
