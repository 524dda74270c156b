/**
 * The variables of the message about a request to erase a person. Nothing in it leads to the person: the
 * message stays in mailboxes.
 */
import { schoolVariables } from '../../content/school-variables.ts'
import { type AskedReason, reasonInWords } from '../../leads/lead/erasing.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

export type ErasureView = {
  to: StaffMember
  askedBy: string
  reason: AskedReason
  askedAt: number
  expiresAt: number
  /** Null while the request waits. */
  outcome: 'erased' | 'refused' | 'expired' | null
  decidedBy: string | null
  decidedAt: number | null
  /** The page of the console to act on. */
  url: string
}

export const erasureVariables = (view: ErasureView, { settings, moment }: SchoolContext) => ({
  school: schoolVariables(settings.school),
  name: view.to.name,
  asked_by: view.askedBy,
  reason: reasonInWords[view.reason],
  asked: moment(view.askedAt),
  until: moment(view.expiresAt),
  outcome: view.outcome,
  decided_by: view.decidedBy,
  decided: view.decidedAt === null ? null : moment(view.decidedAt),
  url: view.url,
})
