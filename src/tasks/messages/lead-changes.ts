/** The messages that tell the staff what a colleague did with a lead: each is about an entry of its timeline. */
import type { Config } from '../../config/config.ts'
import { dayInWords } from '../../content/date-format.ts'
import { stepsOn } from '../../follow-up/cadence.ts'
import { suppressionHashes } from '../../leads/body/email.ts'
import { actorName, COMMAND_LINE, ownerName, TEAM_MEMBER } from '../../leads/lead/staff.ts'
import type { TimelineEntry } from '../../leads/lead/timeline.ts'
import { ownerIn } from '../../leads/lead/timeline-details.ts'
import type { Addressee, Addressees } from '../../mail/addressees.ts'
import type { LeadChangeView } from '../../mail/messages/lead-change.ts'
import type { Content, Messages } from '../../mail/messages.ts'
import type { Clock } from '../../platform/time.ts'
import type { LatestOfLead, LeadOfSubmission } from '../../store/lookup/lead-of-submission.ts'
import { assignmentCopies } from '../../store/outbox/mail-steps.ts'
import type { Store } from '../../store/store.ts'
import { staffView } from './message-data.ts'

type Dependencies = {
  store: Store
  clock: Clock
  config: Pick<Config, 'settings'>
  addressees: Addressees
  messages: Messages
  addressSecret: string
}

type About = LeadOfSubmission & Pick<LatestOfLead, 'attempts' | 'tried'>
type Entry = TimelineEntry & { leadId: number }

/** Tells one of the people that an assignment concerns; `copy` says which (`assignmentCopies`). */
export async function assignmentMessage(
  deps: Dependencies,
  entry: Entry,
  about: About,
  copy: number,
): Promise<Content | { skip: string }> {
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
    awayUntil: away ? dayInWords(away.until, deps.config.settings.school) : null,
  }
  return forFormer ? messages.reassigned(view) : messages.assigned(view)
}

/** Sends a lead with fresh links to the person whose links had expired. */
export async function freshLinkMessage(
  deps: Dependencies,
  entry: Entry,
  about: About,
): Promise<Content | { skip: string }> {
  const { actor } = entry
  const found = deps.addressees.member(actor === TEAM_MEMBER ? null : actor, about.lead.kind)
  if (found === undefined) return { skip: 'they are no longer in the settings' }
  return deps.messages.freshLink(await viewOf(deps, entry, about, found))
}

/** Tells the counselor, at the end of a pause, that it is time to call again. */
export async function callAgainMessage(
  deps: Dependencies,
  entry: Entry,
  about: About,
): Promise<Content | { skip: string }> {
  const { store, addressees, clock, messages } = deps
  const found = await addressees.find(about.lead, 'counselor', clock.now())
  if ('skip' in found) return found
  const paused = await store.readLatestEntry(about.lead.id, ['paused'], { before: entry.id })
  const asked = { ...entry, actor: paused?.actor ?? null }
  return messages.callAgain(await viewOf(deps, asked, about, found))
}

/** Tells the counselor of a merged lead, or the one who had either of the two before, that they are one; `copy` says which. */
export async function mergeMessage(
  deps: Dependencies,
  entry: Entry,
  about: About,
  copy: number,
): Promise<Content | { skip: string }> {
  const { addressees, clock, config, messages, store } = deps
  if (entry.undoneAt !== null) return { skip: 'it was undone' }
  const { lead } = about
  const roster = config.settings.admissions
  const merge = entry.was?.merge
  const other = merge && (await store.findExactLead(merge.lead))
  const forFormer = copy === assignmentCopies.formerOwner
  // The kept lead was the team's if the merge gave it a counselor.
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

async function viewOf(deps: Dependencies, entry: Entry, about: About, addressee: Addressee): Promise<LeadChangeView> {
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
    waiting: now - lead.createdAt,
    assignedTo: lead.owner,
    from: null,
    undone: false,
    awayUntil: null,
    by: byWhom(entry.actor, config.settings.admissions),
    reminders: await countReminders(deps, lead.id),
  }
}

export const byWhom = (actor: string | null, roster: Parameters<typeof actorName>[1]): string | null =>
  actor === COMMAND_LINE ? 'the person who runs Frontdesk' : actor && actorName(actor, roster)

/** How many of the emails in the timeline were steps of the staff's track. */
async function countReminders({ store }: Dependencies, leadId: number): Promise<number> {
  const followUp = await store.readFollowUp(leadId)
  if (followUp === undefined) return 0
  const { cadence } = followUp
  const names = new Set(stepsOn(cadence, 'staff').flatMap(index => cadence[index]?.name ?? []))
  return store.countEmails(leadId, [...names])
}
