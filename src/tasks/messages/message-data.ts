/** The data that several messages are made of: emails to a student, and messages to the staff. */
import type { Config } from '../../config/config.ts'
import { signalNote } from '../../leads/body/screening.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import type { Addressee, Addressees } from '../../mail/addressees.ts'
import type { PersonView } from '../../mail/message-definition.ts'
import type { LeadView } from '../../mail/variables/lead.ts'
import type { LeadOfSubmission } from '../../store/lookup/lead-of-submission.ts'

type Dependencies = { config: Pick<Config, 'imapUrl'>; addressees: Addressees }

/**
 * Replies go to the watched mailbox if there is one; otherwise to the counselor, the backup or the
 * team, whichever is present. The email names the counselor, present or not.
 */
export async function personView({ config, addressees }: Dependencies, lead: Lead, now: number): Promise<PersonView> {
  const counselor = addressees.owner(lead)
  if (config.imapUrl !== undefined) return { lead, now, counselor, replyTo: undefined }
  const found = await addressees.find(lead, 'counselor', now)
  return { lead, now, counselor, replyTo: 'to' in found ? found.to : addressees.team(lead.kind) }
}

/** A lead with one of its submissions, as a member of the staff sees it. */
export function staffView(
  { config }: { config: Pick<Config, 'settings'> },
  about: LeadOfSubmission & { reply?: string | undefined },
  addressee: Addressee,
  now: number,
): LeadView {
  const { lead, signals, submission, answers, earlier, phones, reply } = about
  const notes = signals.map(signalNote)
  const owner = lead.owner && ownerName(lead.owner, config.settings.admissions)
  return { lead, submission, answers, earlier, phones, reply, notes, owner, now, ...addressee }
}
