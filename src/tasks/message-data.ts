/** What messages are made of, whichever it is: letters to a student, and what the staff gets. */
import type { Config } from '../config/config.ts'
import type { Lead } from '../leads/lead.ts'
import { signalNote } from '../leads/screening.ts'
import type { LeadView, LetterView } from '../mail/render-messages.ts'
import type { LeadOfSubmission } from '../store/leads.ts'
import type { Addressee, Addressees } from './addressees.ts'

/**
 * Answers go to the watched mailbox where there is one, else to whoever is present of the counselor,
 * the backup and the team. The letter names the counselor, present or not.
 */
export async function letterView(
  lead: Lead,
  now: number,
  { imapUrl }: Pick<Config, 'imapUrl'>,
  addressees: Addressees,
): Promise<LetterView> {
  const counselor = addressees.owner(lead)
  if (imapUrl !== undefined) return { lead, now, counselor, replyTo: undefined }
  const found = await addressees.find(lead, 'counselor', now)
  return { lead, now, counselor, replyTo: 'to' in found ? found.to : addressees.team(lead.kind) }
}

/** A lead with one of its submissions, as somebody of the staff gets to see it. */
export function staffView(
  { lead, submission, earlier, signals }: LeadOfSubmission,
  addressee: Addressee,
  now: number,
  addressees: Addressees,
): LeadView {
  const notes = signals.map(signalNote)
  const owner = addressees.owner(lead)?.name ?? null
  return { lead, submission, earlier, notes, owner, now, ...addressee }
}
