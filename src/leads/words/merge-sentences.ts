/** What merging two leads means, or why it is not possible, in sentences for people. */
import { capital } from '../body/tidy-text.ts'
import type { Lead } from '../lead/lead.ts'
import { formerOwnerOf, type MergedFollowUps, type MergeObstacle, mergedLead } from '../lead/merging.ts'
import { ownerName, type Roster } from '../lead/staff.ts'
import { stageInWords } from '../lead/stages.ts'

export const mergeObstacles: Record<MergeObstacle, string> = {
  kinds:
    'One of these two is a student, the other a site. Such leads are not merged: each has stages and a follow-up of its own.',
  'same address': 'These two leads have the same email address, so each already shows the other as an earlier one.',
  closed: 'The lead to keep is closed, and the other is open. Keep the open one.',
  'open lead':
    'The lead to keep would get the email address of the other, and that address has another open lead. Merge with that one instead.',
}

/** What a merge would mean, in sentences: which address gets emails, whose follow-up continues, which stage it gets. */
export function emailsAfterMerge(kept: Lead, other: Lead, followUps: MergedFollowUps): string {
  const { stage } = mergedLead(kept, other)
  const stageChange = stage === kept.stage ? [] : [`Lead ${kept.id} gets the stage ${stageInWords(stage, null)}.`]
  return [`Emails go to ${kept.email} only.`, ...stageChange, ...followUpSentences(kept, other, followUps)].join(' ')
}

function followUpSentences(kept: Lead, other: Lead, { goesOn, emailsGoOn, stops }: MergedFollowUps): string[] {
  const idOf = { kept: kept.id, other: other.id }
  if (goesOn === 'other') return [`The follow-up of lead ${other.id} continues for lead ${kept.id}.`]
  if (goesOn === 'kept' && emailsGoOn)
    return [`The follow-up of lead ${kept.id} continues, with the follow-up emails of lead ${other.id}.`]
  const ends = stops.map(side => `The follow-up of lead ${idOf[side]} stops.`)
  return goesOn === 'kept' ? [`The follow-up of lead ${kept.id} continues.`, ...ends] : ends
}

/** Who will follow up, and who will be notified that someone else does. */
export function ownersAfterMerge(kept: Lead, other: Lead, roster: Roster): string {
  const { owner } = mergedLead(kept, other)
  const name = (id: string | null) => ownerName(id, roster)
  const former = formerOwnerOf(kept, other)
  if (former === undefined) return `${capital(name(owner))} follows up.`
  const lost = former === kept.owner ? kept : other
  return `${capital(name(owner))} follows up, and we tell ${name(former)}, who had lead ${lost.id}.`
}

/** Why a lead cannot be unmerged; `by` is the lead that is in the way. */
export const unmergeObstacle = (why: 'kept' | 'later' | 'taken' | 'corrected', by: number): string =>
  ({
    kept: `This lead was itself merged into lead ${by}. Unmerge that first.`,
    later: `Lead ${by} was merged into this one later. Unmerge that first.`,
    taken: `They have written again from that address and have another open lead, ${by}. Merge or close that first.`,
    corrected: `Someone has given lead ${by} that address since, and both would be open. Correct its address or close it first.`,
  })[why]
