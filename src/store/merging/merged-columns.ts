/** The columns of a lead that merging may change. */
import type { Lead } from '../../leads/lead/lead.ts'
import { addressColumns, type LockedLead } from '../leads/leads.ts'

/** The columns that a lead gets from a lead that is merged into it. */
export const columnsOf = (merged: Lead) => ({
  stage: merged.stage,
  phone: merged.phone,
  phone_e164: merged.phoneE164,
  ...addressColumns({ email: merged.email, phone: merged.phone, phone_e164: merged.phoneE164 }),
  owner: merged.owner,
  state: merged.state,
  company: merged.company,
  latest_phone: merged.latestPhone,
  account: merged.account ? (1 as const) : (0 as const),
  language: merged.language,
  language_at: merged.languageAt,
  campaign: merged.campaign,
  came_from: merged.cameFrom,
  program: merged.program,
  best_time: merged.bestTime,
  campus: merged.campus,
  form: merged.form,
  consent: merged.consent,
  consent_at: merged.consentAt,
  first_attempt_at: merged.firstAttemptAt,
  first_contact_at: merged.firstContactAt,
  replied_at: merged.repliedAt,
  unanswered_since: merged.unansweredSince,
  paused_at: merged.pausedAt,
})

/** The columns that changed, with their values before and after. */
export type Difference = {
  before: Record<string, string | number | null>
  after: Record<string, string | number | null>
}

export const followUpColumns = ['cadence_id', 'follow_up_since'] as const

const changing = [
  ...(['email', 'phone', 'phone_e164'] as const),
  ...(['stage', 'owner', 'state', 'company', 'latest_phone', 'account', 'language'] as const),
  ...(['campaign', 'came_from', 'program', 'best_time', 'campus', 'form', 'consent'] as const),
  ...(['consent_at', 'first_attempt_at'] as const),
  ...(['first_contact_at', 'replied_at', 'unanswered_since', 'paused_at', 'closing_at'] as const),
  ...(['stage_since', 'language_at', 'heat'] as const),
  ...followUpColumns,
]

export function differenceOf(before: LockedLead, after: LockedLead): Difference {
  const changed = changing.filter(column => before[column] !== after[column])
  return {
    before: Object.fromEntries(changed.map(column => [column, before[column]])),
    after: Object.fromEntries(changed.map(column => [column, after[column]])),
  }
}

/** The columns that undo a difference. Those that someone has changed since then stay, and so do those in `kept`. */
export function takenBack(
  lead: LockedLead,
  { before, after }: Difference,
  kept: readonly string[] = [],
): Partial<LockedLead> {
  const untouched = changing.filter(
    column => column in before && lead[column] === after[column] && !kept.includes(column),
  )
  return Object.fromEntries(untouched.map(column => [column, before[column]]))
}
