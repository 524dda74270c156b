/**
 * Decides what a message in the watched mailbox changes. It may be a student's reply, a copy of what a counselor wrote
 * to a lead, a message from a counselor to us, or mail that is not about a lead.
 */
import type { Logger } from 'pino'
import { lastCallAfter } from '../../follow-up/last-call.ts'
import { restartOf } from '../../follow-up/schedule.ts'
import type { Services } from '../../lead-actions/services.ts'
import { type EmailAddress, emailKey } from '../../leads/body/email.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { MANAGER } from '../../leads/lead/staff.ts'
import type { MailFacts } from '../../leads/lead/timeline-entries.ts'
import type { Reply } from '../../mail/inbound/classify.ts'
import type { MessageIds } from '../../mail/message-id.ts'
import { isReplySubject } from '../../mail/reply-subject.ts'
import type { InboundRecord, ListedMail } from '../../store/mail/mailboxes.ts'
import type { LeadEvent, Reminders } from '../../store/mail/person-events.ts'
import type { SentMessage } from '../../store/mail/sent-messages.ts'
import type { MessageKey } from '../../store/outbox/outbox.ts'
import type { CadenceVersions } from '../cadence-start.ts'

export type EffectServices = Omit<Services, 'settings' | 'changed'> & {
  identity: MessageIds
  cadences: CadenceVersions
  log: Logger
}

/** A message of ours to which a received one refers, with the task that sent it. */
export type OwnMessage = SentMessage & MessageKey

/** The changes that a message causes; if all are missing, there are none. */
export type Changes = Pick<InboundRecord, 'effect' | 'returned' | 'stray' | 'listed'>

export const noChanges: Changes = { effect: null }

/** Someone at the school, identified by the address that a message claims to be from. */
type Member = { id: string; name: string }

/**
 * What a message from a person changes. `sent`: the message of ours that it replies to; undefined if there is none.
 *
 * A reply counts for the lead whose email it replies to, from any address: only the people in that conversation know
 * the Message-ID. A new message counts for the lead at its address if our mail server vouches for the sender;
 * otherwise, anyone may have written it, and it is only recorded as a claim. A message from the staff never counts as
 * the student's reply, and one from our own address counts as nothing.
 */
export async function effectOfMessage(
  deps: EffectServices,
  inbound: Reply,
  sent: OwnMessage | undefined,
): Promise<Changes> {
  if (isOurs(inbound.from, deps.config)) return noChanges
  const member = memberAt(inbound.from, deps.config)
  if (member !== undefined) return effectOfStaffMail(deps, inbound, sent, member)
  const answered = await leadAnswered(deps, inbound, sent)
  const leadId = answered ?? (await leadWithAddress(deps, [inbound.from]))
  if (leadId === undefined) return strayMail(deps, inbound)
  const proven = answered !== undefined || inbound.authentic
  if (inbound.kind === 'auto-reply') return autoReply(leadId, inbound, proven)
  if (!proven) return claim(deps, leadId, inbound)
  const event = await replyEvent(deps, inbound, leadId)
  return { effect: { leadId, event, suppression: null } }
}

/**
 * The lead whose conversation with us a message continues. Either it refers to an email that we sent to the person; or
 * it is from the person and refers to one that we sent to the staff, whose reply has passed on the Message-ID.
 */
async function leadAnswered(
  { store }: EffectServices,
  { from }: Reply,
  sent: OwnMessage | undefined,
): Promise<number | undefined> {
  if (sent === undefined || sent.leadId === null) return undefined
  if (sent.toStudent) return sent.leadId
  const lead = await store.findLead(sent.leadId)
  const addresses = lead?.email == null ? [] : await store.addressesOfPerson(lead.email)
  const theirs = lead?.kind === 'student' && addresses.some(address => emailKey(address) === emailKey(from))
  return theirs ? sent.leadId : undefined
}

/** An automatic reply is recorded and changes nothing. */
function autoReply(leadId: number, { subject }: Reply, proven: boolean): Changes {
  const mail = proven ? {} : { mail: { unproven: true } as const }
  const event = { kind: 'auto-reply', detail: subject, tell: false, ...mail } as const
  return { effect: { leadId, event, suppression: null } }
}

async function replyEvent(deps: EffectServices, inbound: Reply, leadId: number): Promise<LeadEvent> {
  const lead = await deps.store.findLead(leadId)
  const known = lead?.email != null && emailKey(lead.email) === emailKey(inbound.from)
  const mail = {
    ...factsOf(inbound),
    ...(known ? {} : { from: inbound.from }),
    ...(inbound.id && { original: { id: inbound.id, subject: inbound.subject } }),
  }
  const reminders = lead && (await remindersOf(deps, lead))
  return { kind: 'reply', detail: inbound.text || inbound.subject, tell: true, mail, reminders }
}

