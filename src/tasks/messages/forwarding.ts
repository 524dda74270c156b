/** Forwards mail to the watched mailbox that is about no lead to the team of admissions. */

import type { Addressees } from '../../mail/addressees.ts'
import type { Content, Messages } from '../../mail/messages.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'

type Dependencies = { store: Pick<Store, 'readStrays'>; addressees: Addressees; messages: Pick<Messages, 'forwarded'> }

/** How many mails one list names; it says if there are more, which stay in the mailbox. */
const MOST_LISTED = 200

/** One mail, or the list of a day. */
export async function forwardedMail(
  { store, addressees, messages }: Dependencies,
  { kind, subject }: Pick<Task, 'kind' | 'subject'>,
): Promise<Content | { skip: string }> {
  const which = kind === 'forward' ? { id: subject } : { day: subject }
  const mails = await store.readStrays({ ...which, limit: MOST_LISTED + 1 })
  if (mails.length === 0) {
    // Forwarding deletes it, so if the forwarded copy bounces, this is what a retry comes to.
    return { skip: 'it was deleted once it was forwarded; find it in the watched mailbox' }
  }
  return messages.forwarded({
    to: addressees.team('student'),
    mails: mails.slice(0, MOST_LISTED),
    more: mails.length > MOST_LISTED,
  })
}
