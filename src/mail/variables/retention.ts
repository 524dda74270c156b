/**
 * The variables of the email about leads that the retention rules will erase. It names no one, since it
 * stays in mailboxes: each lead has its number and a link.
 */
import { schoolVariables } from '../../content/school-variables.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import { stageInWords } from '../../leads/lead/stages.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

export type RetentionView = {
  to: StaffMember
  eraseAt: number
  leads: { lead: Lead; url: string }[]
  /** How many there are, listed or not. */
  total: number
  /** The page of the console with all of them. */
  url: string
}

export const retentionVariables = (
  { eraseAt, leads, total, url }: RetentionView,
  { settings, moment }: SchoolContext,
) => ({
  school: schoolVariables(settings.school),
  erased: moment(eraseAt),
  count: total,
  more: total - leads.length,
  leads: leads.map(({ lead, url: leadUrl }) => ({
    id: lead.id,
    kind: lead.kind,
    stage: stageInWords(lead.stage, lead.closedReason),
    since: moment(lead.updatedAt),
    owner: ownerName(lead.owner, settings.admissions),
    url: leadUrl,
  })),
  url,
})
