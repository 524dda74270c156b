/** The message of a task, for someone who looks at the outbox: nothing is sent, and nothing changes. */
import type { Content } from '../mail/messages.ts'
import { isToPerson, subjectOf } from '../store/tables/task-kinds.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { contentOf } from './messages/content-of-task.ts'
import { sentReceipt } from './messages/submissions.ts'
import type { MailServices } from './outbox.ts'
import { stepContentOf } from './stepping.ts'

/** The message, or a sentence that says why there is none. */
export type TaskMessage = { content: Content } | { unknown: string }

/**
 * Makes the message of a task from what the store contains now. If it was not sent yet, this is what will be sent; if
 * it was, this is what would be sent today. Never rejects: if the templates or settings of a message are gone, the
 * sentence says so.
 */
export async function messageOfTask(deps: MailServices, task: Task): Promise<TaskMessage> {
  // Anyone who reads the link could sign in as its recipient.
  if (task.kind === 'invitation' || task.kind === 'reset')
    return notKnown('it contains a link that only its recipient may see')
  const at = task.finished_at ?? deps.clock.now()
  try {
    const content = await make({ ...deps, clock: { now: () => at } }, task)
    if ('to' in content) return { content }
    if (!('skip' in content)) return notKnown(`it ${content.why ?? 'waits for the quiet hours to end'}`)
    return task.state === 'due' ? notSent(content.skip) : notKnown(content.skip)
  } catch (error) {
    return notKnown((error as Error).message)
  }
}

export const notKnown = (why: string) => ({ unknown: `What it says cannot be known: ${why}.` })

const notSent = (why: string) => ({ unknown: `It would not be sent now: ${why}.` })

async function make(deps: MailServices, task: Task): ReturnType<typeof contentOf> {
  if (task.kind === 'step') {
    const followUp = await deps.store.readFollowUp(task.subject)
    const step = followUp?.cadence[task.step]
    if (followUp === undefined || step === undefined) return { skip: 'the lead was erased' }
    if (!('message' in step)) return { skip: 'the step sends no email' }
    return stepContentOf(deps, task, step, followUp)
  }
  // A receipt that was sent is shown, even if something would stop it today.
  if (subjectOf(task.kind) === 'submission' && isToPerson(task)) return sentReceipt(deps, task)
  return contentOf(deps, task)
}
