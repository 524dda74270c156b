/**
 * Handles one message from a watched mailbox: a reply ends the follow-up emails, and the counselor is
 * notified; a bounce or a complaint suppresses the address.
 */
import type { Inbound } from '../../mail/inbound/classify.ts'
import type { FetchedMessage } from '../../mail/inbound/mailbox.ts'
import type { NewAttachment } from '../../store/attachments/attachments.ts'
import { type Changes, type EffectServices, effectOfMessage, noChanges, type OwnMessage } from './effect-of-message.ts'
import { storeAttachments } from './incoming-attachments.ts'
import { effectOfReturn } from './returned.ts'

export type ReceiverServices = EffectServices & {
  /** Called when messages may have entered the outbox. */
  changed: () => void
}

/** Makes the function that handles one mailbox's messages: each once, even if two processes read the mailbox. */
export async function createReceiver(
  deps: ReceiverServices,
  mailbox: string,
): Promise<(message: FetchedMessage) => Promise<void>> {
  const { classify } = await import('../../mail/inbound/classify.ts')
  const { store, clock, config, changed, log } = deps
  const server = config.settings.mail.trustedServer
  return async message => {
    const { uidValidity, uid, arrivedAt, source, attachments } = message
    const inbound = await classify(source, { server, attachments })
    const changes = await changesOf(deps, inbound)
    const files = inbound.kind === 'reply' ? await filesFor(deps, message, changes) : []
    const record = { mailbox, uidValidity, uid, arrivedAt, ...withFiles(changes, files) }
    const recorded = await store.recordInbound(record, clock.now())
    // Deletes the files of an email that was recorded before, or that exceeds the limit of the day.
    await store.discardAttachments(files.flatMap(file => ('stored' in file ? file.stored : [])))
    if (!recorded) return
    const lead = changes.effect?.leadId
    log.info({ uid, kind: inbound.kind, lead }, 'a message was received')
    changed()
  }
}

/** Stores the files of an email that is recorded with a lead. The files of other emails stay in the mailbox. */
async function filesFor(
  deps: ReceiverServices,
  message: FetchedMessage,
  { effect }: Changes,
): Promise<NewAttachment[]> {
  if (effect === null || effect.event === null) return []
  return storeAttachments(deps, message, { leadId: effect.leadId, mail: effect.event.mail })
}

const withFiles = (changes: Changes, attachments: readonly NewAttachment[]): Changes =>
  changes.effect?.event
    ? { ...changes, effect: { ...changes.effect, event: { ...changes.effect.event, attachments } } }
    : changes

async function changesOf(deps: ReceiverServices, inbound: Inbound): Promise<Changes> {
  if (inbound.kind === 'other') return noChanges
  const sent = await ownMessage(deps, inbound.references)
  return inbound.kind === 'bounce' || inbound.kind === 'complaint'
    ? effectOfReturn(deps, inbound, sent)
    : effectOfMessage(deps, inbound, sent)
}

/** Our message that is replied to or returned; undefined if it is not ours, or no longer stored. */
async function ownMessage(
  { identity, store }: ReceiverServices,
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
