/**
 * Tells the manager which leads the retention rules will erase. It names no one, since it stays in mailboxes: each lead
 * is shown by its number, with a link.
 */
import { schoolVariables } from '../../content/school-variables.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import { stageInWords } from '../../leads/lead/stages.ts'
import { DAY } from '../../platform/time.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { counselor, lead, now } from '../samples.ts'

export const retention: StaffMessage<{
  to: StaffMember
  eraseAt: number
  leads: { lead: Lead; url: string }[]
  /** How many there are, listed or not. */
  total: number
  /** The page of the console with all of them. */
  url: string
}> = {
  template: 'notifications/retention.md',
  variables: ({ eraseAt, leads, total, url }, { settings, moment }) => ({
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
  }),
  samples() {
    const leads = [{ lead, url: 'https://desk.example.edu/leads/1' }]
    const view = { to: counselor, eraseAt: now + 10 * DAY, leads, url: 'https://desk.example.edu/privacy/planned' }
    return [1, 2].map(total => ({ ...view, total }))
  },
}
