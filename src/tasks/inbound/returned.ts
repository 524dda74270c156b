/** Decides what changes if one of our emails bounces, or someone complains about it. */
import { addressHash, emailKey } from '../../leads/body/email.ts'
import { mailboxHash } from '../../leads/body/mailbox-key.ts'
import { addressAt, knownAddress } from '../../leads/lead/corrections.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { Bounce, Complaint } from '../../mail/inbound/delivery-reports.ts'
import type { LeadEvent } from '../../store/mail/person-events.ts'
import { undeliveredReport } from '../messages/undelivered.ts'
import { type Changes, type EffectServices, leadWithAddress, noChanges, type OwnMessage } from './effect-of-message.ts'

/**
 * A bounce or a complaint counts only if it returns an email that we really sent: it must contain that email's mark.
 * Anyone can forge a bounce without the mark, so those are only recorded. Our Message-ID is not enough: everyone who
 * takes part in a conversation learns the Message-IDs in it.
 */
export async function effectOfReturn(
  deps: EffectServices,
  inbound: Bounce | Complaint,
  sent: OwnMessage | undefined,
): Promise<Changes> {
  const proven = sent !== undefined && isMarked(deps, inbound, sent)
  if (proven && !sent.toStudent) return staffReturn(deps, inbound, sent)
  const leadId = sent?.leadId ?? (await leadWithAddress(deps, inbound.recipients))
  const lead = leadId === undefined ? undefined : await deps.store.findExactLead(leadId)
  if (lead === undefined) return noChanges
  // Emails to a lead that was merged into another go to the address of the kept lead.
  const kept = (await deps.store.findLead(lead.id)) ?? lead
  const event = leadEventOf(inbound)
  if (!proven) {
    const unproven = { ...event, tell: false, mail: { unproven: true } } as const
    return { effect: { leadId: lead.id, event: unproven, suppression: null } }
  }
  if (!event.tell) return { effect: { leadId: lead.id, event, suppression: null } }
  const reason = inbound.kind === 'complaint' ? 'complaint' : 'bounced'
  // A bounce counts for this one address only: anyone could have invented an address in someone else's mailbox.
  const hashOf = reason === 'bounced' ? addressHash : mailboxHash
  const corrections = await deps.store.readCorrections(lead)
  const email =
    knownAddress(lead, corrections, inbound.recipients) ??
    knownAddress(kept, [], inbound.recipients) ??
    addressAt(lead, corrections, sent.sentAt)
  // The returned email went to the person, so they had an address then; it may have been removed since.
  if (email === null) return { effect: { leadId: lead.id, event, suppression: null } }
  const suppression = { addressHash: hashOf(deps.addressSecret, email), reason } as const
  // If someone has corrected the address since, there is nothing left to do about it.
  const isOf = (one: Lead) => emailKey(email) === emailKey(one.email ?? '')
  if (isOf(kept)) return { effect: { leadId: lead.id, event, suppression } }
  const about = isOf(lead) ? { ...event, tell: false, mail: { address: email } } : null
  return { effect: { leadId: lead.id, event: about, suppression } }
}

const isMarked = (
  { identity }: EffectServices,
  { marks }: Bounce | Complaint,
  { createdAt, ...sent }: OwnMessage,
): boolean => marks.some(mark => identity.isMarkOf(mark, { ...sent, created_at: createdAt }))

/** A message to the staff came back: someone else at the school is notified. */
async function staffReturn(
  { store, clock, addressees, log }: EffectServices,
  inbound: Bounce | Complaint,
  { kind, subject, step, leadId }: OwnMessage,
): Promise<Changes> {
  log.error({ kind, subject }, 'a message to the staff bounced')
  const note = `bounced: ${inbound.note}`
  if (leadId === null) return { effect: null, returned: { kind, subject, step, note, about: null } }
  const lead = await store.findLead(leadId)
  if (lead === undefined) return noChanges
  // If a mailbox forwards its mail, the bounce may name another address. Most messages go to the owner.
  const [known] = inbound.recipients.flatMap(address => addressees.staffAt(address, lead.kind) ?? [])
  const to = known ?? addressees.owner(lead) ?? addressees.team(lead.kind)
  const report = undeliveredReport({ addressees }, lead, to, reasonOf(inbound), clock.now())
  return { effect: null, returned: { kind, subject, step, note, about: { leadId, report } } }
}

/**
 * The text leaves out the words of the report, which are in the note for the operator. If the text differed each time,
 * two people would be notified about each other's bounces forever.
 */
function reasonOf(inbound: Bounce | Complaint): string {
  if (inbound.kind === 'complaint') return 'The email was reported as spam.'
  return inbound.hard
    ? 'The email came back: the mail server does not accept mail for this address.'
    : 'The email came back.'
}

/** The counselor is notified of a permanent bounce and of a complaint; a full mailbox is only recorded. */
function leadEventOf(inbound: Bounce | Complaint): LeadEvent {
  return inbound.kind === 'bounce'
    ? { kind: 'bounce', detail: inbound.note, tell: inbound.hard }
    : { kind: 'complaint', detail: inbound.note, tell: true }
}
