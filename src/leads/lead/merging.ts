/** What happens to two leads of one person when they are merged: which one is kept, and what it gets from the other. */
import type { ConsentState } from '../body/consent.ts'
import { personKey } from '../body/person-key.ts'
import type { Lead } from './lead.ts'
import { stages } from './stages.ts'

export type MergeObstacle = 'kinds' | 'same address' | 'closed' | 'open lead'

/**
 * Why one lead cannot be merged into another that is kept; undefined if it can. A person who wants to study and whose
 * company could also host students has two relationships with the school, each with its own stages and follow-up, so
 * kinds do not mix. The leads of one address are known to be one person already. A lead that is open must not end up in
 * a closed one. (`open lead` depends on other leads, so only the store finds it.)
 */
export function mergeObstacle(kept: Lead, other: Lead): MergeObstacle | undefined {
  if (kept.kind !== other.kind) return 'kinds'
  if (personKey(kept, kept.phoneE164) === personKey(other, other.phoneE164)) return 'same address'
  if (kept.stage === 'closed' && other.stage !== 'closed') return 'closed'
  return undefined
}

/**
 * The kept lead with the data that it gets from the other. It keeps its own name, and its own address and phone if it
 * has them. From a lead that is still open, it also gets how far the school has come with the person. Of their two
 * answers about calls and texts, the stricter one counts.
 */
export function mergedLead(kept: Lead, other: Lead): Lead {
  return {
    ...kept,
    ...consentOf(kept, other),
    email: kept.email ?? other.email,
    phone: kept.phone ?? other.phone,
    phoneE164: kept.phone === null ? other.phoneE164 : kept.phoneE164,
    owner: kept.owner ?? other.owner,
    state: kept.state ?? other.state,
    company: kept.company ?? other.company,
    latestPhone: kept.latestPhone ?? otherPhone(kept, other),
    account: kept.account || other.account,
    ...languageOf(kept, other),
    campaign: kept.campaign ?? other.campaign,
    cameFrom: kept.cameFrom ?? other.cameFrom,
    program: kept.program ?? other.program,
    bestTime: kept.bestTime ?? other.bestTime,
    campus: kept.campus ?? other.campus,
    form: kept.form ?? other.form,
    unansweredSince: earliest(kept.unansweredSince, other.unansweredSince),
    ...(other.stage === 'closed' ? {} : progressOf(kept, other)),
  }
}

export type MergedFollowUps = {
  /** Whose follow-up continues for the merged lead; null if it waits for nothing, or never had a follow-up. */
  goesOn: 'kept' | 'other' | null
  /** Whether the kept lead gets the other's follow-up emails in addition to its own reminders. */
  emailsGoOn: boolean
  /** The leads that lose steps that were still to come. */
  stops: ('kept' | 'other')[]
}

/** A lead that was closed earlier was another attempt: what was tried then does not answer today's inquiry. */
function progressOf(kept: Lead, other: Lead): Partial<Lead> {
  const order: readonly string[] = stages[kept.kind]
  const further = order.indexOf(other.stage) > order.indexOf(kept.stage)
  const since = (moment: number | null) => moment && Math.max(moment, kept.createdAt)
  return {
    stage: further ? other.stage : kept.stage,
    firstAttemptAt: earliest(kept.firstAttemptAt, since(other.firstAttemptAt)),
    firstContactAt: earliest(kept.firstContactAt, since(other.firstContactAt)),
    repliedAt: latest(kept.repliedAt, other.repliedAt),
    pausedAt: earliest(kept.pausedAt, other.pausedAt),
  }
}

const earliest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)

const latest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

const strictness = (consent: ConsentState | null): number =>
  consent === 'withdrawn' ? 3 : consent === 'refused' ? 2 : consent === null ? 1 : 0

const consentOf = (kept: Lead, other: Lead): Pick<Lead, 'consent' | 'consentAt'> => {
  const { consent, consentAt } = strictness(other.consent) > strictness(kept.consent) ? other : kept
  return { consent, consentAt }
}

const languageOf = (kept: Lead, other: Lead): Pick<Lead, 'language' | 'languageAt'> => {
  const { language, languageAt } = kept.language === null ? other : kept
  return { language, languageAt }
}

const otherPhone = (kept: Lead, other: Lead): string | null =>
  kept.phone === null || other.phoneE164 === kept.phoneE164 ? other.latestPhone : other.phoneE164

/**
 * The person who had one of the two leads and does not have the merged one: an id, or null for the team. Undefined if
 * both leads had the same owner, or if the team had one of them and it is closed.
 */
export function formerOwnerOf(kept: Lead, other: Lead): string | null | undefined {
  if (kept.owner === other.owner) return undefined
  // If the team has one of the leads, the merged lead gets the counselor of the other.
  const lost = kept.owner === null ? kept : other
  return lost.owner === null && lost.stage === 'closed' ? undefined : lost.owner
}

/** Which of two leads to keep, unless someone chooses: the open one; if both or neither are, the older one. */
export function keptFirst(one: Lead, other: Lead): [kept: Lead, other: Lead] {
  const [first, second] = one.createdAt <= other.createdAt ? [one, other] : [other, one]
  return mergeObstacle(first, second) === 'closed' ? [second, first] : [first, second]
}
