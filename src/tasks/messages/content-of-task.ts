/** What each kind of task sends. The compiler requires a row here for a new kind. */
import { listAt, numberOfErasure } from '../../follow-up/erasure-days.ts'
import type { Content } from '../../mail/message-definition.ts'
import { kindOfTeamMail } from '../../store/outbox/mail-steps.ts'
import type { MessageKind, TaskKind } from '../../store/tables/task-kinds.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { alarmContent } from './alarm.ts'
import { dailyDigest } from './daily-digest.ts'
import { handOverContent, importedContent } from './imports-and-hand-overs.ts'
import { eventContent } from './lead-messages.ts'
import type { MakeContent, MessageServices, NotSent } from './message-data.ts'
import { erasureContent, operatorLinkContent, securityContent } from './operator-messages.ts'
import { digestContent } from './quarantine-digest.ts'
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
  security: securityContent,
  'hand-over': handOverContent,
  erasure: erasureContent,
  imported: importedContent,
  alarm: alarmContent,
  'alarm-over': alarmContent,
} satisfies Record<MessageKind, MakeContent>

const contentOfKind: Partial<Record<TaskKind, MakeContent>> = contents

/**
 * The message of a task, made from what the store contains now; or why there is none. Rejects if the kind has no
 * message, for example a kind of a later version that runs beside this one.
 */
export async function contentOf(deps: MessageServices, task: Task): Promise<Content | NotSent> {
  const make = contentOfKind[task.kind]
  if (make === undefined) throw new TypeError(`a task of the kind ${task.kind} has no message here`)
  return make(deps, task)
}

/** How many emails a list of forwarded emails contains. It says if there are more, which stay in the mailbox. */
const MOST_FORWARDED = 200

/** Mail to the watched mailbox that is not about a lead: a single email, or the list of a day. */
async function forwardedContent(
  { store, addressees, messages }: MessageServices,
  { kind, subject }: Task,
): Promise<Content | NotSent> {
  const which = kind === 'forward' ? { id: subject } : { day: subject }
  const mails = await store.readStrays({ ...which, limit: MOST_FORWARDED + 1 })
  if (mails.length === 0) {
    // The mail is deleted after it was forwarded. If the forwarded copy bounces, a retry finds nothing and ends here.
    return { skip: 'it was deleted once it was forwarded; find it in the watched mailbox' }
  }
  return messages.forwarded({
    to: addressees.team('student'),
    mails: mails.slice(0, MOST_FORWARDED),
    more: mails.length > MOST_FORWARDED,
  })
}

/** How many leads the email about planned erasures lists; the page behind it lists all. */
const MOST_PLANNED = 50

/**
 * Tells the manager which leads the retention rules will erase on the day that the task names. It waits for its moment,
 * even if a wrong clock has made it due.
 */
async function retentionContent(
  { store, clock, config, addressees, messages }: MessageServices,
  { subject }: Task,
): Promise<Content | NotSent> {
  const { settings, consoleUrl } = config
  const { privacy, school } = settings
  const planned = (await store.countPlanned()).find(one => numberOfErasure(one.eraseAt, school.timeZone) === subject)
  if (planned === undefined) return { skip: 'nothing will be erased on that day' }
  const { eraseAt } = planned
  const due = listAt(eraseAt, privacy)
  if (due > clock.now()) return { waitUntil: due, why: 'waits for the days of notice' }
  const listed = await store.listPlanned(eraseAt, { after: 0, limit: MOST_PLANNED })
  const { to } = await addressees.manager('student', clock.now())
  return messages.retention({
    to,
    eraseAt,
    total: planned.leads,
    leads: listed.map(lead => ({ lead, url: `${consoleUrl}/leads/${lead.id}` })),
    url: `${consoleUrl}/privacy/planned`,
  })
}
