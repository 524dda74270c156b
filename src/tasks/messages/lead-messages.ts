/** The messages that tell the staff what happened to a lead. Each is about an entry of its timeline. */
import { dayAsOf } from '../../content/date-format.ts'
import { stepsOn } from '../../follow-up/cadence.ts'
import { callbackReminders } from '../../follow-up/callback-times.ts'
import { suppressionHashes } from '../../leads/body/mailbox-key.ts'
import { ownerName, TEAM_MEMBER } from '../../leads/lead/staff.ts'
import { failedDelivery, ownerIn } from '../../leads/lead/timeline-details.ts'
import type { TimelineEntry, TimelineKind } from '../../leads/lead/timeline-entries.ts'
import type { Content } from '../../mail/message-definition.ts'
import type { EventView } from '../../mail/messages/event.ts'
import type { LeadChangeView } from '../../mail/messages/lead-change.ts'
import type { Addressee } from '../../mail/staff-addressees.ts'
import type { LatestOfLead } from '../../store/lookup/lead-of-submission.ts'
import { assignmentCopies, INFECTED } from '../../store/outbox/mail-steps.ts'
import { byWhom, type MakeContent, type MessageServices, type NotSent, staffView, viewForRole } from './message-data.ts'

/** An entry and its lead. `copy` says which of the people concerned gets this message (`assignmentCopies`). */
type Event = { entry: TimelineEntry & { leadId: number }; about: LatestOfLead; copy: number }

type Tell = (deps: MessageServices, event: Event) => Promise<Content | NotSent>

/** The message about an entry of a timeline. */
export const eventContent: MakeContent = async (deps, { subject, step: copy }) => {
  const entry = await deps.store.readEntry(subject)
  const about = entry && (await deps.store.readLatest(entry.leadId))
  if (!entry || !about) return { skip: 'the lead was erased' }
  const tell = copy === INFECTED && entry.attachments !== undefined ? tellAs('infected') : tellOf[entry.kind]
  return tell === null ? { skip: 'no one is notified of it' } : tell(deps, { entry, about, copy })
}

/** Makes the function that tells a lead's counselor about an event of this kind. */
const tellAs =
  (kind: EventView['event']['kind']): Tell =>
  async (deps, { about, entry }) => {
    const { detail: text, at, actor, mail, attachments } = entry
    const event = {
      kind,
      text,
      at,
      recipient: null,
      mail,
      attachments,
      by: byWhom(actor, deps.config.settings.admissions),
    }
    const view = await viewForRole(deps, about, 'counselor')
    // A counselor who writes to us about their own lead knows what they wrote; the team may not.
    const own = kind === 'staff-mail' && view.actor === actor
    const team = { to: deps.addressees.team(about.lead.kind), actor: undefined }
    return deps.messages.event({ ...view, ...(own ? team : {}), event })
  }

/** Tells one of the people that an assignment concerns; `copy` says which (`assignmentCopies`). */
const assignment: Tell = async (deps, { entry, about, copy }) => {
  const { addressees, clock, messages } = deps
  const { lead } = about
  const owner = ownerIn(entry.detail)
  const from = entry.was?.owner ?? null
  const forFormer = copy === assignmentCopies.formerOwner
  if (forFormer ? lead.owner === from : lead.owner !== owner) return { skip: 'the lead was assigned again' }
  const forStandIn = copy === assignmentCopies.standIn
  const away = forStandIn ? await addressees.standIn(lead, clock.now()) : undefined
  if (forStandIn && away === undefined) return { skip: 'the counselor is not away' }
  const found = forStandIn
    ? await addressees.find(lead, 'counselor', clock.now())
    : addressees.member(forFormer ? from : owner, lead.kind)
  if (found === undefined || 'skip' in found) return { skip: 'they are no longer in the settings' }
  const view = {
    ...(await viewOf(deps, entry, about, found)),
    assignedTo: owner,
    from,
    undone: entry.kind === 'undone',
    awayUntil: away ? dayAsOf(away.until, deps.calendar.today(clock.now()), deps.config.settings.school) : null,
  }
  return forFormer ? messages.reassigned(view) : messages.assigned(view)
}

/** Sends a lead with fresh links to the person whose links had expired. */
const freshLink: Tell = async (deps, { entry, about }) => {
  const { actor } = entry
  const found = deps.addressees.member(actor === TEAM_MEMBER ? null : actor, about.lead.kind)
  if (found === undefined) return { skip: 'they are no longer in the settings' }
  return deps.messages.freshLink(await viewOf(deps, entry, about, found))
}

/** Tells the person who promised to call, then the backup and the manager. `copy` says which of them. */
const callback: Tell = async (deps, { entry, about, copy }) => {
  const { store, addressees, clock, config, messages, calendar } = deps
  const { lead } = about
  const promised = (await store.listCallbacks(lead.id)).find(one => one.entry === entry.id)
  if (promised === undefined) return { skip: 'the callback is done, or was moved' }
  const { dueAt, words, assignee } = promised
  // A clock that was ahead may have made the reminder due.
  const moment = callbackReminders(dueAt, calendar.hoursFor({ ...lead, bestTime: null }).school)[copy] ?? dueAt
  if (moment > clock.now()) return { waitUntil: moment, why: 'waits for its time' }
  const { admissions } = config.settings
  const isStaff = assignee !== null && addressees.member(assignee, lead.kind) !== undefined
  const owner = isStaff ? assignee : lead.owner
  const role = (['counselor', 'backup', 'manager'] as const)[copy] ?? 'manager'
  const found = await addressees.find({ kind: lead.kind, owner }, role, clock.now(), { last: true })
  if ('skip' in found) return found
  const caller = ownerName(owner, admissions)
  return messages.callback({ ...(await viewOf(deps, entry, about, found)), role, dueAt, words, caller })
}

