/** What the console shows about the emails between us and a person. */
import type { Lead } from '../leads/lead/lead.ts'
import type { Content } from '../mail/messages.ts'
import type { ReplyTemplates } from '../mail/reply-templates.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { messageOfTask, type TaskMessage } from './message-of-task.ts'
import { draftMessage, type WrittenDraft } from './messages/written-messages.ts'
import type { MailServices } from './outbox.ts'

export type Conversations = {
  templates: ReplyTemplates
  /** The subject of the email that the next one replies to; undefined if there is nothing to reply to. */
  subject(leadId: number): Promise<string | undefined>
  /** The message that a draft becomes, or why it cannot be sent. */
  preview(lead: Lead, draft: WrittenDraft): Promise<Content | { skip: string }>
  /** The message of a task of the outbox, or a sentence that says why there is none. */
  messageOf(task: Task): Promise<TaskMessage>
}

export function createConversations(deps: MailServices, templates: ReplyTemplates): Conversations {
  const { store } = deps

  async function subject(leadId: number): Promise<string | undefined> {
    const { theirs, ours } = await store.readConversation(leadId)
    if (theirs !== undefined) return theirs.subject
    if (ours?.subject !== undefined) return ours.subject
    const task = ours && (await store.readMail(ours.task))
    const message = task && (await messageOfTask(deps, task))
    return message && 'content' in message ? message.content.subject : undefined
  }

  return {
    templates,
    subject,
    preview: (lead, draft) => draftMessage(deps, lead, draft),
    messageOf: task => messageOfTask(deps, task),
  }
}
