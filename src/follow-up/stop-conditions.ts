/** The conditions that stop the follow-up of a lead. They are checked again just before each step. */
import type { Track } from './cadence.ts'

/** Why an address gets no more follow-up emails. */
export type SuppressionReason = 'unsubscribed' | 'bounced' | 'complaint' | 'not me'

export type StopFacts = {
  stage: string
  paused: boolean
  /** The student has written back. */
  replied: boolean
  /** They wrote again or replied, and no one has answered since. */
  unanswered: boolean
  /** The student has an account at the learning site. */
  account: boolean
  suppressed: SuppressionReason | null
  /** We know an email address of the student. */
  hasAddress: boolean
  /** Someone at the school has called the person, written to them, or changed the stage. */
  tried: boolean
  /** The settings have the school's postal address, which each follow-up email must show (CAN-SPAM Act). */
  hasPostalAddress: boolean
}

/** Why a step of this track must not happen now, as a phrase for the timeline; undefined if it may. */
export function stopOf(track: Track, facts: StopFacts): string | undefined {
  // Whatever the school has agreed with the person before, they are now waiting for an answer, and someone must know.
  if (facts.unanswered && track === 'staff') return undefined
  // In people's words (docs/glossary.md).
  if (facts.stage !== 'new') return `the lead is ${facts.stage === 'contacted' ? 'reached' : facts.stage}`
  if (facts.paused) return 'the follow-up is paused'
  if (track === 'student' && !facts.hasAddress) return 'there is no email address yet'
  if (track === 'student' && facts.account) return 'an account exists'
  if (track === 'student' && facts.suppressed !== null) return suppressions[facts.suppressed]
  if (track !== 'staff' && facts.replied) return 'the student has replied'
  if (track !== 'staff' && facts.unanswered) return 'they wait for an answer to what they wrote'
  if (track === 'student' && !facts.hasPostalAddress) return 'the settings have no postal address'
  return undefined
}

const suppressions: Record<SuppressionReason, string> = {
  unsubscribed: 'the student has unsubscribed',
  bounced: 'email to the address bounces',
  complaint: 'the student reported an email as spam',
  'not me': 'the owner of the address did not write to us',
}

/** Why an address is suppressed, by what its owner or their mail server did. */
export const whySuppressed: Record<SuppressionReason, string> = {
  unsubscribed: 'they unsubscribed',
  bounced: 'an email to it bounced',
  complaint: 'they reported an email as spam',
  'not me': 'its owner said that it was not them',
}

/** Whether the address is someone else's, so that we should ask for the right one. Otherwise, they want no emails. */
export const isWrongAddress = (reason: SuppressionReason): boolean => reason === 'bounced' || reason === 'not me'

/** The note of an email that was not sent because of its address. */
export const suppressedNote = (reason: SuppressionReason): string => `${SUPPRESSED}: ${reason}`

/** Whether a note says that an email was not sent because of its address. It can be sent again to another address. */
export const isSuppressedNote = (note: string | null): boolean => note?.startsWith(SUPPRESSED) ?? false

/** These words are stored with tasks. If they change, the words of existing rows must still be recognized. */
const SUPPRESSED = 'this address is suppressed'

/**
 * The reason with which the end of the cadence closes a lead. If the school never tried, that is the reason, regardless
 * of our follow-up emails.
 */
export function closingReason({
  tried,
  suppressed,
}: Pick<StopFacts, 'tried' | 'suppressed'>): 'never contacted' | 'no reply' | 'unsubscribed' | 'unreachable' {
  if (!tried) return 'never contacted'
  if (suppressed === null) return 'no reply'
  return isWrongAddress(suppressed) ? 'unreachable' : 'unsubscribed'
}
