/** All of a colleague's leads were handed over in one step, or given back. */
import { telLink } from '../../content/contact-links.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import { readablePhone } from '../../leads/body/phone.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { stageName } from '../../leads/lead/stages.ts'
import { DAY } from '../../platform/time.ts'
import { signingMoment } from '../../signed-links.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { counselor, lead, now, team } from '../samples.ts'

type LeadsHandOverView = {
  to: StaffMember
  /** The person in whose name the links act; undefined for a team. */
  actor: string | undefined
  /** Who has the leads now, who stands in for them, or who had them. */
  role: 'owner' | 'stand-in' | 'former'
  /** Whether an earlier hand-over was undone, so that `from` has the leads again. */
  undone: boolean
  /** The id of that person (null for the team), and their name. */
  owner: string | null
  ownerName: string
  /** Who had all these leads. */
  from: string
  /** Who did it, in words. */
  by: string | null
  /** If the recipient stands in for someone who is away: until when, in words. Otherwise null. */
  awayUntil: string | null
  /** The first leads, how many there are in all, and how many of their people no one has reached. */
  leads: readonly Lead[]
  total: number
  waiting: number
  owners: readonly { name: string; leads: number }[]
  now: number
}

export const leadsHandedOver: StaffMessage<LeadsHandOverView> = {
  template: 'notifications/leads-handed-over.md',
  variables(view, context) {
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
        phone: lead.phone && readablePhone(lead.phone, settings.school.country),
        phone_url: telLink(lead.phone, settings.school.country),
        waits: lead.stage === 'new' || lead.unansweredSince !== null,
        stage: stageName(lead.stage),
        since: shortMoment(lead.createdAt, now),
        lead_url: links.staff('open', lead.id, actor, signingMoment(lead.createdAt, now)),
      })),
      owners: view.owners.map(({ name, leads: count }) => ({ name, count })),
      inbox_url: new URL(inbox, consoleUrl).href,
    }
  },
  samples() {
    const reached = { ...lead, firstName: 'Ben', stage: 'contacted', createdAt: now - 9 * DAY }
    const site = { ...lead, kind: 'site' as const, company: 'Mercy Hospital', state: null }
    const common: LeadsHandOverView = {
      to: counselor,
      actor: 'maria',
      owner: 'maria',
      ownerName: counselor.name,
      from: 'Tom Reed',
      by: 'Dana Kim',
      awayUntil: null,
      role: 'owner',
      undone: false,
      now,
      leads: [lead, site, reached],
      total: 140,
      waiting: 2,
      owners: [
        { name: counselor.name, leads: 140 },
        { name: 'the team', leads: 1 },
      ],
    }
    const one = { leads: [lead], total: 1, waiting: 1 }
    const former = { ...common, role: 'former' as const, leads: [], waiting: 0 }
    return [
      common,
      { ...common, ...one },
      { ...common, leads: [reached], total: 1, waiting: 0 },
      { ...common, role: 'stand-in', awayUntil: 'December 4' },
      { ...common, ...one, to: team, actor: undefined, owner: null, ownerName: 'the team', by: null },
      former,
      { ...former, total: 1, owners: [{ name: 'the team', leads: 1 }] },
      { ...common, undone: true },
      { ...common, ...one, undone: true },
      { ...former, undone: true },
    ]
  },
}
