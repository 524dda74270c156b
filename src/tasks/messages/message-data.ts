/** The dependencies of the messages of tasks, and the data that several of them use. */
import type { Config } from '../../config/config.ts'
import type { Services } from '../../lead-actions/services.ts'
import { isPlainMailbox, NO_ADDRESS, UNSUPPORTED_ADDRESS } from '../../leads/body/email.ts'
import { signalNote } from '../../leads/body/screening.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { actorName, COMMAND_LINE, ownerName, type Roster } from '../../leads/lead/staff.ts'
import type { Content, PersonView } from '../../mail/message-definition.ts'
import type { Messages } from '../../mail/messages.ts'
import type { Addressee, Addressees } from '../../mail/staff-addressees.ts'
import type { LeadView } from '../../mail/variables/lead.ts'
import type { LeadOfSubmission } from '../../store/lookup/lead-of-submission.ts'
import type { Task } from '../../store/tasks/tasks.ts'

export type MessageServices = Omit<Services, 'settings' | 'changed'> & { messages: Messages }

/** Why there is nothing to send: either ever, or until a certain moment. */
export type NotSent = { skip: string } | { waitUntil: number; why?: string }

/** Makes the message of a task from what the store contains now. */
export type MakeContent = (deps: MessageServices, task: Task) => Promise<Content | NotSent>

/**
 * Replies go to the watched mailbox if there is one; otherwise to the counselor, the backup or the
 * team, whichever is present. The email names the counselor, present or not. `skip`: why nothing can go to the person.
 */
export async function personView(
  { config, addressees }: { config: Pick<Config, 'imapUrl'>; addressees: Addressees },
  lead: Lead,
  now: number,
): Promise<PersonView | { skip: string }> {
  const { email } = lead
  if (email === null) return { skip: NO_ADDRESS }
  if (!isPlainMailbox(email)) return { skip: UNSUPPORTED_ADDRESS }
  const to = { ...lead, email }
  const counselor = addressees.owner(lead)
  if (config.imapUrl !== undefined) return { lead: to, now, counselor, replyTo: undefined }
  const found = await addressees.find(lead, 'counselor', now)
  return { lead: to, now, counselor, replyTo: 'to' in found ? found.to : addressees.team(lead.kind) }
}

/** A lead with one of its submissions, for the member of the staff who has the role now; without one, the team. */
export async function viewForRole(
  deps: Pick<MessageServices, 'clock' | 'config' | 'addressees'>,
  about: LeadOfSubmission,
  role: 'team' | 'counselor',
): Promise<LeadView> {
  const { lead } = about
  const now = deps.clock.now()
  const found = await deps.addressees.find(lead, role, now)
  return staffView(deps, about, 'to' in found ? found : { to: deps.addressees.team(lead.kind), actor: undefined }, now)
}

/** Makes the same view for any addressee. */
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

/** The name, in words, of the person who did something. */
export const byWhom = (actor: string | null, roster: Roster): string | null =>
  actor === COMMAND_LINE ? 'the person who runs Frontdesk' : actor && actorName(actor, roster)
