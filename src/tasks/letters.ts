/** What a letter to a student is made of, whichever it is. */
import type { Config } from '../config/config.ts'
import type { Lead } from '../leads/submission.ts'
import type { LetterView } from '../mail/messages.ts'
import type { Addressees } from './addressees.ts'

/** Answers go to the watched mailbox where there is one, else to the counselor, else to the team. */
export function letterView(
  lead: Lead,
  now: number,
  { imapUrl }: Pick<Config, 'imapUrl'>,
  addressees: Addressees,
): LetterView {
  const counselor = addressees.owner(lead)
  const replyTo = imapUrl === undefined ? (counselor ?? addressees.team(lead.kind)) : undefined
  return { lead, now, counselor, replyTo }
}
