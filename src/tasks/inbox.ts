/**
 * The inbox: what comes back to the mailbox that our letters are sent from. An answer ends the letters
 * and is told to the counselor; mail that cannot be delivered, and complaints, end them for good.
 */
import type { Logger } from 'pino'
import { dueAt, type Step, trackOf } from '../follow-up/cadence.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { addressHash } from '../leads/address-hash.ts'
import type { Identity } from '../mail/identity.ts'
import type { Inbound } from '../mail/inbound/classify.ts'
import type { Arrived, MailboxWatch } from '../mail/inbound/mailbox.ts'
import type { News } from '../store/actions.ts'
import type { Restart } from '../store/steps.ts'
import type { Store } from '../store/store.ts'
import type { About } from '../store/wishes.ts'

type Parts = {
  url: string
  store: Store
  clock: { now(): number }
  calendar: Calendar
  identity: Identity
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
  // Without the password: the name stays the same when that is changed.
  const mailbox = describeMailbox(url)
  return watchMailbox(url, {
    place: () => store.readMailboxPlace(mailbox),
    begin: place => store.setMailboxPlace(mailbox, place),
    handle: async ({ uidValidity, uid, source }: Arrived) => {
      const inbound = await classify(source)
      const about = await understand(inbound, parts)
      const fresh = await store.recordInbound({ mailbox, uidValidity, uid, about }, clock.now())
      if (!fresh) return
      log.info({ uid, kind: inbound.kind, lead: about?.leadId }, 'a message came back')
      changed()
    },
    log,
  })
}

/** What a message means for which lead; null where it means nothing for any. */
async function understand(inbound: Inbound, parts: Parts): Promise<About | null> {
  if (inbound.kind === 'other') return null
  const leadId =
    (await leadOfReferences(inbound.references, parts)) ??
    (await leadOfAddresses('from' in inbound ? [inbound.from] : inbound.recipients, parts))
  if (leadId === undefined) return null
  const news = { ...newsOf(inbound), restart: await remindersAgain(inbound, leadId, parts) }
  const reason =
    inbound.kind === 'complaint'
      ? 'complaint'
      : inbound.kind === 'bounce' && inbound.hard
        ? 'bounced'
        : undefined
  if (reason === undefined) return { leadId, news, suppress: null }
  const found = await parts.store.readLead(leadId)
  if (found === undefined) return null
  const hash = addressHash(parts.addressSecret, found.lead.email)
  return { leadId, news, suppress: { addressHash: hash, reason } }
}

/** Who answers waits for a human as on the first day, so the reminders to the staff begin again. */
async function remindersAgain(
  { kind }: Inbound,
  leadId: number,
  { store, clock, calendar }: Parts,
): Promise<Restart | undefined> {
  const followUp = kind === 'reply' ? await store.readFollowUp(leadId) : undefined
  if (followUp === undefined) return undefined
  const { cadence, lead } = followUp
  const steps = [...cadence.keys()].filter(i => trackOf(cadence[i] as Step) === 'staff')
  const [step] = steps
  if (step === undefined) return undefined
  const start = { start: clock.now() }
  return {
    steps,
    first: { step, dueAt: dueAt(cadence, step, start, calendar.clocksFor(lead.state)) },
  }
}

/** The lead that a message of ours was about, if it is one of ours and is answered here. */
async function leadOfReferences(
  references: readonly string[],
  { identity, store }: Parts,
): Promise<number | undefined> {
  // The last is the one that is answered (RFC 5322 section 3.6.4).
  for (const id of references.toReversed()) {
    const key = identity.read(id)
    const found = key && (await store.findMessage(key))
    if (key && found && identity.matches(id, { ...key, created_at: found.createdAt })) {
      return found.leadId
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

function newsOf(inbound: Exclude<Inbound, { kind: 'other' }>): News {
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
