/** The messages about a submission: to the staff, either one for each or one for many; and to the person. */
import { suppressedNote } from '../../follow-up/stop-conditions.ts'
import { suppressionHashes } from '../../leads/body/mailbox-key.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { stageName } from '../../leads/lead/stages.ts'
import type { Content } from '../../mail/message-definition.ts'
import { MINUTE } from '../../platform/time.ts'
import { gatheredKind } from '../../store/outbox/mail-steps.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { type MakeContent, type MessageServices, type NotSent, personView, viewForRole } from './message-data.ts'

/** The notification about one submission; or, for gathered ones, the one that a claimed task sends for all. */
export const notificationContent: MakeContent = async (deps, task) => {
  const { store, messages } = deps
  const gathered = gatheredKind(task)
  if (gathered !== undefined) return gatheredContent(deps, task, gathered)
  const about = await store.readLeadOfSubmission(task.subject)
  if (about === undefined) return { skip: 'the submission is gone' }
  const { lead, submission } = about
  if (lead.owner !== null && lead.owner === submission.form?.entered?.by) return { skip: 'their counselor entered it' }
  return lead.kind === 'site'
    ? messages.siteInterest(await viewForRole(deps, about, 'team'))
    : messages.studentInterest(await viewForRole(deps, about, 'counselor'))
}

/** How many inquiries one email shows. */
const MOST_SHOWN = 50

/** If another task has claimed these notifications, this one waits to see whether that task sends the email. */
async function gatheredContent(
  { store, clock, addressees, messages }: MessageServices,
  task: Task,
  kind: Kind,
): Promise<Content | NotSent> {
  const now = clock.now()
  const gathered = await store.readGathered(task, { now, limit: MOST_SHOWN })
  if (gathered === undefined) return { waitUntil: now + MINUTE, why: 'another email will include it' }
  const found = await Promise.all(gathered.shown.map(id => store.readLeadOfSubmission(id)))
  const inquiries = found.filter(about => about !== undefined)
  if (inquiries.length === 0) return { skip: 'the submissions are gone' }
  const more = gathered.tasks.length - inquiries.length
  const content = await messages.gathered({ to: addressees.team(kind), kind, inquiries, more, now })
  return { ...content, gathered: gathered.tasks.filter(id => id !== task.id) }
}

/**
 * A receipt goes out at any hour, right after the student has written. After this many milliseconds, it
 * is treated like a follow-up email: it waits for the end of the quiet hours, and goes only to a new lead.
 */
const RECEIPT_IS_LATE = 30 * MINUTE

/** The receipt of a student, or the notice that they already have an account. */
export const receiptContent: MakeContent = async (deps, task) => {
  const { store, clock, calendar, addressSecret } = deps
  const about = await store.readLeadOfSubmission(task.subject)
  if (about === undefined) return { skip: 'the submission is gone' }
  const now = clock.now()
  const { stage, email } = about.lead
  const late = now - about.submission.receivedAt >= RECEIPT_IS_LATE
  const open = late ? calendar.hoursFor(about.lead).student.open(now) : now
  if (open > now) return { waitUntil: open }
  const suppression = await store.readSuppression(suppressionHashes(addressSecret, email))
  if (suppression) return { skip: suppressedNote(suppression.reason) }
  if (late && stage !== 'new') return { skip: `it is too late: the lead is ${stageName(stage)}` }
  return receiptFor(deps, task, about.lead)
}

/** A receipt that was sent is shown as it was, even if something would stop it today. */
export const sentReceipt: MakeContent = async (deps, task) => {
  const about = await deps.store.readLeadOfSubmission(task.subject)
  return about === undefined ? { skip: 'the lead was erased' } : receiptFor(deps, task, about.lead)
}

async function receiptFor(deps: MessageServices, { kind }: Task, lead: Lead): Promise<Content | { skip: string }> {
  const view = await personView(deps, lead, deps.clock.now())
  if ('skip' in view) return view
  return kind === 'account' ? deps.messages.accountNotice(view) : deps.messages.receipt(view)
}
