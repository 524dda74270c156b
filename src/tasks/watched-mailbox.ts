/**
 * The inbox: what comes back to the mailbox that our letters are sent from. An answer ends the letters
 * and is told to the counselor; mail that cannot be delivered, and complaints, end them for good.
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
import type { LeadEvent } from '../store/lead-events.ts'
import type { InboundRecord } from '../store/mailboxes.ts'
import type { MessageKey, SentMessage } from '../store/outbox.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../time.ts'

type Parts = {
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

/** Watches the mailbox. It loads what that takes, which nobody else needs. */
export async function watchInbox(parts: Parts): Promise<MailboxWatch> {
  const { watchMailbox, describeMailbox } = await import('../mail/inbound/mailbox.ts')
  const { classify } = await import('../mail/inbound/classify.ts')
  const { url, store, clock, changed, log } = parts
  // Without the password: the name stays the same when that is changed. Users are told apart.
  const mailbox = `${describeMailbox(url)} ${addressHash(parts.addressSecret, new URL(url).username)}`
  return watchMailbox(url, {
    position: () => store.readMailboxPosition(mailbox),
    begin: place => store.setMailboxPosition(mailbox, place),
    handle: async ({ uidValidity, uid, source }: FetchedMessage) => {
      const inbound = await classify(source)
      const meaning = await understand(inbound, parts)
      const record = { mailbox, uidValidity, uid, ...meaning }
      if (!(await store.recordInbound(record, clock.now()))) return
      const lead = meaning.about?.leadId
      log.info({ uid, kind: inbound.kind, lead }, 'a message came back')
      changed()
    },
    log,
  })
}

/** What is to be done about a message: nothing where both are missing. */
type Meaning = Pick<InboundRecord, 'about' | 'returned'>

const nothing: Meaning = { about: null }

async function understand(inbound: Inbound, parts: Parts): Promise<Meaning> {
  if (inbound.kind === 'other') return nothing
  const sent = await messageOf(inbound.references, parts)
  return inbound.kind === 'bounce' || inbound.kind === 'complaint'
    ? understandReturn(inbound, sent, parts)
    : understandAnswer(inbound, sent, parts)
}

/**
 * An answer counts for the lead whose letter it answers, from whatever address; or it is a message of
 * its own, from the lead's address. What our own people write is never the student's answer.
 */
async function understandAnswer(
  inbound: Reply,
  sent: Known | undefined,
  parts: Parts,
): Promise<Meaning> {
  if (isStaff(inbound.from, parts.config)) return nothing
  const leadId = sent?.toStudent ? sent.leadId : await leadOfAddresses([inbound.from], parts)
  if (leadId === undefined) return nothing
  const restarts = inbound.kind === 'reply' ? await remindersAgain(leadId, parts) : []
  return { about: { leadId, news: { ...newsOf(inbound), restarts }, suppress: null } }
}

/**
 * Returned mail and complaints stop letters only where they are about a letter that we really sent:
 * anybody could make up the rest, which is noted and no more.
 */
async function understandReturn(
  inbound: Bounce | Complaint,
  sent: Known | undefined,
  parts: Parts,
): Promise<Meaning> {
  if (sent !== undefined && !sent.toStudent) {
    const { kind, subject, step } = sent
    parts.log.error({ kind, subject }, 'a message to the staff came back')
    return { about: null, returned: { kind, subject, step, note: `came back: ${inbound.note}` } }
  }
  const leadId = sent?.leadId ?? (await leadOfAddresses(inbound.recipients, parts))
  if (leadId === undefined) return nothing
  const news = newsOf(inbound)
  const found = sent && news.tell ? await parts.store.readLead(leadId) : undefined
  if (found === undefined)
    return { about: { leadId, news: { ...news, tell: false }, suppress: null } }
  const hash = addressHash(parts.addressSecret, found.lead.email)
  const reason = inbound.kind === 'complaint' ? 'complaint' : 'bounced'
  return { about: { leadId, news, suppress: { addressHash: hash, reason } } }
}

/** The addresses that messages of the staff may come from. */
function isStaff(address: string, { settings, ...config }: Parts['config']): boolean {
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

/** Who answers waits for a human as on the first day, so the reminders to the staff begin again. */
async function remindersAgain(
  leadId: number,
  { store, clock, calendar }: Parts,
): Promise<Restart[]> {
  const followUp = await store.readFollowUp(leadId)
  if (followUp === undefined) return []
  const { cadence, lead } = followUp
  return [restartOf(cadence, 'staff', clock.now(), calendar.hoursFor(lead.state)) ?? []].flat()
}

type Known = SentMessage & MessageKey

/** The message of ours that is answered or returned, if it is one of ours and still known here. */
async function messageOf(
  references: readonly string[],
  { identity, store }: Parts,
): Promise<Known | undefined> {
  // The last is the one that is answered (RFC 5322 section 3.6.4).
  for (const id of references.toReversed()) {
    const key = identity.read(id)
    const found = key && (await store.findMessage(key))
    if (key && found && identity.matches(id, { ...key, created_at: found.createdAt })) {
      return { ...key, ...found }
    }
  }
  return undefined
}

/** People also answer with a message of its own, or from a program that forgets what it answers. */
async function leadOfAddresses(
  addresses: readonly string[],
  { store }: Parts,
): Promise<number | undefined> {
  for (const address of addresses) {
    const [lead] = await store.findStudentLeads(address)
    if (lead !== undefined) return lead.id
  }
  return undefined
}

function newsOf(inbound: Exclude<Inbound, { kind: 'other' }>): LeadEvent {
  switch (inbound.kind) {
    case 'reply':
      return { kind: 'reply', detail: inbound.text || inbound.subject, tell: true }
    // A machine that answers, and a mailbox that is full today, are noted and change nothing.
    case 'auto-reply':
      return { kind: 'auto-reply', detail: inbound.subject, tell: false }
    case 'bounce':
      return { kind: 'bounce', detail: inbound.note, tell: inbound.hard }
    case 'complaint':
      return { kind: 'complaint', detail: inbound.note, tell: true }
  }
}
