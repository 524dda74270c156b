/** The variables of the message about all leads of someone that were handed over. */

import { telLink } from '../../content/contact-links.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { stageName } from '../../leads/lead/stages.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

export type LeadsHandOverView = {
  to: StaffMember
  /** Whose name links act in; undefined for a team. */
  actor: string | undefined
  /** Who has the leads now, who stands in for them, or who had them. */
  role: 'owner' | 'stand-in' | 'former'
  /** Whether an earlier hand-over was undone, so that `from` has the leads again. */
  undone: boolean
  /** The id of the person it is about, null for the team; and their name. */
  owner: string | null
  ownerName: string
  /** Who had all these leads. */
  from: string
  /** Who did it, in words. */
  by: string | null
  /** In words, if the recipient stands in for someone who is away. */
  awayUntil: string | null
  /** The first of them, how many there are, and how many of them no one has reached. */
  leads: readonly Lead[]
  total: number
  waiting: number
  /** Who has how many of them now. */
  owners: readonly { name: string; leads: number }[]
  now: number
}

export function handOverVariables(view: LeadsHandOverView, context: SchoolContext) {
  const { settings, links, consoleUrl, shortMoment } = context
  const { leads, total, owner, actor, now } = view
  const inbox = owner === null ? '/inbox?who=team' : `/inbox?who=${owner}`
  return {
    school: schoolVariables(settings.school),
    role: view.role,
    undone: view.undone,
    team: owner === null,
    owner: view.ownerName,
    from: view.from,
    by: view.by,
    away_until: view.awayUntil,
    count: total,
    waiting: view.waiting,
    more: total - leads.length,
    entries: leads.map(lead => ({
      name: fullName(lead),
      company: lead.kind === 'site' ? lead.company : null,
      state: lead.state,
      phone: lead.phone,
      phone_url: telLink(lead.phone, settings.school.country),
      waits: lead.stage === 'new',
      stage: stageName(lead.stage),
      since: shortMoment(lead.createdAt, now),
      lead_url: links.staff('open', lead.id, actor, now),
    })),
    owners: view.owners.map(({ name, leads: count }) => ({ name, count })),
    inbox_url: new URL(inbox, consoleUrl).href,
  }
}
