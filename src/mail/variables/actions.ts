/** The variables for the buttons in messages to the staff. */
import type { Lead } from '../../leads/lead/lead.ts'
import type { SchoolContext } from './school-context.ts'

/** The links that act on a lead with one click, in the recipient's name. */
export function actionVariables(
  view: { lead: Lead; actor: string | undefined; now: number },
  { links, settings }: SchoolContext,
) {
  const { lead, actor, now } = view
  const { counselors, manager } = settings.admissions
  const assignable = counselors.length > 0 || manager !== undefined
  return {
    contacted_url: links.staff('contacted', lead.id, actor, now),
    assign_to_me: !isOwner(view) && counselors.some(({ id }) => id === actor),
    attempted_url: links.staff('attempted', lead.id, actor, now),
    assign_url: assignable ? links.staff('assign', lead.id, actor, now) : null,
    not_a_lead_url: links.staff('not-a-lead', lead.id, actor, now),
    lead_url: links.staff('open', lead.id, actor, now),
  }
}

/** Whether the recipient has the lead. */
export const isOwner = ({ lead, actor }: { lead: Lead; actor: string | undefined }): boolean =>
  actor !== undefined && lead.owner === actor
