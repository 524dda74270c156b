/** The parts of a message that say who it goes to, and who gets a reply. */
import { asciiMailbox, isPlainMailbox } from '../leads/body/email.ts'
import type { Submission } from '../leads/body/submission.ts'
import type { Lead } from '../leads/lead/lead.ts'
import type { Mailbox } from './transport/message.ts'
import type { LetterView } from './variables/letter.ts'

/** To the person of a lead. */
export const addressed = ({ lead, replyTo }: Pick<LetterView, 'lead' | 'replyTo'>) => ({
  to: { name: '', address: asciiMailbox(lead.email) },
  lead: aboutOf(lead),
  ...(replyTo && { replyTo }),
})

export const aboutOf = ({ id, createdAt }: Lead) => ({ id, createdAt })

/**
 * The person's address for replies. Left out if its local part needs SMTPUTF8: a relay without it may
 * reject the whole message. The message then says so.
 */
export function replyTo({ body }: Submission): { replyTo?: Mailbox } {
  if (!isPlainMailbox(body.email)) return {}
  const name = displayName(`${body.firstName} ${body.lastName}`)
  return { replyTo: { name, address: asciiMailbox(body.email) } }
}

/** Letters, digits and the punctuation of names: nothing that has a meaning in a header. */
const displayName = (name: string): string =>
  name
    .replace(/[^\p{L}\p{M}\p{N} .'’-]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
