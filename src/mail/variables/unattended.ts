/** The variables of the mail about leads that no one looks after. */
import { telLink } from '../../content/contact-links.ts'
import { durationInWords } from '../../content/date-format.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { actionVariables } from './actions.ts'
import { personVariables } from './person.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

/** A part of the mail about unattended leads: its leads with the names of their counselors. */
export type UnattendedPart = {
  leads: { lead: Lead; closingAt: number | null; owner: string | null }[]
  /** How many there are, listed or not. */
  total: number
}

/** The leads that no one looks after: about to be closed, closed lately, waiting for long. */
export type UnattendedView = Record<'closing' | 'closed' | 'waiting', UnattendedPart> & {
  kind: Kind
  to: StaffMember
  /** `manager`, if it goes to the manager; links then act in their name. */
  actor: string | undefined
  now: number
}

export function unattendedVariables(view: UnattendedView, context: SchoolContext) {
  const part = ({ leads, total }: UnattendedPart) => ({
    count: total,
    more: total - leads.length,
    entries: leads.map(({ lead, closingAt, owner }) => ({
      person: personVariables({ body: lead }, context.settings),
      other_phone: lead.latestPhone,
      other_phone_url: lead.latestPhone && telLink(lead.latestPhone, context.settings.school.country),
      company: lead.kind === 'site' ? lead.company : null,
      waiting: durationInWords(view.now - lead.createdAt),
      received: context.moment(lead.createdAt),
      replied: lead.repliedAt === null ? null : context.moment(lead.repliedAt),
      closes: closingAt === null ? null : context.moment(closingAt),
      owner,
      ...actionVariables({ lead, actor: view.actor, now: view.now }, context),
    })),
  })
  return {
    kind: view.kind,
    school: schoolVariables(context.settings.school),
    closing: part(view.closing),
    closed: part(view.closed),
    waiting: part(view.waiting),
  }
}
