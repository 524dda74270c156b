/** The lead: a person that the team follows up. */
import type { DayPart } from '../../platform/time.ts'
import type { ConsentState } from '../body/consent.ts'
import { personKey } from '../body/person-key.ts'
import type { Kind } from '../body/submission.ts'

/** A person of one kind that the team follows up. */
export type Lead = {
  id: number
  kind: Kind
  stage: string
  closedReason: string | null
  /** Null if we know only a phone number; then the person gets no email. */
  email: string | null
  firstName: string
  lastName: string
  /** Null if we know only an address. One of the two is always known. */
  phone: string | null
  /** E.164; null if there is no number, or if it could not be read. */
  phoneE164: string | null
  /** The number (E.164) in the latest inquiry that gave a number other than the first; null if none did. */
  latestPhone: string | null
  /** The number that someone called and found to be wrong; null if none was. */
  wrongPhone: string | null
  company: string | null
  state: string | null
  /** Who follows up: the id of a counselor, or `manager`; null if the team does. */
  owner: string | null
  /** When someone at the school first tried to reach them, and when someone first reached them. */
  firstAttemptAt: number | null
  firstContactAt: number | null
  pausedAt: number | null
  /** When the next promised callback is due; null if there is none. */
  callbackAt: number | null
  /** Who, besides the owner, has promised to call, by ids like those of owners. */
  callbackFor: readonly string[]
  /** When they last replied to an email. */
  repliedAt: number | null
  /** When they wrote again or replied; null once someone has answered. */
  unansweredSince: number | null
  /** Whether they had an account at the learning site when they wrote. */
  account: boolean
  /** When someone at the school last corrected the address or the phone number; null if no one did. */
  correctedAt: number | null
  /**
   * The language of the form through which they last wrote, such as `es`, or what someone at the school has chosen
   * since, and when that was; null if neither is known.
   */
  language: string | null
  languageAt: number | null
  /** The campaign and origin in the first inquiry whose form recorded them (`came-from.ts`); null if no form did. */
  campaign: string | null
  cameFrom: string | null
  /**
   * The school's program that they chose in the latest form that asked; otherwise, the first that they named or that
   * someone gave the lead; null for none. It is one of its labels.
   */
  program: string | null
  /** What they chose last in a form that asked: the best time to call, and the campus; null if none did. */
  bestTime: DayPart | null
  campus: string | null
  /** The form of the school that they first wrote through, by its name; null if they came another way. */
  form: string | null
  /** What the person said when a form last asked, and when that was; null if no form has asked. */
  consent: ConsentState | null
  consentAt: number | null
  createdAt: number
  updatedAt: number
  /** The lead of the same person that now has this one's history and follow-up; null unless they were merged. */
  mergedInto: number | null
}

/** A lead whose person we can write to. */
export type AddressedLead = Lead & { email: string }

/** How to reach the person of a lead: their address or, without one, their number in E.164 (`personKey`). */
export const reachOf = (lead: Lead): string => lead.email ?? personKey(lead, lead.phoneE164)

export const fullName = ({ firstName, lastName }: Pick<Lead, 'firstName' | 'lastName'>): string =>
  `${firstName} ${lastName}`
