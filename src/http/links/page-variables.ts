/** The variables of each page behind a link, beside those of the school. */
import type { Kind } from '../../leads/submission.ts'
import type { StaffAction, StudentAction } from '../../signed-links.ts'
import type { LeadDetails } from './lead-details.ts'

/** A lead as a page for the staff shows it, so that no one acts on the wrong one. */
export type LeadOnPage = {
  name: string
  kind: Kind
  /** The company of a site, the state of a student. */
  from: string | null
  stage: string
  /** The name of the counselor who looks after the lead. */
  owner: string | null
  /** The page of the lead; null for a submission that is not a lead yet. */
  url: string | null
}

/** The lead as it is now, with the links to act; null for an action that would change nothing. */
export type LeadPage = {
  lead: LeadDetails
  contacted_url: string | null
  attempted_url: string
  assign_url: string | null
  not_a_lead_url: string | null
}

export type Choice = { id: string; name: string }

/** Before an action: the page that says what will be done, and by whom. */
export type ConfirmPage = {
  lead: LeadOnPage
  actor: string | null
  /** The counselors to choose from, if the link does not say who acts. */
  counselors: readonly Choice[] | null
  /** The problem with the choice. */
  problem: string | null
}

/** After an action: the page that says what is recorded now. */
export type ResultPage = {
  action: StaffAction
  /** Null if it has been erased. */
  lead: LeadOnPage | null
  actor: string | null
  /** Whether nothing has changed: the action was already done, or the lead is past it. */
  before: boolean
  /** Whether the action is recorded: done now or before. */
  recorded: boolean
}

/** Each page, by the name of its file in `content/pages`. */
export type PageVariables = Record<StaffAction, ConfirmPage> &
  Record<
    StudentAction | 'unsubscribed' | 'not-me-done' | 'expired' | 'gone' | 'unavailable',
    object
  > & {
    done: ResultPage
    open: LeadPage
  }
