/** For the manager or a team: the leads that no one looks after. */
import { telLink } from '../../content/contact-links.ts'
import { durationInWords } from '../../content/date-format.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import { readablePhone } from '../../leads/body/phone.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { DAY } from '../../platform/time.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { counselor, lead, now, team } from '../samples.ts'
import { actionVariables } from '../variables/lead.ts'
import { personVariables } from '../variables/person.ts'

/** A part of this mail: its leads, with the names of their counselors. */
type UnattendedPart = {
  leads: { lead: Lead; closingAt: number | null; owner: string | null }[]
  /** How many there are, listed or not. */
  total: number
}

export const unattended: StaffMessage<
  Record<'closing' | 'closed' | 'unanswered' | 'promised' | 'waiting', UnattendedPart> & {
    kind: Kind
    to: StaffMember
    /** `manager` if the mail goes to the manager; its links then act in the manager's name. */
    actor: string | undefined
    now: number
  }
> = {
  template: 'notifications/unattended.md',
  variables(view, context) {
    const part = ({ leads, total }: UnattendedPart) => ({
      count: total,
      more: total - leads.length,
      entries: leads.map(({ lead, closingAt, owner }) => ({
        person: personVariables({ body: lead }, context.settings),
        other_phone: lead.latestPhone && readablePhone(lead.latestPhone, context.settings.school.country),
        other_phone_url: lead.latestPhone && telLink(lead.latestPhone, context.settings.school.country),
        company: lead.kind === 'site' ? lead.company : null,
        waiting: durationInWords(view.now - (lead.unansweredSince ?? lead.createdAt)),
        received: context.moment(lead.createdAt),
        closes: closingAt === null ? null : context.moment(closingAt),
        paused: lead.pausedAt === null ? null : context.moment(lead.pausedAt),
        promised: isOverdue(lead, view.now) ? context.moment(lead.callbackAt) : null,
        owner,
        ...actionVariables({ lead, actor: view.actor, now: view.now }, context),
      })),
    })
    return {
      kind: view.kind,
      school: schoolVariables(context.settings.school),
      closing: part(view.closing),
      closed: part(view.closed),
      unanswered: part(view.unanswered),
      promised: part(view.promised),
      waiting: part(view.waiting),
    }
  },
  samples() {
    const none = { leads: [], total: 0 }
    const old = { ...lead, createdAt: now - 9 * DAY }
    const one = { leads: [{ lead: old, closingAt: null, owner: null }], total: 1 }
    const many = {
      leads: [
        { lead: old, closingAt: now, owner: counselor.name },
        { lead: { ...old, kind: 'site' as const }, closingAt: null, owner: null },
      ],
      total: 1002,
    }
    const over = { ...many, leads: many.leads.map(one => ({ ...one, closingAt: null })) }
    const all = {
      kind: 'student' as const,
      closing: none,
      closed: none,
      unanswered: none,
      promised: none,
      waiting: none,
      to: team,
      actor: undefined,
      now,
    }
    const paused = { leads: [{ lead: { ...old, pausedAt: now - 8 * DAY }, closingAt: null, owner: null }], total: 1 }
    const wrote = { ...old, unansweredSince: now - DAY }
    const unanswered = { leads: [{ lead: wrote, closingAt: null, owner: counselor.name }], total: 1 }
    const called = { ...old, callbackAt: now - DAY }
    const promised = { leads: [{ lead: called, closingAt: null, owner: counselor.name }], total: 1 }
    return [
      { ...all, closing: one, closed: one },
      { ...all, promised },
      { ...all, promised: { ...promised, total: 25 }, waiting: one },
      { ...all, unanswered },
      { ...all, unanswered: { ...unanswered, total: 25 }, waiting: one },
      { ...all, closing: many, closed: over, waiting: over },
      { ...all, closed: one, waiting: one },
      { ...all, closed: over },
      { ...all, waiting: one },
      { ...all, waiting: paused },
      { ...all, waiting: { ...over, total: 2 } },
      { ...all, kind: 'site', waiting: over },
    ]
  },
}

const isOverdue = (lead: Lead, now: number): lead is Lead & { callbackAt: number } =>
  lead.callbackAt !== null && lead.callbackAt < now
