/** The one email a day of an operator who chose that. It has the notices that would otherwise be separate emails. */
import { emailKey } from '../../leads/body/email.ts'
import { ownerIdOf, staffIds } from '../../leads/lead/staff.ts'
import type { Content } from '../../mail/message-definition.ts'
import type { Notice } from '../../store/operators/browser-notices.ts'
import type { Operator } from '../../store/operators/operators.ts'
import { assignmentCopies } from '../../store/outbox/mail-steps.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import type { MessageServices, NotSent } from './message-data.ts'
import { mailboxOf } from './operator-messages.ts'

/** How many notices one digest lists; the console has the others. */
const MOST_LISTED = 100

/** How many leads of each sort are counted. If there are more, the digest gives no number. */
const MOST_COUNTED = 200

/**
 * `contentOf` makes the message that a notice replaces: its subject says what it is about, and its recipient may read
 * what the person wrote.
 */
export async function dailyDigest(
  deps: MessageServices,
  task: Task,
  contentOf: (task: Task) => Promise<Content | NotSent>,
): Promise<Content | NotSent> {
  const { store, config, messages, clock } = deps
  const operator = await store.readOperator(task.step)
  if (operator === undefined) return { skip: 'the operator is gone' }
  if (operator.disabled) return { skip: 'the operator is disabled' }
  const notices = await store.takeDailyNotices(task.step, task.subject)
  const read = async ({ taskId, at }: Notice) => {
    const about = await store.readMail(taskId)
    const content = about && (await contentOf(about))
    if (content === undefined || !('subject' in content)) return []
    const { lead, subject: what, to } = content
    const url = `${config.consoleUrl}/${lead ? `leads/${lead.id}` : 'inbox'}`
    // The former owner of a lead learns only that it is someone else's now.
    const isFormer = about?.kind === 'news' && about.step === assignmentCopies.formerOwner
    const isTheirs = lead !== undefined && !isFormer && emailKey(to.address) === emailKey(operator.email)
    const latest = isTheirs ? await store.readLatest(lead.id) : undefined
    return [{ what, at, url, latest }]
  }
  const entries = (await Promise.all(notices.slice(0, MOST_LISTED).map(read))).flat()
  if (entries.length === 0) return { skip: 'there is nothing left to list' }
  const content = await messages.dailyDigest({
    to: mailboxOf(operator),
    entries,
    more: Math.max(0, notices.length - MOST_LISTED),
    due: await countDue(deps, operator),
    now: clock.now(),
  })
  // Another process, whose clock may be behind, can add one from before that moment while this is sent.
  return { ...content, gathered: notices.map(({ taskId }) => taskId) }
}

/** How many leads their page *Today* lists; null if there are too many to count. */
async function countDue(
  { store, config: { settings }, calendar, clock }: MessageServices,
  { email, role }: Pick<Operator, 'email' | 'role'>,
): Promise<number | null> {
  const owner = ownerIdOf(email, settings.admissions) ?? (role === 'counselor' ? 'no one' : undefined)
  const until = calendar.midnightAfter(clock.now())
  const query = { owner, team: staffIds(settings.admissions), until, limit: MOST_COUNTED }
  const { callbacks, wroteBack, leads, more } = await store.listDueLeads(query)
  const ids = [...callbacks.map(({ lead }) => lead), ...wroteBack, ...leads].map(({ id }) => id)
  return more ? null : new Set(ids).size
}