/**
 * A message that claims to be from a counselor, without proof. It changes nothing, and the counselor gets an email
 * about it. If too many come in a day, the next morning's list names the rest.
 */
function claim(deps: EffectServices, leadId: number, inbound: Reply): Changes {
  const event = {
    kind: 'claim',
    detail: inbound.text || inbound.subject,
    tell: !inbound.forMany,
    mail: { ...factsOf(inbound), from: inbound.from },
  } as const
  return { effect: { leadId, event, suppression: null, otherwise: listedMail(deps, inbound) } }
}

/** The facts about a message besides its text. */
const factsOf = ({ subject, text }: Reply): MailFacts =>
  subject === '' || isReplySubject(subject) || text === '' ? {} : { subject }

/**
 * Anyone can write the address of a counselor into a message. Only if our mail server vouches for it does
 * it count as an act of that counselor; otherwise it is recorded as a claim, and the staff is asked.
 */
async function effectOfStaffMail(
  deps: EffectServices,
  inbound: Reply,
  sent: OwnMessage | undefined,
  member: Member,
): Promise<Changes> {
  if (inbound.kind === 'auto-reply' || inbound.forMany) return noChanges
  const copyOf = await leadAmong(deps, inbound.recipients)
  const leadId = copyOf ?? sent?.leadId ?? null
  if (leadId === null) return strayMail(deps, inbound)
  if (!inbound.authentic) return claim(deps, leadId, inbound)
  const detail = inbound.text || inbound.subject
  const mail = factsOf(inbound)
  const kind = copyOf === undefined ? 'staff-mail' : 'copy'
  const event = { kind, detail, tell: kind === 'staff-mail', mail, actor: member.id } as const
  return { effect: { leadId, event, suppression: null } }
}

/** The only lead among the recipients; undefined if there is none, or more than one. */
async function leadAmong(deps: EffectServices, recipients: readonly EmailAddress[]): Promise<number | undefined> {
  const others = recipients.filter(one => !isOurs(one, deps.config) && memberAt(one, deps.config) === undefined)
  const found = new Set<number>()
  for (const address of new Set(others.map(emailKey))) {
    const [lead] = await deps.store.findLeadsAt(address)
    if (lead !== undefined) found.add(lead.id)
  }
  const [only] = found
  return found.size === 1 ? only : undefined
}

/**
 * Mail from a person that is not about a lead goes to the team, unless the team reads this mailbox itself. Mail from
 * the team waits for the next morning's list: a ticket system there may answer each email as if it were a person, and
 * the two must not answer each other all day.
 */
function strayMail(deps: EffectServices, inbound: Reply): Changes {
  if (inbound.kind === 'auto-reply') return noChanges
  const mail = listedMail(deps, inbound)
  const fromTeam = emailKey(inbound.from) === emailKey(deps.config.admissionsEmail)
  return { effect: null, ...(fromTeam ? { listed: mail } : { stray: mail }) }
}

/** A message for the team, and the morning whose list may name it; undefined if the team has it already. */
function listedMail(
  { config, clock, calendar }: EffectServices,
  { from: sender, subject, text, attachments: parts, forMany }: Reply,
): ListedMail | undefined {
  if (forMany || isOurs(config.admissionsEmail, config)) return undefined
  const { morning } = lastCallAfter(clock.now(), calendar)
  const attachments = parts.map(({ name, size }) => ({ name, size }))
  return { mail: { sender, subject, text, attachments }, morning }
}

const isOurs = (address: string, { mailFrom }: EffectServices['config']): boolean =>
  emailKey(mailFrom) === emailKey(address)

/** The counselor, the manager or the team with this address. */
function memberAt(
  address: string,
  { settings, admissionsEmail, partnershipsEmail }: EffectServices['config'],
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

/** A person who replies waits for someone as on the first day, so the reminders to the staff start again. */
async function remindersOf(
  { store, clock, calendar, cadences, log }: EffectServices,
  lead: Lead,
): Promise<Reminders | undefined> {
  const { cadenceId, cadence } = (await store.readFollowUp(lead.id)) ?? (await inForce(cadences, lead.kind))
  try {
    const restart = restartOf(cadence, 'staff', clock.now(), calendar.hoursFor(lead))
    return restart && { cadenceId, restart }
  } catch (error) {
    log.error({ err: error, lead: lead.id }, 'no one is reminded of a reply')
    return undefined
  }
}

async function inForce(cadences: CadenceVersions, kind: Kind) {
  const { id: cadenceId, cadence } = await cadences(kind)
  return { cadenceId, cadence }
}

/** People also reply in a new message, or with a program that does not refer to the original. */
export async function leadWithAddress(
  { store }: Pick<EffectServices, 'store'>,
  addresses: readonly string[],
): Promise<number | undefined> {
  for (const address of addresses) {
    const [lead] = await store.findLeadsAt(address, 'student')
    if (lead !== undefined) return lead.id
  }
  return undefined
}
