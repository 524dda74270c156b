/** The variables of the email that stands for many notifications. */
import { shorten } from '../../content/one-line.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import type { Kind, Submission } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { personVariables } from './person.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

export type GatheredView = {
  /** The team that gets it. */
  to: StaffMember
  kind: Kind
  inquiries: { lead: Pick<Lead, 'id'>; submission: Submission }[]
  /** How many more there are. */
  more: number
  now: number
}

/** How many characters of a message the email shows, which lists many. */
const EXCERPT = 140

export const gatheredVariables = (
  { kind, inquiries, more, now }: Omit<GatheredView, 'to'>,
  { settings, links, shortMoment }: SchoolContext,
) => ({
  school: schoolVariables(settings.school),
  kind,
  count: inquiries.length + more,
  more,
  entries: inquiries.map(({ lead, submission }) => ({
    person: personVariables(submission, settings),
    company: submission.kind === 'site' ? submission.body.company : null,
    message: shorten(submission.body.message ?? '', EXCERPT) || null,
    received: shortMoment(submission.receivedAt, now),
    lead_url: links.staff('open', lead.id, undefined, now),
  })),
})
