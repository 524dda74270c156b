/** What merging two leads means, and why it is not possible, in sentences for people. */
import type { Lead } from './lead.ts'
import { formerOwnerOf, type MergeObstacle, mergedLead } from './merging.ts'
import { ownerName, type Roster } from './staff.ts'
import { capital } from './text.ts'

export const mergeObstacles: Record<MergeObstacle, string> = {
  kinds:
    'One of these two is a student, the other a site. Such leads are not merged: each has stages and a follow-up of its own.',
  'same address':
    'These two leads have the same email address, so each already shows the other as an earlier one.',
  closed: 'The lead to keep is closed, and the other is open. Keep the open one.',
}

/** To which address emails go once the other lead is merged into the one that is kept. */
export const emailsAfterMerge = (kept: Lead, other: Lead): string =>
  `Emails go to ${kept.email} only, by the follow-up of lead ${kept.id}. Reminders and automatic emails of lead ${other.id} stop.`

/** Who follows up then, and who learns that someone else does. */
export function ownersAfterMerge(kept: Lead, other: Lead, roster: Roster): string {
  const { owner } = mergedLead(kept, other)
  const name = (id: string | null) => ownerName(id, roster)
  const former = formerOwnerOf(kept, other)
  if (former === undefined) return `${capital(name(owner))} follows up.`
  const lost = former === kept.owner ? kept : other
  return `${capital(name(owner))} follows up, and we tell ${name(former)}, who had lead ${lost.id}.`
}

/** Why a lead cannot be unmerged; `by` is the lead that stands in the way. */
export const unmergeObstacle = (why: 'kept' | 'later' | 'taken', by: number): string =>
  ({
    kept: `This lead was itself merged into lead ${by}. Unmerge that first.`,
    later: `Lead ${by} was merged into this one later. Unmerge that first.`,
    taken: `They have written again from that address and have another open lead, ${by}. Merge or close that first.`,
  })[why]
