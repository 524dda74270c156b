/** Emails that someone at the school writes to a person: what they look like, and what they reply to. */
import { obstacleToWriting } from '../../lead-actions/write-email.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { actorName } from '../../leads/lead/staff.ts'
import type { Content } from '../../mail/message-definition.ts'
import { type MakeContent, type MessageServices, personView } from './message-data.ts'

/** An email that someone at the school writes to a person. */
export type WrittenDraft = {
  subject: string
  text: string
  /** Who wrote it: the id of a counselor, or the words of a timeline. */
  author: string
  answers: string | undefined
}

/** The message of an entry, or why it must not be sent: that is checked again just before the send. */
export const writtenContent: MakeContent = async (deps, { subject }) => {
  const found = await deps.store.readMessage(subject)
  if (found === undefined) return { skip: 'the lead was erased' }
  const { entry, lead } = found
  const answersClosed = entry.was?.stage === 'closed'
  const obstacle = await obstacleToWriting(deps, lead, { answersClosed })
  if (obstacle !== undefined) return { skip: obstacle }
  return draftMessage(deps, lead, {
    subject: entry.mail?.subject ?? '',
    text: entry.detail,
    author: entry.actor ?? '',
    answers: entry.mail?.answers,
  })
}

/**
 * The message that a draft becomes. Replies go to the watched mailbox if there is one, otherwise to the
 * author or, if they are not in the settings, to the counselor or the team.
 */
export async function draftMessage(
  deps: Pick<MessageServices, 'clock' | 'config' | 'addressees' | 'messages'>,
  lead: Lead,
  { author, subject, text, answers }: WrittenDraft,
): Promise<Content | { skip: string }> {
  const { config, addressees, messages, clock } = deps
  const view = await personView(deps, lead, clock.now())
  if ('skip' in view) return view
  const self = addressees.member(author, lead.kind)?.to
  const replyTo = view.replyTo && (self ?? view.replyTo)
  const name = actorName(author, config.settings.admissions)
  return messages.personal({ ...view, replyTo, author: name, subject, text, answers })
}
