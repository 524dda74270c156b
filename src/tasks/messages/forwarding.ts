/** Forwards mail to the watched mailbox that is about no lead to the team of admissions. */
import type { MakeContent } from './message-data.ts'

/** How many mails one list names; it says if there are more, which stay in the mailbox. */
const MOST_LISTED = 200

/** One mail, or the list of a day. */
export const forwardedContent: MakeContent = async ({ store, addressees, messages }, { kind, subject }) => {
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
