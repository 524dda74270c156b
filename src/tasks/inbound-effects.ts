/**
 * Decides what a message in the watched mailbox changes: a reply of a student, a copy of what a counselor
 * wrote to a lead, a word of a counselor to us, or mail that is about no lead.
 */
import type { Config } from '../config/config.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { lastCallAfter } from '../follow-up/last-call.ts'
import { type Restart, restartOf } from '../follow-up/schedule.ts'
import { type EmailAddress, emailKey } from '../leads/email.ts'
import { MANAGER } from '../leads/staff.ts'
import type { MailFacts } from '../leads/timeline.ts'
import type { Reply } from '../mail/inbound/classify.ts'
import type { Clock } from '../platform/time.ts'
import type { InboundRecord } from '../store/mailboxes.ts'
import type { SentMessage } from '../store/outbox.ts'
import type { LeadEvent } from '../store/person-events.ts'
import type { Store } from '../store/store.ts'

export type EffectDependencies = {
  config: Pick<Config, 'settings' | 'admissionsEmail' | 'partnershipsEmail' | 'mailFrom'>
  store: Store
  clock: Clock
  calendar: Calendar
}

/** The changes that a message causes: none if all are missing. */
export type Changes = Pick<InboundRecord, 'effect' | 'returned' | 'stray'>

export const noChanges: Changes = { effect: null }

/** Someone at the school, by the address that a message claims to be from. */
type Member = { id: string; name: string }

/**
 * What a message from a person changes. `sent` is the message of ours that it replies to, if it does.
 *
 * A reply counts for the lead whose email it replies to, from any address; or it is a new message from the
 * lead's address. A message from the staff never counts as the student's reply, and one from our own
 * address counts as nothing.
 */
export async function effectOfMessage(
  deps: EffectDependencies,
  inbound: Reply,
  sent: SentMessage | undefined,
): Promise<Changes> {
  if (isOurs(inbound.from, deps.config)) return noChanges
  const member = memberAt(inbound.from, deps.config)
  if (member !== undefined) return effectOfStaffMail(deps, inbound, sent, member)
  const answered = sent?.toStudent ? sent.leadId : null
  const leadId = answered ?? (await leadWithAddress(deps, [inbound.from]))
  if (leadId === undefined) return strayMail(deps, inbound)
  const restarts = inbound.kind === 'reply' ? await restartedReminders(deps, leadId) : []
  const event = { ...(await replyEvent(deps, inbound, leadId)), restarts }
  return { effect: { leadId, event, suppression: null } }
}

async function replyEvent(
  { store }: EffectDependencies,
  inbound: Reply,
  leadId: number,
): Promise<LeadEvent> {
  // An automatic reply is recorded and changes nothing.
  if (inbound.kind === 'auto-reply')
    return { kind: 'auto-reply', detail: inbound.subject, tell: false }
  const lead = (await store.readLead(leadId))?.lead
  const known = lead !== undefined && emailKey(lead.email) === emailKey(inbound.from)
  const facts = { ...factsOf(inbound), ...(known ? {} : { from: inbound.from }) }
  return { kind: 'reply', detail: inbound.text || inbound.subject, tell: true, mail: facts }
}

/** What there is to say about a message beside its text. */
function factsOf({ subject, text, attachments }: Reply): MailFacts {
  const ours = /^(?:re|aw|sv|vs|rv|antw|odp)\s*(?:\[\d+\])?\s*[:：]/i.test(subject)
  return {
    ...(subject === '' || ours || text === '' ? {} : { subject }),
    ...(attachments.length === 0 ? {} : { attachments }),
  }
}

/**
 * Anyone can write the address of a counselor into a message. Only if our mail server vouches for it does
 * it count as an act of that counselor; otherwise it is recorded as a claim, and the staff is asked.
 */
async function effectOfStaffMail(
  deps: EffectDependencies,
  inbound: Reply,
  sent: SentMessage | undefined,
  member: Member,
): Promise<Changes> {
  if (inbound.kind === 'auto-reply' || inbound.forMany) return noChanges
  const copyOf = await leadAmong(deps, inbound.recipients)
  const leadId = copyOf ?? sent?.leadId ?? null
  if (leadId === null) return strayMail(deps, inbound)
  const detail = inbound.text || inbound.subject
  const mail = factsOf(inbound)
  if (!inbound.authentic) {
    const claim = {
      kind: 'claim',
      detail,
      tell: true,
      mail: { ...mail, from: inbound.from },
    } as const
    return { effect: { leadId, event: claim, suppression: null } }
  }
  const kind = copyOf === undefined ? 'staff-mail' : 'copy'
  const event = { kind, detail, tell: kind === 'staff-mail', mail, actor: member.id } as const
  return { effect: { leadId, event, suppression: null } }
}

/** The only lead among the recipients; undefined if there is none, or more than one. */
async function leadAmong(
  deps: EffectDependencies,
  recipients: readonly EmailAddress[],
): Promise<number | undefined> {
  const others = recipients.filter(
    one => !isOurs(one, deps.config) && memberAt(one, deps.config) === undefined,
  )
  const found = new Set<number>()
  for (const address of new Set(others.map(emailKey))) {
    const [lead] = await deps.store.findLeadsAt(address)
    if (lead !== undefined) found.add(lead.id)
  }
  const [only] = found
  return found.size === 1 ? only : undefined
}

/** Mail from a person that is about no lead goes to the team, unless the team reads this mailbox itself. */
function strayMail({ config, clock, calendar }: EffectDependencies, inbound: Reply): Changes {
  if (inbound.kind === 'auto-reply' || inbound.forMany) return noChanges
  if (isOurs(config.admissionsEmail, config)) return noChanges
  const { from: sender, subject, text, attachments } = inbound
  const { morning } = lastCallAfter(clock.now(), calendar)
  return { effect: null, stray: { mail: { sender, subject, text, attachments }, morning } }
}

const isOurs = (address: string, { mailFrom }: EffectDependencies['config']): boolean =>
  emailKey(mailFrom) === emailKey(address)

/** The counselor, the manager or the team with this address. */
function memberAt(
  address: string,
  { settings, admissionsEmail, partnershipsEmail }: EffectDependencies['config'],
): Member | undefined {
  const { counselors, manager } = settings.admissions
  const known = [
    ...counselors,
    ...(manager ? [{ ...manager, id: MANAGER }] : []),
    { id: 'the team', name: 'the team', email: admissionsEmail },
    { id: 'the team', name: 'the team', email: partnershipsEmail },
  ]
  return known.find(({ email }) => emailKey(email) === emailKey(address))
}

/** A student who replies waits for a human as on the first day, so the reminders to the staff restart. */
async function restartedReminders(
  { store, clock, calendar }: EffectDependencies,
  leadId: number,
): Promise<Restart[]> {
  const followUp = await store.readFollowUp(leadId)
  if (followUp === undefined) return []
  const { cadence, lead } = followUp
  return [restartOf(cadence, 'staff', clock.now(), calendar.hoursFor(lead.state)) ?? []].flat()
}

/** People also reply in a new message, or with a program that does not refer to the original. */
export async function leadWithAddress(
  { store }: Pick<EffectDependencies, 'store'>,
  addresses: readonly string[],
): Promise<number | undefined> {
  for (const address of addresses) {
    const [lead] = await store.findLeadsAt(address, 'student')
    if (lead !== undefined) return lead.id
  }
  return undefined
}
