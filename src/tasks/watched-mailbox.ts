/**
 * The watched mailbox: receives replies and bounces to our follow-up emails. A reply ends the emails,
 * and the counselor is notified; a bounce or a complaint suppresses the address.
 */
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { type Restart, restartOf } from '../follow-up/schedule.ts'
import { addressHash, emailKey } from '../leads/email.ts'
import type { Inbound, Reply } from '../mail/inbound/classify.ts'
import type { Bounce, Complaint } from '../mail/inbound/delivery-reports.ts'
import type { FetchedMessage, MailboxWatch } from '../mail/inbound/mailbox.ts'
import type { MessageIds } from '../mail/message-id.ts'
import type { Clock } from '../platform/time.ts'
import type { InboundRecord } from '../store/mailboxes.ts'
import type { MessageKey, SentMessage } from '../store/outbox.ts'
import type { LeadEvent } from '../store/person-events.ts'
import type { Store } from '../store/store.ts'

type Dependencies = {
  url: string
  config: Pick<Config, 'settings' | 'admissionsEmail' | 'partnershipsEmail' | 'mailFrom'>
  store: Store
  clock: Clock
  calendar: Calendar
  identity: MessageIds
  addressSecret: string
  /** Called when messages may have entered the outbox. */
  changed: () => void
  log: Logger
}

/** Watches the mailbox. Loads the libraries for it only here, because nothing else needs them. */
export async function watchInbox(deps: Dependencies): Promise<MailboxWatch> {
  const { watchMailbox, describeMailbox } = await import('../mail/inbound/mailbox.ts')
  const { classify } = await import('../mail/inbound/classify.ts')
  const { url, store, clock, changed, log } = deps
  // The name contains the user, but not the password, so it survives a change of password.
  const mailbox = `${describeMailbox(url)} ${addressHash(deps.addressSecret, new URL(url).username)}`
  return watchMailbox(url, {
    position: () => store.readMailboxPosition(mailbox),
    begin: place => store.setMailboxPosition(mailbox, place),
    handle: async ({ uidValidity, uid, source }: FetchedMessage) => {
      const inbound = await classify(source)
      const changes = await changesOf(deps, inbound)
      const record = { mailbox, uidValidity, uid, ...changes }
      if (!(await store.recordInbound(record, clock.now()))) return
      const lead = changes.effect?.leadId
      log.info({ uid, kind: inbound.kind, lead }, 'a message was received')
      changed()
    },
    log,
  })
}

/** The changes that a message causes: none if both are missing. */
type Changes = Pick<InboundRecord, 'effect' | 'returned'>

const noChanges: Changes = { effect: null }

async function changesOf(deps: Dependencies, inbound: Inbound): Promise<Changes> {
  if (inbound.kind === 'other') return noChanges
  const sent = await ownMessage(deps, inbound.references)
  return inbound.kind === 'bounce' || inbound.kind === 'complaint'
    ? effectOfReturn(deps, inbound, sent)
    : effectOfReply(deps, inbound, sent)
}

/**
 * A reply counts for the lead whose email it replies to, from any address; or it is a new message
 * from the lead's address. A message from the staff never counts as the student's reply.
 */
async function effectOfReply(
  deps: Dependencies,
  inbound: Reply,
  sent: OwnMessage | undefined,
): Promise<Changes> {
  if (isStaff(inbound.from, deps.config)) return noChanges
  const leadId = sent?.toStudent ? sent.leadId : await leadWithAddress(deps, [inbound.from])
  if (leadId === undefined) return noChanges
  const restarts = inbound.kind === 'reply' ? await restartedReminders(deps, leadId) : []
  return { effect: { leadId, event: { ...leadEventOf(inbound), restarts }, suppression: null } }
}

/**
 * A bounce or a complaint suppresses the address only if it is about an email that we really sent:
 * anyone could forge one of the others, so we only record those.
 */
async function effectOfReturn(
  deps: Dependencies,
  inbound: Bounce | Complaint,
  sent: OwnMessage | undefined,
): Promise<Changes> {
  if (sent !== undefined && !sent.toStudent) {
    const { kind, subject, step } = sent
    deps.log.error({ kind, subject }, 'a message to the staff bounced')
    return { effect: null, returned: { kind, subject, step, note: `bounced: ${inbound.note}` } }
  }
  const leadId = sent?.leadId ?? (await leadWithAddress(deps, inbound.recipients))
  if (leadId === undefined) return noChanges
  const event = leadEventOf(inbound)
  const found = sent && event.tell ? await deps.store.readLead(leadId) : undefined
  if (found === undefined)
    return { effect: { leadId, event: { ...event, tell: false }, suppression: null } }
  const hash = addressHash(deps.addressSecret, found.lead.email)
  const reason = inbound.kind === 'complaint' ? 'complaint' : 'bounced'
  return { effect: { leadId, event, suppression: { addressHash: hash, reason } } }
}

/** Whether messages from this address come from the staff. */
function isStaff(address: string, { settings, ...config }: Dependencies['config']): boolean {
  const { counselors, manager } = settings.admissions
  const known = [
    ...counselors.map(({ email }) => email),
    ...(manager ? [manager.email] : []),
    config.admissionsEmail,
    config.partnershipsEmail,
    config.mailFrom,
  ]
  return known.some(one => emailKey(one) === emailKey(address))
}

/** A student who replies waits for a human as on the first day, so the reminders to the staff restart. */
async function restartedReminders(
  { store, clock, calendar }: Dependencies,
  leadId: number,
): Promise<Restart[]> {
  const followUp = await store.readFollowUp(leadId)
  if (followUp === undefined) return []
  const { cadence, lead } = followUp
  return [restartOf(cadence, 'staff', clock.now(), calendar.hoursFor(lead.state)) ?? []].flat()
}

type OwnMessage = SentMessage & MessageKey

/** The message of ours that is replied to or returned, if it is one of ours and still stored. */
async function ownMessage(
  { identity, store }: Dependencies,
  references: readonly string[],
): Promise<OwnMessage | undefined> {
  // The last one is the one that is replied to (RFC 5322 section 3.6.4).
  for (const id of references.toReversed()) {
    const key = identity.read(id)
    const found = key && (await store.findMessage(key))
    if (key && found && identity.matches(id, { ...key, created_at: found.createdAt })) {
      return { ...key, ...found }
    }
  }
  return undefined
}

/** People also reply in a new message, or with a program that does not refer to the original. */
async function leadWithAddress(
  { store }: Dependencies,
  addresses: readonly string[],
): Promise<number | undefined> {
  for (const address of addresses) {
    const [lead] = await store.findStudentLeads(address)
    if (lead !== undefined) return lead.id
  }
  return undefined
}

function leadEventOf(inbound: Exclude<Inbound, { kind: 'other' }>): LeadEvent {
  switch (inbound.kind) {
    case 'reply':
      return { kind: 'reply', detail: inbound.text || inbound.subject, tell: true }
    // An automatic reply, or a mailbox that is full today, is recorded and changes nothing.
    case 'auto-reply':
      return { kind: 'auto-reply', detail: inbound.subject, tell: false }
    case 'bounce':
      return { kind: 'bounce', detail: inbound.note, tell: inbound.hard }
    case 'complaint':
      return { kind: 'complaint', detail: inbound.note, tell: true }
  }
}
