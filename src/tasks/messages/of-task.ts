/** What each kind of task sends. A new kind has a row here; the compiler says so. */
import type { Content } from '../../mail/message-definition.ts'
import { kindOfTeamMail } from '../../store/outbox/mail-steps.ts'
import type { TaskKind } from '../../store/tables/schema.ts'
import type { MessageKind } from '../../store/tasks/kinds.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { handOverContent, importedContent } from './bulk-changes.ts'
import { forwardedContent } from './forwarding.ts'
import { eventContent } from './lead-events.ts'
import type { MakeContent, MessageDependencies, NotSent } from './message-data.ts'
import { dailyDigest, erasureContent, operatorLinkContent } from './operators.ts'
import { digestContent } from './quarantine-digest.ts'
import { retentionContent } from './retention.ts'
import { notificationContent, receiptContent } from './submissions.ts'
import { unattendedContent } from './unattended.ts'
import { reportContent } from './weekly-report.ts'
import { writtenContent } from './written-messages.ts'

const contents = {
  notify: notificationContent,
  receipt: receiptContent,
  account: receiptContent,
  news: eventContent,
  message: writtenContent,
  forward: forwardedContent,
  strays: forwardedContent,
  digest: (deps, { step }) => digestContent(deps, kindOfTeamMail('digest', step)),
  unattended: unattendedContent,
  daily: (deps, task) => dailyDigest(deps, task, one => contentOf(deps, one)),
  report: reportContent,
  retention: retentionContent,
  invitation: operatorLinkContent,
  reset: operatorLinkContent,
  'hand-over': handOverContent,
  erasure: erasureContent,
  imported: importedContent,
} satisfies Record<MessageKind, MakeContent>

const contentOfKind: Partial<Record<TaskKind, MakeContent>> = contents

/**
 * The message of a task, made from what the store holds now, or why there is none. Rejects for a kind without a
 * message, such as one of a later version that runs beside this one.
 */
export async function contentOf(deps: MessageDependencies, task: Task): Promise<Content | NotSent> {
  const make = contentOfKind[task.kind]
  if (make === undefined) throw new TypeError(`a task of the kind ${task.kind} has no message here`)
  return make(deps, task)
}
