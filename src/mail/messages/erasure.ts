/**
 * Asks an operator to confirm that a person may be erased, or tells the operator who asked how it ended. It does not
 * identify the person, since the message stays in mailboxes.
 */
import { schoolVariables } from '../../content/school-variables.ts'
import { type AskedReason, reasonInWords } from '../../leads/lead/erasure-reasons.ts'
import { DAY } from '../../platform/time.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { counselor, now } from '../samples.ts'

type ErasureView = {
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

export const erasure: StaffMessage<ErasureView> = {
  template: 'notifications/erasure.md',
  variables: (view, { settings, moment }) => ({
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
  }),
  samples() {
    const view: ErasureView = {
      to: counselor,
      askedBy: 'Sam Lee',
      reason: 'asked',
      askedAt: now,
      expiresAt: now + 7 * DAY,
      outcome: null,
      decidedBy: null,
      decidedAt: null,
      url: 'https://desk.example.edu/privacy/requests/1',
    }
    const decided = { decidedBy: 'Maria Lopez', decidedAt: now + DAY }
    return [
      view,
      { ...view, ...decided, outcome: 'erased' },
      { ...view, ...decided, outcome: 'refused' },
      { ...view, outcome: 'expired', decidedAt: view.expiresAt },
    ]
  },
}