/**
 * Tells the counselor of a merged lead, or the counselor who had one of the two leads before, that they are now one
 * lead; `copy` says which counselor.
 */
const merge: Tell = async (deps, { entry, about, copy }) => {
  const { addressees, clock, config, messages, store } = deps
  if (entry.undoneAt !== null) return { skip: 'it was undone' }
  const { lead } = about
  const roster = config.settings.admissions
  const merge = entry.was?.merge
  const other = merge && (await store.findExactLead(merge.lead))
  const forFormer = copy === assignmentCopies.formerOwner
  // If the merge gave the kept lead a counselor, the team had that lead before.
  const former = merge && 'owner' in merge.before ? null : (other?.owner ?? null)
  if (forFormer && lead.owner === former) return { skip: 'the lead was assigned again' }
  const found = forFormer ? addressees.member(former, lead.kind) : await addressees.find(lead, 'counselor', clock.now())
  if (found === undefined) return { skip: 'they are no longer in the settings' }
  if ('skip' in found) return found
  const { at, detail: text, actor } = entry
  const by = byWhom(actor, roster)
  const recipient = forFormer ? ownerName(lead.owner, roster) : null
  const event = { kind: 'merged' as const, text, at, recipient, by }
  return messages.event({ ...staffView(deps, about, found, clock.now()), event })
}

/**
 * Tells the author of a message to the person that it was not sent. If the author does not work on the lead (anymore),
 * tells the counselor; and `copy` is for the author, without links.
 */
const unsent: Tell = async (deps, { entry: { id, actor, at, mail }, about, copy }) => {
  const { store, clock, config, addressees, messages } = deps
  const reason = (await store.readMessage(id))?.unsent
  if (reason == null) return { skip: 'the message is sent after all' }
  const author = actor === null ? undefined : addressees.member(actor, about.lead.kind)
  const isTheirs = author !== undefined && addressees.worksOn(actor ?? '', about.lead)
  const counselor = await viewForRole(deps, about, 'counselor')
  const event = { kind: 'unsent' as const, text: reason, at, recipient: null, mail }
  if (copy === assignmentCopies.formerOwner) {
    if (author === undefined || isTheirs) return { skip: 'its author was told already, or has left' }
    const view = staffView(deps, about, author, clock.now())
    return messages.event({ ...view, event: { ...event, recipient: counselor.to.name } })
  }
  if (isTheirs) return messages.event({ ...staffView(deps, about, author, clock.now()), event })
  return messages.event({ ...counselor, event: { ...event, by: byWhom(actor, config.settings.admissions) } })
}

/** Tells someone else at the school that a message to the staff does not arrive. */
const undelivered: Tell = async (deps, { entry: { detail, at }, about }) => {
  const { clock, addressees, messages } = deps
  const failed = failedDelivery(detail)
  const addressee = failed && addressees.otherMailbox(about.lead, failed.address)
  if (!failed || !addressee) return { skip: 'there is no one else to notify' }
  const view = staffView(deps, about, addressee, clock.now())
  const event = { kind: 'undelivered' as const, text: failed.reason, at, recipient: failed.name }
  return messages.event({ ...view, event })
}

/** The message for each kind of entry; null if there never is one. */
const tellOf: Record<TimelineKind, Tell | null> = {
  assigned: assignment,
  undone: assignment,
  callback,
  'fresh-link': freshLink,
  email: undelivered,
  message: unsent,
  merged: merge,
  unmerged: tellAs('unmerged'),
  corrected: tellAs('corrected'),
  reply: tellAs('reply'),
  bounce: tellAs('bounce'),
  complaint: tellAs('complaint'),
  unsubscribed: tellAs('unsubscribed'),
  'not-me': tellAs('not-me'),
  claim: tellAs('claim'),
  'staff-mail': tellAs('staff-mail'),
  // Only notes that someone else leaves for the counselor have a task.
  note: tellAs('note'),
  submission: null,
  stage: null,
  attempt: null,
  paused: null,
  resumed: null,
  'callback-ended': null,
  'no-answer-needed': null,
  closing: null,
  skipped: null,
  withdrawn: null,
  labeled: null,
  unlabeled: null,
  'auto-reply': null,
  copy: null,
}

async function viewOf(
  deps: MessageServices,
  entry: Event['entry'],
  about: LatestOfLead,
  addressee: Addressee,
): Promise<LeadChangeView> {
  const { store, clock, config, addressSecret } = deps
  const now = clock.now()
  const { lead, attempts, tried } = about
  const suppression = await store.readSuppression(suppressionHashes(addressSecret, lead.email))
  return {
    ...staffView(deps, about, addressee, now),
    role: 'counselor',
    attempts,
    tried,
    suppressed: suppression?.reason ?? null,
    waiting: now - (lead.unansweredSince ?? lead.createdAt),
    assignedTo: lead.owner,
    from: null,
    undone: false,
    awayUntil: null,
    by: byWhom(entry.actor, config.settings.admissions),
    reminders: await countReminders(deps, lead.id),
  }
}

/** How many of the emails in the timeline were steps on the staff's track. */
async function countReminders({ store }: MessageServices, leadId: number): Promise<number> {
  const followUp = await store.readFollowUp(leadId)
  if (followUp === undefined) return 0
  const { cadence } = followUp
  const names = new Set(stepsOn(cadence, 'staff').flatMap(index => cadence[index]?.name ?? []))
  return store.countEmails(leadId, [...names])
}
