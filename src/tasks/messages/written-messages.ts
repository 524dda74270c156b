/** Emails that someone at the school writes to a person: what they look like, and what they reply to. */
import { buffer } from 'node:stream/consumers'
import { obstacleToWriting } from '../../lead-actions/write-email.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { AUTHOR_LEFT, actorName, MANAGER, ownerIdOf, staffIds } from '../../leads/lead/staff.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import type { Content } from '../../mail/message-definition.ts'
import type { MessageAttachment } from '../../mail/transport/message.ts'
import { SECOND } from '../../platform/time.ts'
import { attachmentContent } from '../../store/attachments/attachment-content.ts'
import type { Operator } from '../../store/operators/operators.ts'
import { type MakeContent, type MessageServices, personView } from './message-data.ts'

/** An email that someone at the school writes to a person. */
export type WrittenDraft = {
  subject: string
  text: string
  /** Who wrote it: the id of a counselor, or the words that a timeline uses. */
  author: string
  answers: string | undefined
  attachments: readonly MessageAttachment[]
}

/** If attachments are not scanned yet, an email waits this long before it looks again, in milliseconds. */
const LOOK_AGAIN = 10 * SECOND

/** The message of an entry, or why it must not be sent: that is checked again just before it is sent. */
export const writtenContent: MakeContent = async (deps, { subject }) => {
  const found = await deps.store.readMessage(subject)
  if (found === undefined) return { skip: 'the lead was erased' }
  const { entry, lead } = found
  const answersClosed = entry.was?.stage === 'closed'
  const author = await authorOf(deps, entry)
  if (author === undefined) return { skip: AUTHOR_LEFT }
  const obstacle = await obstacleToWriting(deps, lead, { answersClosed })
  if (obstacle !== undefined) return { skip: obstacle }
  const { attachments = [] } = entry
  const infected = attachments.find(({ state }) => state === 'infected')
  if (infected) return { skip: `the scanner found a virus in ${infected.name}` }
  if (attachments.some(({ state }) => state === 'unchecked'))
    return { waitUntil: deps.clock.now() + LOOK_AGAIN, why: 'waits until its attachments are scanned' }
  return draftMessage(deps, lead, {
    subject: entry.mail?.subject ?? '',
    text: entry.detail,
    author,
    answers: entry.mail?.answers,
    attachments: attachments.map(one => ({
      ...one,
      size: one.size ?? 0,
      read: () => buffer(attachmentContent(deps.store, one)),
    })),
  })
}

/**
 * Who wrote an email, as in a draft; undefined if they no longer work here: the operator who wrote it or, if the entry
 * does not say who that was, the last one with this name or address. The console withdraws what someone has scheduled
 * when they leave; this finds what is left when the process died meanwhile, or when they were disabled with a command.
 */
async function authorOf(
  { store, config }: MessageServices,
  { actor, mail }: TimelineEntry,
): Promise<string | undefined> {
  const { admissions } = config.settings
  const onTeam = actor === null || staffIds(admissions).includes(actor)
  // All managers have the same id, one after the other, so the operator says which of them wrote it.
  if (onTeam && (actor !== MANAGER || mail?.operator === undefined)) return actor ?? ''
  const isAuthor = ({ id, name, email }: Operator): boolean =>
    mail?.operator === undefined ? [name, email].includes(actor ?? '') : id === mail.operator
  const author = (await store.listOperators()).find(isAuthor)
  if (onTeam && author !== undefined && ownerIdOf(author.email, admissions) === MANAGER) return MANAGER
  if (author === undefined || author.disabled) return undefined
  return actor === MANAGER ? author.name : actor
}

/**
 * The message that a draft becomes. Replies go to the watched mailbox if there is one, otherwise to the
 * author or, if they are not in the settings, to the counselor or the team.
 */
export async function draftMessage(
  deps: Pick<MessageServices, 'clock' | 'config' | 'addressees' | 'messages'>,
  lead: Lead,
  { author, subject, text, answers, attachments }: WrittenDraft,
): Promise<Content | { skip: string }> {
  const { config, addressees, messages, clock } = deps
  const view = await personView(deps, lead, clock.now())
  if ('skip' in view) return view
  const self = addressees.member(author, lead.kind)?.to
  const replyTo = view.replyTo && (self ?? view.replyTo)
  const name = actorName(author, config.settings.admissions)
  return messages.personal({ ...view, replyTo, author: name, subject, text, answers, attachments })
}
