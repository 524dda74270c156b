/** The watched mailbox: connects it to the code that handles its messages. */
import { addressHash } from '../../leads/body/email.ts'
import type { MailboxWatch } from '../../mail/inbound/mailbox.ts'
import { createReceiver, type ReceiverServices } from './incoming.ts'

type MailboxServices = ReceiverServices & { url: string }

/** Watches the mailbox. Loads the libraries for it only here, because nothing else needs them. */
export async function watchInbox(deps: MailboxServices): Promise<MailboxWatch> {
  const { watchMailbox, describeMailbox } = await import('../../mail/inbound/mailbox.ts')
  const { url, store, clock, log } = deps
  // The name contains the user, but not the password, so it survives a change of password.
  const mailbox = `${describeMailbox(url)} ${addressHash(deps.addressSecret, new URL(url).username)}`
  return watchMailbox(url, {
    position: () => store.readMailboxPosition(mailbox),
    begin: place => store.setMailboxPosition(mailbox, { ...place, lastArrival: place.lastArrival ?? clock.now() }),
    handle: await createReceiver(deps, mailbox),
    log,
  })
}
