/**
 * The watched mailbox: receives replies and bounces to our follow-up emails. A reply ends the emails,
 * and the counselor is notified; a bounce or a complaint suppresses the address.
 */
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { addressHash } from '../leads/email.ts'
import type { Inbound } from '../mail/inbound/classify.ts'
import type { Bounce, Complaint } from '../mail/inbound/delivery-reports.ts'
import type { FetchedMessage, MailboxWatch } from '../mail/inbound/mailbox.ts'
import type { MessageIds } from '../mail/message-id.ts'
import type { Clock } from '../platform/time.ts'
import type { MessageKey, SentMessage } from '../store/outbox.ts'
import type { LeadEvent } from '../store/person-events.ts'
import type { Store } from '../store/store.ts'
import type { Addressees } from './addressees.ts'
import { type Changes, effectOfMessage, leadWithAddress, noChanges } from './inbound-effects.ts'
import { undeliveredReport } from './undelivered.ts'

type Dependencies = {
  url: string
  config: Pick<Config, 'settings' | 'admissionsEmail' | 'partnershipsEmail' | 'mailFrom'>
  store: Store
  clock: Clock
  calendar: Calendar
  addressees: Pick<Addressees, 'owner' | 'staffAt' | 'team' | 'otherMailbox'>
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
  const { MAX_SOURCE } = await import('../mail/inbound/imap.ts')
  const { url, store, clock, config, changed, log } = deps
  // The name contains the user, but not the password, so it survives a change of password.
  const mailbox = `${describeMailbox(url)} ${addressHash(deps.addressSecret, new URL(url).username)}`
  return watchMailbox(url, {
    position: () => store.readMailboxPosition(mailbox),
    begin: place => store.setMailboxPosition(mailbox, place),
    handle: async ({ uidValidity, uid, source }: FetchedMessage) => {
      const whole = source.length < MAX_SOURCE
      const server = config.settings.mail.trustedServer
      const inbound = await classify(source, { server, whole })
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

async function changesOf(deps: Dependencies, inbound: Inbound): Promise<Changes> {
  if (inbound.kind === 'other') return noChanges
  const sent = await ownMessage(deps, inbound.references)
  return inbound.kind === 'bounce' || inbound.kind === 'complaint'
    ? effectOfReturn(deps, inbound, sent)
    : effectOfMessage(deps, inbound, sent)
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
  if (sent !== undefined && !sent.toStudent) return staffReturn(deps, inbound, sent)
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

/** A message to the staff came back: someone else at the school learns of it. */
async function staffReturn(
  { store, clock, addressees, log }: Dependencies,
  inbound: Bounce | Complaint,
  { kind, subject, step, leadId }: OwnMessage,
): Promise<Changes> {
  log.error({ kind, subject }, 'a message to the staff bounced')
  const note = `bounced: ${inbound.note}`
  if (leadId === null) return { effect: null, returned: { kind, subject, step, note, about: null } }
  const lead = (await store.readLead(leadId))?.lead
  if (lead === undefined) return noChanges
  // A mailbox that forwards its mail may be named by another address. Most messages go to the owner.
  const [known] = inbound.recipients.flatMap(
    address => addressees.staffAt(address, lead.kind) ?? [],
  )
  const to = known ?? addressees.owner(lead) ?? addressees.team(lead.kind)
  const report = undeliveredReport({ addressees }, lead, to, reasonOf(inbound), clock.now())
  return { effect: null, returned: { kind, subject, step, note, about: { leadId, report } } }
}

/**
 * Without the words of the report. They are in the note, for the operator; here, words that differ each time
 * would notify two people of each other's bounces forever.
 */
function reasonOf(inbound: Bounce | Complaint): string {
  if (inbound.kind === 'complaint') return 'The email was reported as spam.'
  return inbound.hard
    ? 'The email came back: the mail server does not accept mail for this address.'
    : 'The email came back.'
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

/** The counselor learns of a bounce for good and of a complaint; a mailbox that is full today is only recorded. */
function leadEventOf(inbound: Bounce | Complaint): LeadEvent {
  return inbound.kind === 'bounce'
    ? { kind: 'bounce', detail: inbound.note, tell: inbound.hard }
    : { kind: 'complaint', detail: inbound.note, tell: true }
}
