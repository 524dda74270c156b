/** What a letter to a student is made of, whichever it is. */
import type { Config } from '../config/config.ts'
import type { Lead } from '../leads/submission.ts'
import type { LetterView } from '../mail/messages.ts'
import type { Addressees } from './addressees.ts'

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
