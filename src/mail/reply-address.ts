/** The parts of a message that say who it goes to, which lead it is about, and who gets a reply. */
import { asciiMailbox, isPlainMailbox } from '../leads/body/email.ts'
import type { Submission } from '../leads/body/submission.ts'
import type { Lead } from '../leads/lead/lead.ts'
import type { Content, PersonView } from './message-definition.ts'

export const toPerson = ({ lead, replyTo }: PersonView) => ({
  to: { name: '', address: asciiMailbox(lead.email) },
  ...aboutLead({ lead }),
  ...(replyTo && { replyTo }),
})

export const aboutLead = ({ lead: { id, createdAt } }: { lead: Lead }): Partial<Content> => ({
  lead: { id, createdAt },
})

/**
 * Replies go to the person, unless the local part of their address needs SMTPUTF8: a relay without it may
 * reject the whole message. The message then says so.
 */
export function replyToPerson({ lead, submission }: { lead: Lead; submission: Submission }): Partial<Content> {
  const { email, firstName, lastName } = submission.body
  if (email === undefined || !isPlainMailbox(email)) return aboutLead({ lead })
  return { ...aboutLead({ lead }), ...replyToAddress(email, displayName(`${firstName} ${lastName}`)) }
}

export const replyUnlessSuppressed = (view: { lead: Lead; submission: Submission; suppressed: unknown }) =>
  view.suppressed ? aboutLead(view) : replyToPerson(view)

export const replyToAddress = (address: string, name = ''): Partial<Content> => ({
  replyTo: { name, address: asciiMailbox(address) },
})

/** Letters, digits and the punctuation of names: nothing that has a meaning in a header. */
const displayName = (name: string): string =>
  name
    .replace(/[^\p{L}\p{M}\p{N} .'’-]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
