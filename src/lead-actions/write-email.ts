/** Writing an email to a person, to be sent now or at a time within the next year. */
import { callMoment } from '../follow-up/call-moment.ts'
import { suppressedNote } from '../follow-up/stop-conditions.ts'
import { obstacleToMail } from '../leads/body/email.ts'
import { suppressionHashes } from '../leads/body/mailbox-key.ts'
import { isBlank, textProblem, tidy } from '../leads/body/tidy-text.ts'
import type { Lead } from '../leads/lead/lead.ts'
import { reasonName } from '../leads/lead/stages.ts'
import type { MessageIds } from '../mail/message-id.ts'
import { SECOND } from '../platform/time.ts'
import type { WrittenMessage } from '../store/mail/messages.ts'
import { actedOn, andTell, type By, type Invalid, invalid, type Services } from './services.ts'

/** The longest text, in characters. */
export const LONGEST_TEXT = 10_000
export const LONGEST_SUBJECT = 120

/** How long sending can be undone, in milliseconds. */
const UNDO_SENDING = 10 * SECOND

/**
 * What someone typed. Without a day, the email goes out immediately; with a day but no time, when the school opens. The
 * signature goes below the text, and may be empty.
 */
type Input = {
  subject: string
  text: string
  signature?: string | undefined
  day?: string | undefined
  time?: string | undefined
}

export type Draft = { subject: string; text: string; dueAt: number; scheduled: boolean }

/** The email as it will be sent, or a sentence about what is wrong with it. */
export function readDraft({ clock, calendar, settings }: Services, input: Input): Draft | { problem: string } {
  const [subject, typed] = [tidy(input.subject), tidy(input.text)]
  if (isBlank(subject)) return { problem: 'The subject must not be empty.' }
  if (isBlank(typed)) return { problem: 'The message must not be empty.' }
  const wrong = textProblem(subject, 'one')
  if (wrong !== undefined) return { problem: `The subject ${wrong}.` }
  const wrongText = textProblem(typed, 'many')
  if (wrongText !== undefined) return { problem: `The message ${wrongText}.` }
  if (subject.length > LONGEST_SUBJECT)
    return { problem: `The subject must have at most ${LONGEST_SUBJECT} characters.` }
  if (typed.length > LONGEST_TEXT) return { problem: `The message must have at most ${LONGEST_TEXT} characters.` }
  const text = [typed, input.signature].filter(Boolean).join('\n\n')
  const now = clock.now()
  if (!input.day) return { subject, text, dueAt: now + UNDO_SENDING, scheduled: false }
  const at = { day: input.day, time: input.time ?? '' }
  const dueAt = callMoment(at, { hours: calendar.school, timeZone: settings.school.timeZone, now })
  return typeof dueAt === 'string' ? { problem: dueAt } : { subject, text, dueAt, scheduled: true }
}

/** `obstacle`: no one can write to the person from here; `why` is the reason. */
export type Written = (WrittenMessage & Pick<Draft, 'dueAt' | 'scheduled'>) | { outcome: 'obstacle'; why: string }

/** `reached`: the person counts as reached once it is sent. `token`: one button, which sends one email. */
export async function writeEmail(
  services: Services & { identity: MessageIds },
  lead: Lead,
  { reached, token, ...input }: Input & { reached: boolean; token: string },
  by: By,
): Promise<Written | Invalid> {
  const draft = readDraft(services, input)
  if ('problem' in draft) return invalid(draft.problem)
  const why = await obstacleToWriting(services, lead)
  if (why !== undefined) return { outcome: 'obstacle', why }
  const { scheduled, ...message } = draft
  const answers = await answeredBy(services, lead.id)
  const context = actedOn(services, by, { action: 'wrote to the person of' })
  const operatorId = by.operator?.id ?? undefined
  const writing = services.store.writeMessage(lead.id, { ...message, answers, reached, token, operatorId, ...context })
  return { ...(await andTell(services, writing)), scheduled, dueAt: draft.dueAt }
}

/**
 * Why no one can write to the person of a lead from here; undefined if they can. `answersClosed`: whether the email
 * answers a person whose lead is closed. Default: whether that person waits for an answer.
 */
export async function obstacleToWriting(
  { store, addressSecret }: { store: Pick<Services['store'], 'readSuppression'>; addressSecret: string },
  lead: Lead,
  { answersClosed = lead.unansweredSince !== null } = {},
): Promise<string | undefined> {
  if (lead.stage === 'closed' && !answersClosed)
    return `the lead is closed: ${reasonName(lead.closedReason ?? 'no reason given')}`
  const obstacle = obstacleToMail(lead.email)
  if (obstacle !== undefined) return obstacle
  const suppression = await store.readSuppression(suppressionHashes(addressSecret, lead.email))
  return suppression && suppressedNote(suppression.reason)
}

/** The Message-ID that the next email to the person replies to; undefined if there is nothing to reply to. */
export async function answeredBy(
  { store, identity }: Pick<Services, 'store'> & { identity: MessageIds },
  leadId: number,
): Promise<string | undefined> {
  const { theirs, ours } = await store.readConversation(leadId)
  if (theirs !== undefined) return theirs.id
  const task = ours && (await store.readMail(ours.task))
  return task && identity.of(task)
}
