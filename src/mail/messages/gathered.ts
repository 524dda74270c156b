/** One email to a team in place of many notifications. */
import { shorten } from '../../content/one-line.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import type { Kind, Submission } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { signingMoment } from '../../signed-links.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { lead, message, now, site, student, team } from '../samples.ts'
import { personVariables } from '../variables/person.ts'

/** How many characters of each message the email shows. */
const EXCERPT = 140

export const gathered: StaffMessage<{
  /** The team that gets it. */
  to: StaffMember
  kind: Kind
  inquiries: { lead: Pick<Lead, 'id' | 'createdAt'>; submission: Submission }[]
  /** How many more there are. */
  more: number
  now: number
}> = {
  template: 'notifications/gathered.md',
  variables: ({ kind, inquiries, more, now }, { settings, links, shortMoment }) => ({
    school: schoolVariables(settings.school),
    kind,
    count: inquiries.length + more,
    more,
    entries: inquiries.map(({ lead, submission }) => ({
      person: personVariables(submission, settings),
      company: submission.kind === 'site' ? submission.body.company : null,
      message: shorten(submission.body.message ?? '', EXCERPT) || null,
      received: shortMoment(submission.receivedAt, now),
      lead_url: links.staff('open', lead.id, undefined, signingMoment(lead.createdAt, now)),
    })),
  }),
  samples() {
    const one = { lead, submission: site }
    const other = { lead, submission: { ...student, body: { ...student.body, message } } }
    return [
      { to: team, kind: 'site', inquiries: [one], more: 0, now },
      { to: team, kind: 'student', inquiries: [other, other], more: 3, now },
    ]
  },
}
